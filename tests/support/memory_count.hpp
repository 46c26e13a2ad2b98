// Counts what this program asks of malloc and mmap, by replacing them. Not under sanitizers, which
// replace them, too.
#pragma once

#include <cstddef>

namespace rill::test {

// Calls of malloc and its kin, operator new included, and of mmap, by all threads so far.
[[nodiscard]] std::size_t memory_requests() noexcept;
// Blocks of malloc that are not freed yet, and mappings that stand.
[[nodiscard]] std::ptrdiff_t memory_held() noexcept;

}  // namespace rill::test
