// Assertions: a bug in this process stops it, with advice. Bytes from a peer are never a bug.
#pragma once

#include <source_location>

#include "rill/base/export.hpp"

namespace rill::detail {

/// Prints the broken promise, the advice and the place to stderr, and aborts.
[[noreturn]] RILL_API void assertion_failed(
    char const* condition, char const* advice,
    std::source_location where = std::source_location::current()) noexcept;

}  // namespace rill::detail

/// Stops the process when `condition` does not hold. `advice` tells the reader what to change.
/// Stays on in release builds; one condition each.
#define RILL_ASSERT(condition, advice)                 \
    (__builtin_expect(static_cast<bool>(condition), 1) \
         ? static_cast<void>(0)                        \
         : ::rill::detail::assertion_failed(#condition, advice))
