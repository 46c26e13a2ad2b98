// Whole status lines, ready to be copied to a connection (RFC 9112 section 4).
#pragma once

#include <string_view>

namespace rill::http1::detail {

/// "HTTP/1.1 200 OK\r\n" for 200; empty for a code that the registry does not know.
[[nodiscard]] std::string_view status_line(unsigned code) noexcept;

}  // namespace rill::http1::detail
