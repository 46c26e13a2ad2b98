// The slow half of timer_wheel: finding the earliest slot, moving timers down, expiring them.
#include "rill/rt/timer_wheel.hpp"

#include <algorithm>

namespace rill {

namespace {

// How many timers of the earliest slot are looked at for the exact deadline. A slot with more of
// them is worth waking up for at its start.
constexpr int looked_at = 16;

}  // namespace

timer_wheel::timer_wheel(time_point now) noexcept : now_(now), position_(ticks(now)) {
    RILL_ASSERT(now.time_since_epoch().count() >= 0, "monotonic clocks count from zero up");
    for (link& slot : slots_) slot.next_ = slot.prev_ = &slot;
}

// All slots of a level come before all slots of the next one, and no occupied slot lies behind
// position_: the first bit of the first level that has one is the earliest.
timer_wheel::slot_place timer_wheel::earliest_slot() const noexcept {
    for (unsigned level = 0; level < levels; ++level) {
        if (occupied_[level] == 0) continue;
        auto const digit = static_cast<unsigned>(std::countr_zero(occupied_[level]));
        unsigned const shift = level * digit_bits;
        std::uint64_t const above = position_ >> shift >> digit_bits << digit_bits;
        return {level * slots_per_level + digit, level, (above | digit) << shift};
    }
    return {passed, levels, UINT64_MAX};
}

void timer_wheel::arm_passed(timer_node& node) noexcept {
    node.when_ = now_;
    if (advancing_) {
        append(slots_[passed], node);
    } else {
        insert(node);
        bound_ = std::min(bound_, ticks(now_));
    }
    ++size_;
}

std::size_t timer_wheel::expire_due() noexcept {
    RILL_ASSERT(!advancing_, "do not advance a wheel from a timer's callback");
    advancing_ = true;
    std::uint64_t const now = ticks(now_);
    std::size_t count = 0;
    for (;;) {
        slot_place const place = earliest_slot();
        if (place.start > now) break;
        if (place.level == 0) {
            position_ = place.start;
            count += expire_slot(slots_[place.slot]);
        } else {
            move_down(place.slot);
        }
    }
    advancing_ = false;
    // No occupied slot starts at now or before, so that each keeps its level seen from there.
    position_ = now;
    insert_all(slots_[passed]);
    bound_ = earliest_bound();
    return count;
}

// What callbacks arm meanwhile is later than now or goes to the passed slot: never to this one.
std::size_t timer_wheel::expire_slot(link& slot) noexcept {
    std::size_t count = 0;
    while (slot.next_ != &slot) {
        timer_node& node = node_of(*slot.next_);
        unlink(node);
        --size_;
        ++count;
        node.expired_(node);
    }
    return count;
}

// Moves the timers of the earliest slot to lower levels. The position goes straight to the first of
// them, or to the present: no other timer is before it, and each call leaves a timer that can
// expire or nothing that is due.
void timer_wheel::move_down(std::size_t slot) noexcept {
    link& from = slots_[slot];
    time_point first = now_;
    for (link* at = from.next_; at != &from; at = at->next_) {
        first = std::min(first, node_of(*at).when_);
    }
    position_ = ticks(first);
    clear_bit(slot);
    insert_all(from);
}

void timer_wheel::insert_all(link& from) noexcept {
    link* at = from.next_;
    from.next_ = from.prev_ = &from;
    while (at != &from) {
        timer_node& node = node_of(*at);
        at = at->next_;
        insert(node);
    }
}

std::uint64_t timer_wheel::earliest_bound() const noexcept {
    slot_place const place = earliest_slot();
    RILL_ASSERT((place.level == levels) == empty(), "each armed timer must be in an occupied slot");
    if (place.level == 0 || place.level == levels) return place.start;
    link const& slot = slots_[place.slot];
    time_point first = never;
    int looked = 0;
    for (link const* at = slot.next_; at != &slot; at = at->next_) {
        if (++looked > looked_at) return place.start;
        first = std::min(first, static_cast<timer_node const&>(*at).when_);
    }
    return ticks(first);
}

}  // namespace rill
