// Counts calls of operator new in this program.
#pragma once

#include <cstddef>

namespace rill::test {

// How often memory was asked for so far, by all threads.
[[nodiscard]] std::size_t allocation_count() noexcept;

}  // namespace rill::test
