// llhttp's part of a head that comes in pieces.
#include "codec/field_section.hpp"

namespace rill::http1::detail {

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
    return state::failed;
}

}  // namespace rill::http1::detail
