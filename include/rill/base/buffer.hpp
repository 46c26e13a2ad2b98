// buffer: an owned, growable queue of bytes with a stated bound. Outputs are collected in it and
// inputs are gathered in it; hot paths are inline, growth is not.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "rill/base/assert.hpp"
#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"

namespace rill {

/// A queue of bytes in one piece: appended at the end, consumed from the front.
///
/// It never holds more than `maximum()` bytes: what would pass the bound is refused as a whole and
/// leaves the buffer as it was. New storage is not zeroed. Storage grows geometrically, to a
/// quarter above the bound at most (the quarter keeps a full queue that moves on byte by byte at a
/// constant cost per byte), and stays until `release` or `shrink`.
///
/// Errors    running out of memory throws `std::bad_alloc` and changes nothing.
/// Lifetime  views and prepared room die at the next call that is not const.
class RILL_API buffer {
public:
    /// No bound but the address space.
    static constexpr std::size_t unbounded = SIZE_MAX / 4;

    /// An empty buffer without storage that will hold at most `maximum` bytes.
    explicit buffer(std::size_t maximum = unbounded) noexcept
        : maximum_(maximum < unbounded ? maximum : unbounded) {}
    /// Takes the bytes and storage over; `other` is empty afterwards and keeps its bound.
    buffer(buffer&& other) noexcept
        : storage_(std::exchange(other.storage_, nullptr)),
          begin_(std::exchange(other.begin_, 0)),
          end_(std::exchange(other.end_, 0)),
          limit_(std::exchange(other.limit_, 0)),
          capacity_(std::exchange(other.capacity_, 0)),
          maximum_(other.maximum_) {}
    /// Takes bytes, storage and bound over; `other` is empty afterwards and keeps its bound.
    buffer& operator=(buffer&& other) noexcept;
    ~buffer() { free_storage(); }

    /// How many bytes are queued.
    [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
    /// True when nothing is queued.
    [[nodiscard]] bool empty() const noexcept { return end_ == begin_; }
    /// How many bytes may be queued.
    [[nodiscard]] std::size_t maximum() const noexcept { return maximum_; }
    /// Changes the bound, to no less than what is queued; storage stays as it is. For storage that
    /// serves one purpose after another.
    void set_maximum(std::size_t maximum) noexcept {
        RILL_ASSERT(maximum >= size(), "a bound holds for what is queued already");
        maximum_ = maximum < unbounded ? maximum : unbounded;
        update_limit();
    }
    /// How many more bytes may be queued before the bound is met.
    [[nodiscard]] std::size_t remaining() const noexcept { return maximum_ - size(); }
    /// How many bytes of memory the buffer holds, used or not.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    /// All queued bytes, oldest first.
    [[nodiscard]] bytes view() const noexcept { return {storage_ + begin_, size()}; }
    /// All queued bytes, oldest first, to be changed in place (masked, decrypted).
    [[nodiscard]] mutable_bytes mutable_view() noexcept { return {storage_ + begin_, size()}; }

    /// Copies `what` to the end; false, and nothing appended, when the bound would be passed.
    /// `what` may not lie in this buffer.
    [[nodiscard]] bool append(bytes what) {
        if (what.size() > limit_ - end_) [[unlikely]] {
            if (!make_room_for(what)) return false;
        }
        if (!what.empty()) std::memcpy(storage_ + end_, what.data(), what.size());
        end_ += what.size();
        return true;
    }
    /// Appends one character; false when the bound is met.
    [[nodiscard]] bool append(char what) {
        if (end_ == limit_) [[unlikely]] {
            if (!make_room(1)) return false;
        }
        storage_[end_++] = static_cast<std::byte>(what);
        return true;
    }
    /// Appends `value` in decimal, without leading zeros; false when the bound would be passed.
    [[nodiscard]] bool append_decimal(std::uint64_t value) { return append_number(value, 10); }
    /// Appends `value` in lower-case hexadecimal, without prefix or leading zeros; false when the
    /// bound would be passed.
    [[nodiscard]] bool append_hex(std::uint64_t value) { return append_number(value, 16); }

    /// Room behind the queued bytes, to be filled by the caller and then counted by `commit`.
    ///
    /// Returns   all the room there is, at least `count` bytes; less than `count` (none at all)
    ///           only when the bound would be passed.
    [[nodiscard]] mutable_bytes prepare(std::size_t count) {
        if (count > limit_ - end_) [[unlikely]] {
            if (!make_room(count)) return {};
        }
        return {storage_ + end_, limit_ - end_};
    }
    /// Counts the first `count` bytes of the prepared room as queued.
    void commit(std::size_t count) noexcept {
        RILL_ASSERT(count <= limit_ - end_, "commit no more than was prepared");
        end_ += count;
    }

    /// Drops the oldest `count` bytes.
    void consume(std::size_t count) noexcept {
        RILL_ASSERT(count <= size(), "consume no more than is queued");
        begin_ += count;
        if (begin_ == end_) begin_ = end_ = 0;
        update_limit();
    }
    /// Drops the newest bytes so that `count` are left: undoes an append.
    void truncate(std::size_t count) noexcept {
        RILL_ASSERT(count <= size(), "truncate to no more than is queued");
        end_ = begin_ + count;
    }
    /// Drops all bytes and keeps the storage.
    void clear() noexcept {
        begin_ = end_ = 0;
        update_limit();
    }
    /// Drops all bytes and gives the storage back.
    void release() noexcept {
        free_storage();
        storage_ = nullptr;
        begin_ = end_ = limit_ = capacity_ = 0;
    }
    /// Gives the storage back when the buffer is empty and holds more than `keep` bytes of memory:
    /// call it when the owner goes idle.
    void shrink(std::size_t keep = 0) noexcept {
        if (empty() && capacity_ > keep) release();
    }

private:
    // The most digits that a number takes: 20 decimal, 16 hexadecimal.
    static constexpr std::size_t digits = 20;

    bool append_number(std::uint64_t value, int base) {
        if (limit_ - end_ >= digits) [[likely]] {
            char* const into = reinterpret_cast<char*>(storage_ + end_);
            end_ += static_cast<std::size_t>(std::to_chars(into, into + digits, value, base).ptr -
                                             into);
            return true;
        }
        char text[digits];
        char* const last = std::to_chars(text, text + digits, value, base).ptr;
        return append(
            bytes(reinterpret_cast<std::byte const*>(text), static_cast<std::size_t>(last - text)));
    }
    void update_limit() noexcept {
        std::size_t const bound = begin_ + maximum_;
        limit_ = bound < capacity_ ? bound : capacity_;
    }
    // Moves or grows so that `count` bytes fit behind end_; false when the bound forbids it.
    bool make_room(std::size_t count);
    bool make_room_for(bytes what);
    void free_storage() noexcept;

    // begin_ <= end_ <= limit_ == min(begin_ + maximum_, capacity_), so that one comparison with
    // limit_ checks both the bound and the storage.
    std::byte* storage_ = nullptr;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t limit_ = 0;
    std::size_t capacity_ = 0;
    std::size_t maximum_;
};

}  // namespace rill
