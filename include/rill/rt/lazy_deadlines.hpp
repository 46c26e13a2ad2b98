// lazy_deadlines: deadlines that are set and cleared often and hardly ever pass.
#pragma once

#include <cstddef>

#include "rill/base/time.hpp"
#include "rill/rt/timer_wheel.hpp"

namespace rill {

/// Some deadlines over one timer, for a class that inherits this and has a function
/// `deadline_passed(which)`. One costs a few instructions to set and to clear: the timer stays
/// armed for the earliest so far, and finds out when it expires what there still is.
///
/// Lifetime  must be destroyed before the wheel.
/// Core      one core only.
template <class Owner, std::size_t Count>
class lazy_deadlines : private timer_node {
protected:
    /// Without a deadline.
    lazy_deadlines() noexcept : timer_node(&expire) {
        for (time_point& each : wanted_) each = never;
    }
    lazy_deadlines(lazy_deadlines const&) = delete;
    lazy_deadlines& operator=(lazy_deadlines const&) = delete;
    ~lazy_deadlines() {
        if (armed()) wheel_->cancel(*this);
    }

    /// Sets a deadline, in place of the one before.
    void set_deadline(std::size_t which, timer_wheel& wheel, time_point when) noexcept {
        wanted_[which] = when;
        if (armed() && timer_node::when() <= when) return;
        wheel_ = &wheel;
        wheel.arm(*this, when);
    }
    /// There is no such deadline any more.
    void clear_deadline(std::size_t which) noexcept { wanted_[which] = never; }
    /// True from `set_deadline` until it is cleared or has passed.
    [[nodiscard]] bool has_deadline(std::size_t which) const noexcept {
        return wanted_[which] != never;
    }

private:
    static void expire(timer_node& node) noexcept {
        auto& self = static_cast<lazy_deadlines&>(node);
        bool passed[Count] = {};
        time_point next = never;
        for (std::size_t which = 0; which < Count; ++which) {
            time_point& wanted = self.wanted_[which];
            passed[which] = wanted != never && wanted <= self.wheel_->now();
            if (passed[which]) wanted = never;
            if (wanted < next) next = wanted;
        }
        self.wheel_->arm(self, next);
        for (std::size_t which = 0; which < Count; ++which) {
            if (passed[which]) static_cast<Owner&>(self).deadline_passed(which);
        }
    }

    timer_wheel* wheel_ = nullptr;
    time_point wanted_[Count];
};

}  // namespace rill
