// timer_wheel: the timers of one core. A hierarchical timing wheel (Varghese and Lauck, 1987) whose
// finest tick is the clock's own nanosecond, so that a timer is neither early nor late.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "rill/base/assert.hpp"
#include "rill/base/export.hpp"
#include "rill/base/time.hpp"

namespace rill {

class timer_wheel;

namespace detail {

// One end of a doubly linked ring. A slot of the wheel is a link that is its own neighbour when
// the slot is empty.
struct timer_link {
    timer_link* next_ = nullptr;
    timer_link* prev_ = nullptr;
};

}  // namespace detail

/// A timer that lives inside whatever waits for it. Arming it allocates nothing.
///
/// Lifetime  must stay where it is while armed; destroying an armed node is a bug.
class timer_node : private detail::timer_link {
public:
    /// What runs when the time has come. The node is no longer armed then: the callback may arm it
    /// again or destroy it.
    using callback = void (*)(timer_node&) noexcept;

    /// A node that is not armed.
    explicit timer_node(callback expired) noexcept : expired_(expired) {}
    timer_node(timer_node const&) = delete;
    timer_node& operator=(timer_node const&) = delete;
    ~timer_node() { RILL_ASSERT(!armed(), "cancel a timer before you destroy it"); }

    /// True from `arm` until it is cancelled or expires.
    [[nodiscard]] bool armed() const noexcept { return next_ != nullptr; }
    /// When it expires or has expired: the time given to the last `arm`, or the wheel's time then
    /// if that had passed; `never` if there was none.
    [[nodiscard]] time_point when() const noexcept { return when_; }

private:
    friend class timer_wheel;

    time_point when_ = never;
    callback expired_;
};

static_assert(sizeof(timer_node) == 32, "every connection holds timer nodes");

/// The armed timers of one core, soonest first.
///
/// `arm` and `cancel` are a few dozen instructions, whatever the number of timers; nothing is ever
/// allocated. `advance(now)` expires exactly the timers whose time is `now` or earlier: never one
/// early, and none late as long as the caller comes back at `next()`.
///
/// How it works. The 63 bits of a time are eleven digits of six bits, and each level of the wheel
/// has one slot per value of its digit. A timer is in the level of the highest digit in which it
/// differs from `position_`, in the slot of that digit. When the position reaches a slot, the
/// slot's timers move to lower levels, at most ten times in a timer's life, and a slot of level 0
/// holds timers of one and the same nanosecond. Most deadlines are cancelled long before and never
/// move.
///
/// Core      one core only, no locks.
class RILL_API timer_wheel {
public:
    /// An empty wheel whose time is `now`, which may not be negative.
    explicit timer_wheel(time_point now) noexcept;
    timer_wheel(timer_wheel const&) = delete;
    timer_wheel& operator=(timer_wheel const&) = delete;
    /// All timers must have been cancelled or have expired.
    ~timer_wheel() { RILL_ASSERT(empty(), "a wheel must outlive its armed timers"); }

    /// Lets `node` expire at `when`, instead of the time it was armed for before, if any.
    ///
    /// A time that has passed counts as the present one, the time of the last `advance`; `never`
    /// only cancels. Among timers of the same time the one armed first expires first.
    void arm(timer_node& node, time_point when) noexcept {
        if (node.armed()) cancel(node);
        node.when_ = when;
        if (when <= now_) [[unlikely]]
            return arm_passed(node);
        if (when == never) return;
        insert(node);
        ++size_;
        if (ticks(when) < bound_) bound_ = ticks(when);
    }

    /// Takes `node` out of the wheel; nothing happens if it is not armed.
    void cancel(timer_node& node) noexcept {
        if (!node.armed()) return;
        unlink(node);
        --size_;
    }

    /// A time that is not after the earliest deadline; `never` if nothing is armed.
    ///
    /// It is the deadline itself, or, after a cancellation or when many timers share the earliest
    /// slot, a time before it; advancing to it then brings a later answer, so a loop that waits
    /// for `next()` never spins.
    [[nodiscard]] time_point next() const noexcept {
        return size_ == 0 ? never : from_ticks(bound_);
    }

