// llhttp's part of a head, and the pass over its lines that does not trust it.
#include "codec/field_section.hpp"

#include <cstring>

#include "codec/chars.hpp"
#include "codec/known_fields.hpp"

namespace rill::http1::detail {

namespace {

bool is_space_or_tab(char c) noexcept {
    return c == ' ' || c == '\t';
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
    fail("malformed field line");
    return state::failed;
}

/// A line reaches to the first control character, which must be the CR of its CRLF. Every fault
/// that llhttp may have let pass ends a line too early, or leaves no name in front of the colon.
template <bool Strict>
bool field_section::split(field_table& table, std::uint32_t begin, std::uint32_t to,
                          std::uint32_t most_fields) noexcept {
    char const* const base = table.base_;
    char const* const end = base + to;
    char const* line = base + begin;
    std::uint32_t count = 0;
    std::uint32_t repeated = 0;
    table.first_.fill(field_table::absent);
    while (line != end && *line != '\r') {
        char const* const name_end = find_name_end(base, line, end);
        if (name_end == end || *name_end != ':' || name_end == line)
            return fail("a field line without a name and a colon right after it");
        char const* value = name_end + 1;
        char const* const line_end = find_value_end(base, value, end);
        if (end - line_end < 2 || line_end[0] != '\r' || line_end[1] != '\n')
            return fail("a field line does not end in CRLF, or holds a control character");
        if (count == most_fields) return fail("too many fields", 431);
        char const* value_end = line_end;
        // Of the bytes up to space a value holds only space and tab; the colon and CR stop the
        // loops.
        while (is_space_or_tab(*value)) ++value;
        while (value_end > value && is_space_or_tab(value_end[-1])) --value_end;
        auto const name_size = static_cast<std::size_t>(name_end - line);
        table.places_[count] = {
            .name = static_cast<std::uint16_t>(line - base),
            .name_size = static_cast<std::uint16_t>(name_size),
            .value = static_cast<std::uint16_t>(value - base),
            .value_size = static_cast<std::uint16_t>(value_end - value),
        };
        known_field const which = find_known_token(line, name_size, end);
        if constexpr (Strict) {
            // What llhttp has looked at needs no second look, and a known name is a token.
            if (which == known_field::none && !is_token({line, name_size})) {
                return fail("a field name that is no token");
            }
        }
        if (which != known_field::none) {
            std::uint8_t& first = table.first_[static_cast<std::size_t>(which)];
            repeated |= static_cast<std::uint32_t>(first != field_table::absent)
                        << static_cast<unsigned>(which);
            if (first == field_table::absent) first = static_cast<std::uint8_t>(count);
        }
        ++count;
        line = line_end + 2;
    }
    if (end - line < 2 || line[1] != '\n') return fail("the head does not end in an empty line");
    table.count_ = static_cast<std::uint8_t>(count);
    table.repeated_ = repeated;
    head_size_ = static_cast<std::uint32_t>(line + 2 - base);
    return true;
}

template bool field_section::split<true>(field_table&, std::uint32_t, std::uint32_t,
                                         std::uint32_t) noexcept;
template bool field_section::split<false>(field_table&, std::uint32_t, std::uint32_t,
                                          std::uint32_t) noexcept;

bool field_section::fail(char const* reason, std::uint16_t status) noexcept {
    reason_ = reason;
    status_ = status;
    return false;
}

}  // namespace rill::http1::detail
