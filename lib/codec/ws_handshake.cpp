// The texts of the opening handshake of WebSocket. RFC 6455 section 4.
#include "codec/ws_handshake.hpp"

#include "codec/base64.hpp"
#include "codec/digest.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::codec {

bool is_ws_key(std::string_view key) {
    auto const nonce = decode_base64(key);
    return nonce && nonce->size() == 16;
}

std::string ws_accept_of(std::string_view key) {
    std::string_view const pieces[] = {key, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"};
    return encode_base64(sha1(pieces));
}

bool is_same_origin(std::string_view origin, std::string_view host) noexcept {
    constexpr std::string_view mark = "://";
    std::size_t const at = origin.find(mark);
    return at != std::string_view::npos &&
           http1::equal_ignoring_case(origin.substr(at + mark.size()), host);
}

namespace {

// What the fields of an answer have said so far.
struct answer_fields {
    bool upgrade = false;
    bool connection = false;
    bool extensions = false;
    std::string_view accept;
    std::string_view protocol;
    unsigned accepts = 0;
    unsigned protocols = 0;
};

void note(answer_fields& said, std::string_view name, std::string_view value) noexcept {
    using known = http1::known_field;
    known const which = http1::find_known_field(name);
    if (which == known::upgrade) said.upgrade = http1::equal_ignoring_case(value, "websocket");
    if (which == known::connection) {
        said.connection = said.connection || http1::list_contains(value, "upgrade");
    }
    if (which == known::sec_websocket_extensions) said.extensions = true;
    if (which == known::sec_websocket_protocol) {
        said.protocol = value;
        ++said.protocols;
    }
    if (http1::equal_ignoring_case(name, "sec-websocket-accept")) {
        said.accept = value;
        ++said.accepts;
    }
}

// The three digits of the status line; 0 where it is none of HTTP/1.1.
unsigned status_of(std::string_view line) noexcept {
    constexpr std::string_view version = "HTTP/1.1 ";
    if (!line.starts_with(version)) return 0;
    line.remove_prefix(version.size());
    auto const code = http1::parse_length(line.substr(0, 3));
    bool const ends = line.size() == 3 || (line.size() > 3 && line[3] == ' ');
    return code && ends && *code >= 100 ? static_cast<unsigned>(*code) : 0;
}

}  // namespace

ws_answer read_ws_answer(std::string_view head, std::string_view key) {
    answer_fields said;
    ws_answer answer;
    for (bool first = true; !head.empty(); first = false) {
        std::size_t const end = head.find("\r\n");
        if (end == std::string_view::npos) return {.why = "a malformed answer"};
        std::string_view const line = head.substr(0, end);
        head.remove_prefix(end + 2);
        if (first) {
            answer.status = status_of(line);
            if (answer.status == 0) return {.why = "an answer that is not of HTTP/1.1"};
            continue;
        }
        if (line.empty()) break;
        std::size_t const colon = line.find(':');
        std::string_view const value =
            colon == line.npos ? line : http1::trim_space(line.substr(colon + 1));
        if (colon == line.npos || !http1::is_token(line.substr(0, colon)) ||
            !http1::is_field_value(value)) {
            return {.why = "a malformed answer"};
        }
        note(said, line.substr(0, colon), value);
    }
    answer.protocol = said.protocol;
    if (answer.status != 101) {
        answer.why = "the server refuses";
    } else if (!said.upgrade || !said.connection) {
        answer.why = "the server changes to another protocol";
    } else if (said.accepts != 1 || said.accept != ws_accept_of(key)) {
        answer.why = "the server has not read the key";
    } else if (said.extensions) {
        answer.why = "the server uses an extension that was not offered";
    } else if (said.protocols > 1) {
        answer.why = "the server names several subprotocols";
    }
    return answer;
}

}  // namespace rill::codec
