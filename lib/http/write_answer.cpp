// From a response to bytes.
#include "http/write_answer.hpp"

#include <variant>

#include "rill/codec/http1_writer.hpp"

namespace rill::http {

namespace {

// RFC 9110 section 8.6 and RFC 9112 section 6.3: these have no content and say no length.
bool has_no_content(unsigned code) noexcept {
    return code < 200 || code == 204 || code == 304;
}

// Where the message ends and what becomes of the connection is for the connection alone to say.
void drop_reserved(headers& fields) noexcept {
    if (fields.empty()) return;
    for (std::string_view const name : {"content-length", "transfer-encoding", "connection"}) {
        fields.erase(name);
    }
}

}  // namespace

bool write_answer(server_core& home, buffer& into, response& answer, answer_frame const& frame) {
    drop_reserved(answer.headers());
    auto const code = static_cast<unsigned>(answer.status());
    bool const no_content = has_no_content(code);
    std::uint64_t const size = answer.body_size();
    bool const in_memory = !std::holds_alternative<file_range>(answer.body());
    bool const appended =
        in_memory && !no_content && !frame.head_only && size <= appended_body_bytes;
    std::string_view const fields = answer.headers().wire();
    std::string_view const type = answer.default_content_type().view();

    constexpr std::size_t fixed_part = 256;
    std::size_t const bound = fixed_part + fields.size() + type.size() + (appended ? size : 0);
    mutable_bytes const room = into.prepare(bound);
    RILL_ASSERT(room.size() >= bound, "the output buffer holds one answer beyond its own bound");
    http1::head_writer head(room);
    head.status(code);
    if (!answer.headers().contains("date")) head.raw(home.date_line());
    if (!type.empty() && !no_content && !answer.headers().contains("content-type")) {
        head.raw("content-type: ");
        head.raw(type);
        head.raw("\r\n");
    }
    if (!no_content) head.field("content-length", size);
    if (!frame.keep_alive) {
        head.raw("connection: close\r\n");
    } else if (frame.http_1_0) {
        head.raw("connection: keep-alive\r\n");
    }
    head.raw(fields);
    head.end();
    if (appended) head.raw(answer.text());
    RILL_ASSERT(head.state() == http1::write_state::ok, "the bound covers every head");
    into.commit(head.size());
    return appended || no_content || frame.head_only || size == 0;
}

}  // namespace rill::http
