// Frames of a fixed length.
#pragma once

#include <cstddef>
#include <system_error>

#include "rill/codec/frame_codec.hpp"

namespace rill::framing {

/// Frames of exactly `size` bytes and nothing around them.
class fixed_length {
public:
    /// At least 1 byte.
    explicit constexpr fixed_length(std::size_t size) noexcept : size_(size) {
        RILL_ASSERT(size != 0, "a frame has at least one byte");
    }

    /// See `decoder`.
    [[nodiscard]] step measure(bytes input, std::size_t) const noexcept {
        return input.size() < size_ ? step::more(size_) : step::frame(size_, 0, size_);
    }
    /// See `encoder`. Refuses a payload of another size, and a prefix.
    [[nodiscard]] std::error_code head(edge&, bytes prefix,
                                       std::size_t payload_bytes) const noexcept {
        if (!prefix.empty() || payload_bytes != size_) return not_sendable();
        return {};
    }
    /// The size itself.
    [[nodiscard]] constexpr std::size_t maximum_bytes() const noexcept { return size_; }

private:
    std::size_t size_;
};

}  // namespace rill::framing
