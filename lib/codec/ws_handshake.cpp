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

}  // namespace rill::codec
