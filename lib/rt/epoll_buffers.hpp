// A set of receive buffers, and which of them the epoll driver may fill.
#pragma once

#include <cstdint>
#include <vector>

#include "receive_buffers.hpp"
#include "rill/base/bytes.hpp"

namespace rill {

/// The buffers of one size. The one that came back last is filled next: its memory is in the cache.
class epoll_buffers final : private receive_buffers::provider {
public:
    epoll_buffers(std::uint32_t count, std::uint32_t copies, std::uint32_t bytes_each)
        : buffers_(count, copies, bytes_each) {
        free_.reserve(count);
        buffers_.attach(*this);
    }
    ~epoll_buffers() { buffers_.detach(); }
    epoll_buffers(epoll_buffers const&) = delete;
    epoll_buffers& operator=(epoll_buffers const&) = delete;

    [[nodiscard]] receive_buffers& buffers() noexcept { return buffers_; }
    [[nodiscard]] bool empty() const noexcept { return free_.empty(); }
    /// The next one to be filled. Not taken yet: a call that brings nothing needs none.
    [[nodiscard]] std::uint32_t next() const noexcept { return free_.back(); }
    [[nodiscard]] mutable_bytes memory() noexcept {
        return {buffers_.block(free_.back()), buffers_.bytes_each()};
    }
    /// The next one was filled and goes to the receiver.
    void take() noexcept { free_.pop_back(); }

private:
    void provide(std::uint32_t index) noexcept override { free_.push_back(index); }

    receive_buffers buffers_;
    std::vector<std::uint32_t> free_;
};

}  // namespace rill
