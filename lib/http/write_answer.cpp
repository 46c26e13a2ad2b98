// From a response to bytes.
#include "http/write_answer.hpp"

#include <charconv>
#include <cstring>
#include <string_view>
#include <variant>

#include "codec/status_lines.hpp"
#include "rill/base/log.hpp"
#include "rill/codec/http1_writer.hpp"

namespace rill::http {

namespace {

// RFC 9110 section 8.6 and RFC 9112 section 6.3: these have no content and say no length.
bool has_no_content(unsigned code) noexcept {
    return code == 204 || code == 304;
}

// RFC 9110 section 15: 100 to 199 end no request, and there is no class above 599.
bool ends_a_request(unsigned code) noexcept {
    return code >= 200 && code <= 599;
}

// Where the message ends and what becomes of the connection is for the connection alone to say.
void drop_reserved(headers& fields) noexcept {
    if (fields.empty()) return;
    for (std::string_view const name : {"content-length", "transfer-encoding", "connection"}) {
        fields.erase(name);
    }
}

char* put(char* at, std::string_view text) noexcept {
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    return at + text.size();
}

char* put_status(char* at, unsigned code) noexcept {
    std::string_view const line = http1::detail::status_line(code);
    if (!line.empty()) [[likely]]
        return put(at, line);
    // A code of the user's own goes out without a text.
    at = put(at, "HTTP/1.1 ");
    at = std::to_chars(at, at + 3, code).ptr;
    return put(at, " \r\n");
}

}  // namespace

bool write_answer(server_core& home, buffer& into, response& answer, answer_frame const& frame) {
    if (!ends_a_request(static_cast<unsigned>(answer.status()))) [[unlikely]] {
        log::error("a handler answered with a status that ends no request",
                   {{"status", static_cast<int>(answer.status())}});
        ++home.counters().failed;
        answer = response(status::internal_server_error);
    }
    drop_reserved(answer.headers());
    auto const code = static_cast<unsigned>(answer.status());
    bool const no_content = has_no_content(code);
    std::uint64_t const size = answer.body_size();
    bool const streamed = std::holds_alternative<body_stream>(answer.body());
    bool const in_memory = !streamed && !std::holds_alternative<file_range>(answer.body());
    bool const appended =
        in_memory && !no_content && !frame.head_only && size <= appended_body_bytes;
    std::string_view const fields = answer.headers().wire();
    std::string_view const type = answer.default_content_type().view();

    constexpr std::size_t fixed_part = 256;
    std::size_t const bound = fixed_part + fields.size() + type.size() + (appended ? size : 0);
    mutable_bytes const room = into.prepare(bound);
    RILL_ASSERT(room.size() >= bound, "the output buffer holds one answer beyond its own bound");
    // The bound covers all of it, and the fields were checked when they were set, so that this is
    // plain copying.
    char* const begin = reinterpret_cast<char*>(room.data());
    char* at = put_status(begin, code);
    if (fields.empty() || !answer.headers().contains("date")) at = put(at, home.date_line());
    bool const own_type = !fields.empty() && answer.headers().contains("content-type");
    if (!type.empty() && !no_content && !own_type) {
        at = put(at, "content-type: ");
        at = put(at, type);
        at = put(at, "\r\n");
    }
    if (streamed) {
        // A client of HTTP/1.0 knows no chunks: there the end of the connection ends the body.
        if (!no_content && !frame.http_1_0) at = put(at, "transfer-encoding: chunked\r\n");
    } else if (!no_content) {
        at = put(at, "content-length: ");
        at = std::to_chars(at, at + http1::head_writer::number_bound, size).ptr;
        at = put(at, "\r\n");
    }
    if (!frame.keep_alive) {
        at = put(at, "connection: close\r\n");
    } else if (frame.http_1_0) {
        at = put(at, "connection: keep-alive\r\n");
    }
    if (!fields.empty()) at = put(at, fields);
    at = put(at, "\r\n");
    if (appended) at = put(at, answer.text());
    into.commit(static_cast<std::size_t>(at - begin));
    return appended || no_content || frame.head_only || (size == 0 && !streamed);
}

}  // namespace rill::http
