// HTTP-date (RFC 9110 section 5.6.7): the moments in Date, Last-Modified and their conditions.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "rill/base/export.hpp"

namespace rill::codec {

/// How many characters an IMF-fixdate has.
inline constexpr std::size_t http_date_size = 29;

/// Writes `when` as an IMF-fixdate: "Sun, 06 Nov 1994 08:49:37 GMT". `when` must lie in the years
/// 0 to 9999.
RILL_API void format_http_date(std::chrono::sys_seconds when,
                               std::span<char, http_date_size> into) noexcept;

/// Reads an HTTP-date in any of its three forms: IMF-fixdate, RFC 850 with a year of two digits,
/// and asctime. `now` decides the century of the second form: a year more than 50 years ahead is
/// the one a century before.
///
/// A leap second counts as the second after it. The name of the day must be one but need not fit
/// the date, which is complete without it.
///
/// Returns   nothing if `text` is not an HTTP-date; a field with such a value is ignored.
[[nodiscard]] RILL_API std::optional<std::chrono::sys_seconds> parse_http_date(
    std::string_view text, std::chrono::sys_seconds now) noexcept;

}  // namespace rill::codec
