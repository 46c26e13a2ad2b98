// llhttp's part of a head that comes in pieces.
#include "codec/field_section.hpp"

#include <algorithm>
#include <string_view>

namespace rill::http1::detail {

namespace {

// What llhttp says of a field's meaning, where the line itself may be well-formed.
bool is_about_framing(llhttp_errno_t code) noexcept {
    return code == HPE_INVALID_CONTENT_LENGTH || code == HPE_UNEXPECTED_CONTENT_LENGTH ||
           code == HPE_INVALID_TRANSFER_ENCODING;
}

}  // namespace

llhttp_settings_t field_section::make_settings() noexcept {
    llhttp_settings_t settings;
    llhttp_settings_init(&settings);
    settings.on_headers_complete = [](llhttp_t*) -> int { return HPE_PAUSED; };
    return settings;
}

llhttp_t field_section::make_start_state() noexcept {
    static llhttp_settings_t const settings = make_settings();
    static constexpr char request_line[] = "GET / HTTP/1.1\r\n";
    llhttp_t parser;
    llhttp_init(&parser, HTTP_REQUEST, &settings);
    llhttp_errno_t const code = llhttp_execute(&parser, request_line, sizeof(request_line) - 1);
    RILL_ASSERT(code == HPE_OK, "this llhttp refuses a plain request line; use a released one");
    return parser;
}

field_section::state field_section::read(char const* base, std::uint32_t from,
                                         std::uint32_t to) noexcept {
    if (from == to) return state::need_more;
    if (stopped_) return find_end(base, from, to);
    if (!begun_) {
        // llhttp_t is plain data: copying the state after a request line costs a tenth of parsing
        // one.
        static llhttp_t const start_state = make_start_state();
        parser_ = start_state;
        begun_ = true;
    }
    llhttp_errno_t const code = llhttp_execute(&parser_, base + from, to - from);
    if (code == HPE_OK) return state::need_more;
    if (code == HPE_PAUSED) return state::complete;
    if (!is_about_framing(code)) return state::failed;
    stopped_ = true;
    return find_end(base, from, to);
}

/// Looks for the empty line. The bytes before `from` have the start line's end among them.
field_section::state field_section::find_end(char const* base, std::uint32_t from,
                                             std::uint32_t to) noexcept {
    constexpr std::string_view end = "\r\n\r\n";
    std::uint32_t const begin = from - std::min<std::uint32_t>(from, end.size() - 1);
    bool const found = std::string_view(base + begin, to - begin).find(end) != end.npos;
    return found ? state::complete : state::need_more;
}

}  // namespace rill::http1::detail
