// Takes the field lines of a whole head apart, strictly (RFC 9112 section 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/chars.hpp"
#include "codec/known_fields.hpp"
#include "codec/line_scanner.hpp"
#include "rill/codec/http1_head.hpp"

namespace rill::http1::detail {

/// What became of a field section.
struct split_outcome {
    std::uint32_t head_size = 0;  ///< Bytes up to the end of the empty line; 0 when it is refused.
    std::uint16_t status = 400;   ///< What to answer when it is refused.
    char const* reason = "";      ///< Why it is refused.
};

/// The one reader of field lines: of a head that came whole, and of one that llhttp has followed
/// piece by piece to its end.
///
/// A line is a token, a colon right behind it, and a value up to the first byte that no value may
/// hold, which must be the CR of its CRLF. So every shape that some parser lets pass is refused:
/// folded lines, bare CR or LF, empty names, white space before the colon, control characters.
class field_lines {
public:
    /// Puts the lines from `begin` on into the table, up to the empty line, which must lie before
    /// `to`.
    static split_outcome split(field_table& table, std::uint32_t begin, std::uint32_t to,
                               std::uint32_t most_fields) noexcept;

private:
    static constexpr std::ptrdiff_t smallest_head = sizeof("A / HTTP/1.1\r\n\r\n") - 1;

    static bool is_visible(char c) noexcept { return static_cast<unsigned char>(c) > ' '; }
    static bool is_crlf(char const* p) noexcept { return std::memcmp(p, "\r\n", 2) == 0; }
    static bool is_name(char const* begin, char const* name_end, char const* end) noexcept {
        return begin != name_end && find_token_end(begin, end) == name_end;
    }
    static void trim(char const*& value, char const*& value_end) noexcept {
        while (value != value_end && !is_visible(*value)) ++value;
        while (value != value_end && !is_visible(value_end[-1])) --value_end;
    }
    static split_outcome refuse(char const* reason, std::uint16_t status = 400) noexcept {
        return {.status = status, .reason = reason};
    }
};

[[gnu::always_inline]] inline split_outcome field_lines::split(field_table& table,
                                                               std::uint32_t begin,
                                                               std::uint32_t to,
                                                               std::uint32_t most_fields) noexcept {
    char const* const base = table.base_;
    char const* line = base + begin;
    char const* const end = base + to;
    if (end - base < smallest_head) return refuse("no whole head");
    if (end - line < 2) return refuse("the head does not end in an empty line");
    line_scanner lines(line, end);
    std::uint32_t count = 0;
    std::uint32_t present = 0;
    std::uint32_t repeated = 0;
    for (;; ++count) {
        if (is_crlf(line)) break;
        if (count == most_fields) return refuse("too many fields", 431);
        char const* const name_end = lines.find_colon();
        if (name_end == nullptr) return refuse("a field line without a colon");
        char const* const line_end = lines.find_end();
        // Behind a line's CRLF there is another line, if an empty one.
        if (end - line_end < 4 || !is_crlf(line_end))
            return refuse("a field line does not end in CRLF, or holds a control character");
        if (name_end > line_end) return refuse("a field line without a colon");
        known_field const which = find_known_token(line, name_end);
        if (which == known_field::none) {
            if (!is_name(line, name_end, end)) return refuse("a field name that is no token");
        } else if (std::uint32_t const bit = field_table::bit_of(which); (present & bit) == 0) {
            table.first_[static_cast<std::size_t>(which)] = static_cast<std::uint8_t>(count);
            present |= bit;
        } else {
            repeated |= bit;
        }

        char const* value = name_end + 1;
        char const* value_end = line_end;
        if (*value == ' ') ++value;
        // Of the bytes up to space a value holds only space and tab, and few are more than one.
        if (!is_visible(*value) || !is_visible(value_end[-1])) [[unlikely]]
            trim(value, value_end);
        table.places_[count] =
            field_table::place(line - base, name_end - line, value - base, value_end - value);
        line = line_end + 2;
        lines.step_to(line);
    }
    table.count_ = static_cast<std::uint8_t>(count);
    table.present_ = present;
    table.repeated_ = repeated;
    return {.head_size = static_cast<std::uint32_t>(line + 2 - base)};
}

}  // namespace rill::http1::detail
