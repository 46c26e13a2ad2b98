// A fault that comes every so often: what the fault tables of the drivers are made of.
#pragma once

#include <cstdint>

namespace rill {

/// Counts calls and says when the nth has come; 0 is never.
class fault_every {
public:
    explicit fault_every(std::uint32_t n) noexcept : n_(n) {}
    [[nodiscard]] bool operator()() noexcept { return n_ != 0 && ++count_ % n_ == 0; }

private:
    std::uint32_t n_;
    std::uint32_t count_ = 0;
};

}  // namespace rill
