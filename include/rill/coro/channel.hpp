// channel<T>: values from coroutines that send to coroutines that receive, with a stated bound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "rill/coro/operation.hpp"
#include "rill/coro/wait_list.hpp"

namespace rill {

/// A bounded queue that senders and receivers of one core wait on, first come first served.
///
/// `send` waits while `capacity` values are buffered; with capacity 0 it waits until a receiver has
/// taken the value. `receive` gives an empty optional once the channel is closed and drained.
/// No value is lost by a cancellation: one that a receiver did not take is the next receiver's.
///
/// Core: owner core only. It outlives the waits on it; values left in it are destroyed with it.
/// Cost: the buffer is allocated at construction and nothing for a wait. It grows only where
/// several cancelled receives give back into a channel that was filled again meanwhile.
//
// A receiver that is woken has a value promised, which stays where it is until the receiver runs:
// in the buffer, or in the operation of a sender that waits. Invariants between two calls:
//   promised_ <= values_();   receivers wait only while all values are promised;
//   senders wait only while the buffer is full.
template <class T>
class channel {
    static_assert(std::is_object_v<T> && std::is_nothrow_move_constructible_v<T>,
                  "a channel moves its values through noexcept code");

public:
    /// With room for `capacity` values; 0 makes every send wait for its receiver.
    explicit channel(std::size_t capacity) : capacity_(capacity), buffer_(capacity + 1) {}
    channel(channel const&) = delete;
    channel& operator=(channel const&) = delete;
    ~channel() { RILL_ASSERT(promised_ == 0, "a channel outlives the waits on it"); }

    class send_operation;
    class receive_operation;

    /// Waits for room and puts `value` in.
    /// Errors  `closed` when the channel is, or is closed during the wait; the value is destroyed.
    /// Cancel  takes the value out again unless it was received.
    [[nodiscard]] send_operation send(T value) noexcept {
        return send_operation(*this, std::move(value));
    }
    /// Puts `value` in if that needs no wait. False when full or closed, and then `value` is as it
    /// was. With capacity 0 it succeeds when a receiver waits that has no value yet.
    [[nodiscard]] bool try_send(T&& value) noexcept {
        bool const hands_over = capacity_ == 0 && buffer_.size() == 0 && !receivers_.empty();
        if (closed_ || (buffer_.size() >= capacity_ && !hands_over)) return false;
        buffer_.push_back(std::move(value));
        settle();
        return true;
    }

    /// Waits for a value. Returns it; empty when the channel is closed and nothing is left.
    /// Cancel  a value that had been promised is the next receiver's, in its place.
    [[nodiscard]] receive_operation receive() noexcept { return receive_operation(*this); }
    /// A value if there is one that nobody was promised.
    [[nodiscard]] std::optional<T> try_receive() noexcept {
        if (!promise()) return std::nullopt;
        return take();
    }

    /// Ends it: sends fail from now on, those that wait too; what is buffered can be received.
    void close() noexcept {
        closed_ = true;
        settle();
    }
    /// True after `close`.
    [[nodiscard]] bool closed() const noexcept { return closed_; }
    /// Values in the buffer.
    [[nodiscard]] std::size_t size() const noexcept { return buffer_.size(); }
    /// How many may be.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

private:
    /// A ring of values that can be added at both ends.
    class ring {
    public:
        explicit ring(std::size_t slots)
            : slots_(slots), at_(std::allocator<T>().allocate(slots)) {}
        ring(ring const&) = delete;
        ring& operator=(ring const&) = delete;
        ~ring() {
            while (size_ != 0) static_cast<void>(pop_front());
            std::allocator<T>().deallocate(at_, slots_);
        }
        [[nodiscard]] std::size_t size() const noexcept { return size_; }
        void push_back(T&& value) noexcept {
            if (size_ == slots_) grow();
            std::construct_at(at_ + place(size_++), std::move(value));
        }
        void push_front(T&& value) noexcept {
            if (size_ == slots_) grow();
            first_ = place(slots_ - 1);
            ++size_;
            std::construct_at(at_ + first_, std::move(value));
        }
        T pop_front() noexcept {
            T* const from = at_ + first_;
            T value = std::move(*from);
            std::destroy_at(from);
            first_ = place(1);
            --size_;
            return value;
        }

    private:
        [[nodiscard]] std::size_t place(std::size_t index) const noexcept {
            std::size_t const at = first_ + index;
            return at < slots_ ? at : at - slots_;
        }
        void grow() noexcept {
            ring larger(slots_ * 2);
            while (size_ != 0) larger.push_back(pop_front());
            std::swap(slots_, larger.slots_);
            std::swap(at_, larger.at_);
            std::swap(first_, larger.first_);
            std::swap(size_, larger.size_);
        }

        std::size_t slots_;
        T* at_;
        std::size_t first_ = 0;
        std::size_t size_ = 0;
    };

