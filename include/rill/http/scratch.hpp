// scratch: memory that lives as long as a request, for decoded text.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rill/base/export.hpp"

namespace rill::http::detail {

/// Hands out memory that is given back all at once. The first bytes come from inside, so a request
/// with a few encoded characters allocates nothing.
class RILL_API scratch {
public:
    scratch() noexcept {}  // leaves the memory as it is: it is written before it is read
    scratch(scratch const&) = delete;
    scratch& operator=(scratch const&) = delete;
    ~scratch() {
        if (overflow_ != nullptr) release();
    }

    /// `size` bytes, not initialised, until `clear` or the end.
    [[nodiscard]] char* allocate(std::size_t size);
    /// Gives everything back.
    void clear() noexcept {
        if (overflow_ != nullptr) release();
        used_ = 0;
    }

private:
    // From the pool of frames: what a request decodes costs no malloc in the steady state.
    struct chunk {
        chunk* next;
        std::size_t size;  // of the whole
    };
    void release() noexcept;

    static constexpr std::size_t inside_size = 116;

    chunk* overflow_ = nullptr;
    std::uint32_t used_ = 0;
    char inside_[inside_size];
};

}  // namespace rill::http::detail
