// lease: received bytes in a buffer of the core, on loan.
#pragma once

#include <cstdint>
#include <utility>

#include "rill/base/bytes.hpp"

namespace rill {

/// Where leased buffers come from and go back to.
class buffer_source {
public:
    /// Takes buffer `index` back.
    virtual void give_back(std::uint32_t index) noexcept = 0;

protected:
    ~buffer_source() = default;
};

/// Bytes that a peer sent, in a buffer that the kernel filled; no copy was made.
///
/// Move-only. The buffer goes back to its core when the lease ends, so never hold one across a wait
/// that the peer controls: copy what you need to keep. Empty only at the end of the stream.
///
/// Core: the core that received it.
class lease {
public:
    /// The empty lease: the end of the stream.
    lease() noexcept = default;
    /// For the stream that received: `view` in buffer `index` of `source`.
    /// For streams: `view` in buffer `index` of `source`.
    lease(buffer_source& source, std::uint32_t index, mutable_bytes view) noexcept
        : source_(&source), data_(view.data()), size_(view.size()), index_(index) {}
    lease(lease&& other) noexcept
        : source_(std::exchange(other.source_, nullptr)),
          data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          index_(other.index_) {}
    lease& operator=(lease&& other) noexcept {
        if (this != &other) {
            reset();
            source_ = std::exchange(other.source_, nullptr);
            data_ = std::exchange(other.data_, nullptr);
            size_ = std::exchange(other.size_, 0);
            index_ = other.index_;
        }
        return *this;
    }
    ~lease() { reset(); }

    /// True when there are bytes; false at the end of the stream.
    [[nodiscard]] explicit operator bool() const noexcept { return size_ != 0; }
    /// The bytes; they die with the lease.
    [[nodiscard]] bytes operator*() const noexcept { return view(); }
    /// The bytes; they die with the lease.
    /// The same.
    [[nodiscard]] bytes view() const noexcept { return {data_, size_}; }
    /// The bytes; they die with the lease.
    /// The same.
    operator bytes() const noexcept { return view(); }
    /// The bytes, to be changed in place: nobody else reads them.
    [[nodiscard]] mutable_bytes writable() noexcept { return {data_, size_}; }
    /// How many bytes.
    /// How many bytes.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Drops the first `count` bytes from the view.
    void consume(std::size_t count) noexcept {
        RILL_ASSERT(count <= size_, "consume no more than the lease holds");
        data_ += count;
        size_ -= count;
    }
    /// Gives the buffer back now.
    void reset() noexcept {
        if (auto* const source = std::exchange(source_, nullptr)) source->give_back(index_);
        data_ = nullptr;
        size_ = 0;
    }

    /// For the stream that made it: where the bytes lie, to be put back into the queue.
    [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
    /// For the stream that made it: the buffer is the stream's again and not given back.
    [[nodiscard]] mutable_bytes detach() noexcept {
        source_ = nullptr;
        return {std::exchange(data_, nullptr), std::exchange(size_, 0)};
    }

private:
    buffer_source* source_ = nullptr;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::uint32_t index_ = 0;
};

}  // namespace rill
