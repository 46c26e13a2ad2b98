// traceparent: which trace a request belongs to. W3C Trace Context, section 3.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rill/base/export.hpp"

namespace rill::codec {

/// What a traceparent says, as views of it.
struct trace_parent {
    std::string_view trace_id;   ///< 32 hexadecimal digits in lower case, not all zero.
    std::string_view parent_id;  ///< 16 of them, not all zero.
    std::uint8_t flags = 0;      ///< Bit 0: the caller may have recorded it.
};

/// Reads the value of a traceparent. Of a version above 00 the known part is read.
/// Returns nothing for what is malformed, and the request then begins a trace.
[[nodiscard]] RILL_API std::optional<trace_parent> parse_trace_parent(
    std::string_view text) noexcept;

}  // namespace rill::codec
