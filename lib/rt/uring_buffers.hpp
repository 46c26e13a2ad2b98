// A set of receive buffers that the kernel fills: the buffers, and the ring by which it gets them.
#pragma once

#include <liburing.h>

#include <cstdint>

#include "receive_buffers.hpp"

namespace rill {

/// Receive buffers of one size, registered with a ring under a group number.
class uring_buffers final : private receive_buffers::provider {
public:
    /// Nothing is registered yet.
    uring_buffers(std::uint32_t count, std::uint32_t copies, std::uint32_t bytes_each);
    uring_buffers(uring_buffers const&) = delete;
    uring_buffers& operator=(uring_buffers const&) = delete;
    /// The ring must have gone: the kernel reads the names of the buffers until then.
    ~uring_buffers();

    /// Registers with the ring. Returns 0 or an errno.
    [[nodiscard]] int attach(io_uring& to, std::uint16_t group) noexcept;
    /// Buffers that come back stay here.
    void detach() noexcept { buffers_.detach(); }

    [[nodiscard]] receive_buffers& buffers() noexcept { return buffers_; }

private:
    void provide(std::uint32_t index) noexcept override {
        io_uring_buf_ring_add(names_, buffers_.block(index), buffers_.bytes_each(),
                              static_cast<std::uint16_t>(index), mask_, 0);
        io_uring_buf_ring_advance(names_, 1);
    }

    receive_buffers buffers_;
    io_uring_buf_ring* names_ = nullptr;
    std::size_t bytes_ = 0;
    int mask_ = 0;
};

}  // namespace rill
