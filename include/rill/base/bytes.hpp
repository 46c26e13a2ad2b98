// bytes and mutable_bytes: views of memory that somebody else owns.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "rill/base/assert.hpp"

namespace rill {

namespace detail {

template <class T>
concept byte_like =
    std::same_as<std::remove_cv_t<T>, std::byte> || std::same_as<std::remove_cv_t<T>, char> ||
    std::same_as<std::remove_cv_t<T>, unsigned char>;

template <class Range>
concept byte_range = requires(Range& range) {
    { range.data() } -> std::convertible_to<void const*>;
    { range.size() } -> std::convertible_to<std::size_t>;
    requires byte_like<std::remove_pointer_t<decltype(range.data())>>;
};

}  // namespace detail

/// A view of bytes that are read. Owns nothing: the memory must outlive the view.
///
/// Anything contiguous converts: string literals (without their NUL), strings, string views, spans
/// and vectors of `std::byte`, `char` or `unsigned char`.
class bytes {
public:
    constexpr bytes() noexcept = default;
    /// `size` bytes from `data` on.
    constexpr bytes(std::byte const* data, std::size_t size) noexcept : data_(data), size_(size) {}
    /// The text up to its NUL, without it.
    bytes(char const* text) noexcept : bytes(std::string_view(text)) {}
    /// All bytes of a contiguous range.
    template <class Range>
        requires(detail::byte_range<Range const> && !std::same_as<Range, bytes>)
    bytes(Range const& range) noexcept
        : data_(reinterpret_cast<std::byte const*>(range.data())), size_(range.size()) {}

    /// The first byte; unspecified when empty.
    [[nodiscard]] constexpr std::byte const* data() const noexcept { return data_; }
    /// How many bytes the view holds.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    /// True when it holds none.
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
    /// The first byte, for a range-based for.
    [[nodiscard]] constexpr std::byte const* begin() const noexcept { return data_; }
    /// One past the last byte.
    [[nodiscard]] constexpr std::byte const* end() const noexcept { return data_ + size_; }
    /// The byte at `index`; asserts that there is one.
    [[nodiscard]] std::byte operator[](std::size_t index) const noexcept {
        RILL_ASSERT(index < size_, "stay inside the view");
        return data_[index];
    }

    /// The same memory as text; no check of its encoding.
    [[nodiscard]] std::string_view text() const noexcept {
        return {reinterpret_cast<char const*>(data_), size_};
    }
    /// The first `count` bytes, or all when there are fewer.
    [[nodiscard]] bytes first(std::size_t count) const noexcept {
        return {data_, count < size_ ? count : size_};
    }
    /// Without the first `count` bytes; empty when there are no more.
    [[nodiscard]] bytes without_first(std::size_t count) const noexcept {
        std::size_t const skip = count < size_ ? count : size_;
        return {data_ + skip, size_ - skip};
    }

    friend bool operator==(bytes left, bytes right) noexcept { return left.text() == right.text(); }

private:
    std::byte const* data_ = nullptr;
    std::size_t size_ = 0;
};

/// A view of memory that is written. Owns nothing: the memory must outlive the view.
class mutable_bytes {
public:
    constexpr mutable_bytes() noexcept = default;
    /// `size` bytes from `data` on.
    constexpr mutable_bytes(std::byte* data, std::size_t size) noexcept
        : data_(data), size_(size) {}
    /// `size` bytes from `data` on.
    mutable_bytes(void* data, std::size_t size) noexcept
        : data_(static_cast<std::byte*>(data)), size_(size) {}
    /// All bytes of a contiguous range that is not const.
    template <class Range>
        requires(detail::byte_range<Range> &&
                 !std::same_as<std::remove_cv_t<Range>, mutable_bytes> &&
                 !std::is_const_v<std::remove_pointer_t<decltype(std::declval<Range&>().data())>>)
    mutable_bytes(Range& range) noexcept
        : data_(reinterpret_cast<std::byte*>(range.data())), size_(range.size()) {}

    /// The first byte; unspecified when empty.
    [[nodiscard]] constexpr std::byte* data() const noexcept { return data_; }
    /// How many bytes the view holds.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    /// True when it holds none.
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
    /// The first `count` bytes, or all when there are fewer.
    [[nodiscard]] mutable_bytes first(std::size_t count) const noexcept {
        return {data_, count < size_ ? count : size_};
    }
    /// Without the first `count` bytes; empty when there are no more.
    [[nodiscard]] mutable_bytes without_first(std::size_t count) const noexcept {
        std::size_t const skip = count < size_ ? count : size_;
        return {data_ + skip, size_ - skip};
    }

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Copies as much of `from` as `into` can hold; returns how many bytes.
inline std::size_t copy_bytes(mutable_bytes into, bytes from) noexcept {
    std::size_t const count = into.size() < from.size() ? into.size() : from.size();
    if (count != 0) std::memcpy(into.data(), from.data(), count);
    return count;
}

}  // namespace rill