    [[nodiscard]] std::size_t values() const noexcept {
        return buffer_.size() + senders_.size() + leaving_.size();
    }
    [[nodiscard]] bool some_unpromised() const noexcept { return values() > promised_; }
    /// Promises a value to a receiver; false when there is none for it.
    [[nodiscard]] bool promise() noexcept {
        if (!some_unpromised()) return false;
        ++promised_;
        return true;
    }
    /// A receiver will not take the value it was promised.
    void break_promise() noexcept {
        --promised_;
        settle();
    }
    /// The value for a receiver that was promised one.
    T take() noexcept {
        --promised_;
        T value = first();
        settle();
        return value;
    }
    T first() noexcept {
        if (buffer_.size() != 0) return buffer_.pop_front();
        send_operation& sender = senders_.empty() ? leaving_.pop_front() : senders_.pop_front();
        return sender.sent();
    }
    /// A receiver has taken a value that then nobody wanted.
    void put_back(T&& value) noexcept {
        buffer_.push_front(std::move(value));
        settle();
    }
    void settle() noexcept;

    std::size_t capacity_;
    std::size_t promised_ = 0;
    bool closed_ = false;
    ring buffer_;
    detail::wait_list<send_operation> senders_;
    detail::wait_list<send_operation> leaving_;  // cancelled, but their values are promised
    detail::wait_list<receive_operation> receivers_;
};

/// The wait of `channel::send`.
template <class T>
class [[nodiscard]] channel<T>::send_operation final : public value_operation<void>,
                                                       public detail::wait_node {
public:
    /// The wait for room in `to`.
    send_operation(channel& to, T value) noexcept : to_(to), value_(std::move(value)) {}
    [[nodiscard]] char const* name() const noexcept override { return "send"; }

private:
    friend class channel;

    bool start() noexcept override {
        if (to_.closed_) {
            set_result(errc::closed);
            return false;
        }
        if (to_.buffer_.size() < to_.capacity_) {
            to_.buffer_.push_back(std::move(value_));
            set_result({});
            to_.settle();
            return false;
        }
        to_.senders_.push_back(*this);
        to_.settle();
        return true;
    }
    void cancel(cancel_reason) noexcept override {
        to_.senders_.remove(*this);
        // Where every value is promised this one is needed until that receiver has run.
        if (to_.values() < to_.promised_) {
            to_.leaving_.push_back(*this);
        } else {
            failed_with(errc::cancelled);
        }
    }
    T sent() noexcept {
        set_result({});
        complete();
        return std::move(value_);
    }
    void failed_with(errc code) noexcept {
        set_result(code);
        complete();
    }

    channel& to_;
    T value_;
};

/// The wait of `channel::receive`.
template <class T>
class [[nodiscard]] channel<T>::receive_operation final : public operation,
                                                          public detail::wait_node {
public:
    using value_type = std::optional<T>;

    /// The wait for a value of `from`.
    explicit receive_operation(channel& from) noexcept : from_(from) {}
    ~receive_operation() { abandon(); }
    [[nodiscard]] char const* name() const noexcept override { return "receive"; }

    /// The value; empty at the end.
    std::optional<T> await_resume() noexcept {
        claim();
        state_ = state::empty;
        return std::exchange(value_, std::nullopt);
    }
    /// The same, or `cancelled`.
    [[nodiscard]] result<std::optional<T>> take_result() noexcept {
        if (state_ == state::cancelled) return errc::cancelled;
        return await_resume();
    }
    /// It does not fail.
    [[nodiscard]] bool failed() const noexcept { return false; }
    /// Takes the promised value out of the channel, so that its sender goes on. For combinators,
    /// which may hold it for a while before their own awaiter takes it.
    void claim() noexcept {
        if (state_ != state::promised) return;
        state_ = state::claimed;
        value_.emplace(from_.take());
    }
    /// Leaves the value to the next receiver. For combinators.
    void abandon() noexcept {
        auto const was = std::exchange(state_, state::empty);
        if (was == state::promised) from_.break_promise();
        if (was == state::claimed) from_.put_back(*std::exchange(value_, std::nullopt));
    }

private:
    friend class channel;
    enum class state : std::uint8_t { empty, promised, claimed, cancelled };

    bool start() noexcept override {
        if (from_.promise()) {
            state_ = state::promised;
            return false;
        }
        if (from_.closed_ && from_.values() == 0) return false;
        from_.receivers_.push_back(*this);
        return true;
    }
    void cancel(cancel_reason) noexcept override {
        from_.receivers_.remove(*this);
        state_ = state::cancelled;
        complete();
    }
    void refuse() noexcept override { state_ = state::cancelled; }
    void promised() noexcept {
        state_ = state::promised;
        complete();
    }
    void ended() noexcept { complete(); }

    channel& from_;
    state state_ = state::empty;
    std::optional<T> value_;
};

/// Restores the invariants after any change: everybody who can go on does.
template <class T>
void channel<T>::settle() noexcept {
    while (buffer_.size() < capacity_ && !senders_.empty())
        buffer_.push_back(senders_.pop_front().sent());
    while (!receivers_.empty() && promise()) receivers_.pop_front().promised();
    while (!leaving_.empty() && some_unpromised())
        leaving_.pop_front().failed_with(errc::cancelled);
    while (buffer_.size() < capacity_ && !leaving_.empty())
        buffer_.push_back(leaving_.pop_front().sent());
    if (!closed_) return;
    // Only senders whose values are promised stay, until these have been received.
    std::size_t const promised_by_senders = promised_ - std::min(promised_, buffer_.size());
    while (!senders_.empty() && senders_.size() + leaving_.size() > promised_by_senders)
        senders_.pop_back().failed_with(errc::closed);
    if (values() == 0)
        while (!receivers_.empty()) receivers_.pop_front().ended();
}

}  // namespace rill