    /// Makes `now` the wheel's time and runs the callback of every timer that is due, in the order
    /// of their times. A `now` before the wheel's time changes nothing.
    ///
    /// Callbacks may arm and cancel any node, also those that are due at the same time. A timer
    /// that a callback arms for `now` or before is due at the next call, so that every call ends.
    ///
    /// Returns   how many timers have expired.
    std::size_t advance(time_point now) noexcept {
        if (now < now_) return 0;
        now_ = now;
        if (ticks(now) < bound_) [[likely]]
            return 0;
        return expire_due();
    }

    /// The time of the last `advance`.
    [[nodiscard]] time_point now() const noexcept { return now_; }
    /// How many timers are armed.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// True when no timer is armed.
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

private:
    using link = detail::timer_link;

    static constexpr unsigned digit_bits = 6;
    static constexpr std::size_t slots_per_level = std::size_t{1} << digit_bits;
    static constexpr std::size_t levels = (63 + digit_bits - 1) / digit_bits;
    // Behind the levels' slots: the timers that callbacks arm for a time that has passed.
    static constexpr std::size_t passed = levels * slots_per_level;

    static std::uint64_t ticks(time_point when) noexcept {
        return static_cast<std::uint64_t>(when.time_since_epoch().count());
    }
    static time_point from_ticks(std::uint64_t at) noexcept {
        return time_point(duration(static_cast<duration::rep>(at)));
    }
    static timer_node& node_of(link& where) noexcept { return static_cast<timer_node&>(where); }
    static unsigned level_of(std::uint64_t difference) noexcept {
        return (static_cast<unsigned>(std::bit_width(difference | 1)) - 1) / digit_bits;
    }

    void insert(timer_node& node) noexcept {
        std::uint64_t const at = ticks(node.when_);
        unsigned const level = level_of(at ^ position_);
        std::size_t const digit = (at >> (level * digit_bits)) % slots_per_level;
        occupied_[level] |= std::uint64_t{1} << digit;
        append(slots_[level * slots_per_level + digit], node);
    }
    static void append(link& slot, link& node) noexcept {
        node.prev_ = slot.prev_;
        node.next_ = &slot;
        slot.prev_->next_ = &node;
        slot.prev_ = &node;
    }
    void unlink(timer_node& node) noexcept {
        link* const next = node.next_;
        link* const prev = node.prev_;
        prev->next_ = next;
        next->prev_ = prev;
        node.next_ = nullptr;
        // The last one of a slot: both neighbours are the slot itself, which tells its bit.
        if (next == prev) clear_bit(static_cast<std::size_t>(next - slots_));
    }
    void clear_bit(std::size_t slot) noexcept {
        occupied_[slot / slots_per_level] &= ~(std::uint64_t{1} << (slot % slots_per_level));
    }

    struct slot_place {
        std::size_t slot;  // index in slots_
        unsigned level;
        std::uint64_t start;  // the first time that belongs to it
    };
    void arm_passed(timer_node& node) noexcept;
    slot_place earliest_slot() const noexcept;
    std::size_t expire_due() noexcept;
    std::size_t expire_slot(link& slot) noexcept;
    void move_down(std::size_t slot) noexcept;
    void insert_all(link& from) noexcept;
    std::uint64_t earliest_bound() const noexcept;

    // No timer is due before position_, position_ <= now_ and, outside of expire_due, every
    // occupied slot above level 0 starts after position_. bound_ is not after any armed timer.
    time_point now_;
    std::uint64_t position_;
    std::uint64_t bound_ = UINT64_MAX;
    std::size_t size_ = 0;
    bool advancing_ = false;
    // A bit per slot that is not empty; the last word belongs to the passed slot.
    std::uint64_t occupied_[levels + 1] = {};
    link slots_[passed + 1];
};

}  // namespace rill
