// The grammar of IP addresses in URLs, RFC 3986 section 3.2.2. Only the form is checked here.
#pragma once

#include <string_view>

namespace rill::detail {

/// Four decimal numbers up to 255 without leading zeros.
[[nodiscard]] bool is_ipv4(std::string_view text) noexcept;
/// Up to eight groups, `::` at most once, perhaps an IPv4 address at the end. No zone, no brackets.
[[nodiscard]] bool is_ipv6(std::string_view text) noexcept;

}  // namespace rill::detail
