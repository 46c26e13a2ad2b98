// From a response to bytes.
#include "http/write_answer.hpp"

#include <chrono>
#include <string_view>
#include <variant>

#include "rill/base/log.hpp"
#include "rill/codec/http1_writer.hpp"

namespace rill::http {

namespace {

constexpr unsigned switching_protocols = 101;
constexpr unsigned upgrade_required = 426;

// RFC 9110 section 8.6 and RFC 9112 section 6.3: these have no content and say no length.
bool has_no_content(unsigned code) noexcept {
    return code == 204 || code == 304 || code == switching_protocols;
}

// RFC 9110 section 15.3.6: a client that is to reset its form is sent no content, and told so.
constexpr unsigned reset_content = 205;

// RFC 9110 section 15: 100 to 199 end no request, and there is no class above 599. 101 ends it
// where something follows on the connection.
bool ends_a_request(unsigned code, bool hands_over) noexcept {
    return hands_over ? code == switching_protocols : code >= 200 && code <= 599;
}

// Where the message ends and what becomes of the connection is for the connection alone to say.
constexpr std::uint32_t reserved =
    headers::content_length | headers::transfer_encoding | headers::connection;
void drop_reserved(headers& fields) noexcept {
    for (std::string_view const name : {"content-length", "transfer-encoding", "connection"}) {
        fields.erase(name);
    }
}

// Nothing can be made of such an answer.
void replace_answer(server_core& home, response& answer) {
    log::error("a handler answered with a status that ends no request",
               {{"status", static_cast<int>(answer.status())}});
    ++home.counters().failed;
    answer = response(status::internal_server_error);
}

// What decides over the form of an answer, beside its texts.
struct answer_form {
    unsigned code = 200;
    answer_frame frame;
    bool own_fields = false;  // of the handler's
    bool own_date = false;    // among them
    bool own_type = false;
    bool streamed = false;    // made while it is sent
    bool appended = true;     // the body goes out with its head
    bool upgrades = false;    // names another protocol (RFC 9110 section 7.8)
    bool hands_over = false;  // and changes to it
};

// True for what handlers answer most of the time: 200, a short text, and no fields of their own.
bool is_plain(response const& answer, answer_frame const& frame) noexcept {
    auto const& body = answer.body();
    return answer.status() == status::ok && answer.headers().empty() && frame == answer_frame{} &&
           (std::holds_alternative<literal>(body) || std::holds_alternative<std::string>(body)) &&
           answer.text().size() <= appended_body_bytes;
}

answer_form form_of(server_core& home, response& answer, answer_frame const& frame) {
    bool const wants_over = std::holds_alternative<upgrade_session>(answer.body());
    if (!ends_a_request(code_of(answer.status()), wants_over)) replace_answer(home, answer);
    if (code_of(answer.status()) == reset_content) answer.set_body({}, {});
    headers& fields = answer.headers();
    if (fields.may_contain(reserved)) drop_reserved(fields);
    unsigned const code = code_of(answer.status());
    bool const streamed = std::holds_alternative<body_stream>(answer.body());
    bool const hands_over = code == switching_protocols;
    bool const in_file = std::holds_alternative<file_range>(answer.body());
    return {
        .code = code,
        .frame = frame,
        .own_fields = true,
        .own_date = fields.may_contain(headers::date) && fields.contains("date"),
        .own_type = fields.may_contain(headers::content_type) && fields.contains("content-type"),
        .streamed = streamed,
        .appended = !streamed && !in_file && !has_no_content(code) && !frame.head_only &&
                    answer.text().size() <= appended_body_bytes,
        .upgrades = hands_over || (code == upgrade_required && fields.contains("upgrade")),
        .hands_over = hands_over};
}

// All that a head holds beside the fields and the content type: the status line, the date, the
// names, where the message ends, and what becomes of the connection.
constexpr std::size_t fixed_part = 256;

// Inlined twice: of a plain answer, whose form is constant, little is left.
[[gnu::always_inline]] inline bool write_as(answer_form const& form, server_core& home,
                                            buffer& into, response const& answer) {
    bool const has_content = !has_no_content(form.code);
    std::string_view const text = form.appended ? answer.text() : std::string_view();
    std::uint64_t const size = form.appended ? text.size() : answer.body_size();
    std::string_view const fields = form.own_fields ? answer.headers().wire() : std::string_view();
    std::string_view const type = answer.default_content_type().view();

    std::size_t const bound = fixed_part + fields.size() + type.size() + text.size();
    mutable_bytes const room = into.prepare(bound);
    RILL_ASSERT(room.size() >= bound, "the output buffer holds one answer beyond its own bound");
    http1::head_writer out(room);
    out.status(form.code);
    if (!form.own_date) out.put(home.date_line());
    if (has_content) {
        if (!type.empty() && !form.own_type) out.field("content-type", type);
        if (!form.streamed) {
            out.field("content-length", size);
        } else if (!form.frame.http_1_0) {
            // A client of HTTP/1.0 knows no chunks: there the end of the connection ends the body.
            out.put("transfer-encoding: chunked\r\n");
        }
    }
    if (form.upgrades) {
        bool const closes = !form.frame.keep_alive && !form.hands_over;
        out.put(closes ? "connection: close, upgrade\r\n" : "connection: upgrade\r\n");
    } else if (!form.frame.keep_alive) {
        out.put("connection: close\r\n");
    } else if (form.frame.http_1_0) {
        out.put("connection: keep-alive\r\n");
    }
    if (form.own_fields) out.put(fields);
    out.end();
    out.put(text);
    into.commit(out.size());
    if (form.hands_over) return false;
    return form.appended || !has_content || form.frame.head_only || (size == 0 && !form.streamed);
}

}  // namespace

bool write_answer(server_core& home, buffer& into, response& answer, answer_frame const& frame) {
    if (is_plain(answer, frame)) [[likely]]
        return write_as({}, home, into, answer);
    answer_form const form = form_of(home, answer, frame);
    return write_as(form, home, into, answer);
}

void write_busy(server_core& home, buffer& into, answer_frame const& frame) {
    constexpr std::string_view type = "application/problem+json";
    constexpr std::string_view text = R"({"title":"Service Unavailable","status":503})";
    mutable_bytes const room = into.prepare(fixed_part + type.size() + text.size());
    http1::head_writer out(room);
    out.status(503);
    out.put(home.date_line());
    out.field("content-type", type);
    out.field("content-length", text.size());
    auto const pause = std::chrono::ceil<std::chrono::seconds>(home.options().retry_after);
    if (pause > pause.zero()) {
        out.field("retry-after", static_cast<std::uint64_t>(pause.count()));
    }
    if (!frame.keep_alive) {
        out.put("connection: close\r\n");
    } else if (frame.http_1_0) {
        out.put("connection: keep-alive\r\n");
    }
    out.end();
    if (!frame.head_only) out.put(text);
    into.commit(out.size());
}

}  // namespace rill::http
