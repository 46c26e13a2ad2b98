// What the pool of coroutine frames has done on this thread.
#pragma once

#include <cstdint>

#include "rill/base/export.hpp"

namespace rill {

/// Counters of this thread's frame pool. In the steady state neither of them grows.
struct frame_pool_statistics {
    std::uint64_t taken_from_heap = 0;  ///< Frames that the pool had to allocate.
    std::uint64_t given_to_heap = 0;    ///< Frames freed because the pool held enough.
};

/// The calling thread's counters.
[[nodiscard]] RILL_API frame_pool_statistics frame_pool_totals() noexcept;

}  // namespace rill
