// lazy_timer: a deadline that is set and cleared often and hardly ever passes.
#pragma once

#include "rill/base/time.hpp"
#include "rill/rt/timer_wheel.hpp"

namespace rill {

/// A deadline that costs a few instructions to set and to clear: the timer below it stays armed for
/// the earliest deadline so far, and finds out when it expires whether there still is one.
///
/// Lifetime  must be destroyed before the wheel.
/// Core      one core only.
class lazy_timer : private timer_node {
public:
    /// What runs when the deadline has passed; it is cleared then.
    using callback = void (*)(lazy_timer&) noexcept;

    /// Without a deadline.
    explicit lazy_timer(callback passed) noexcept : timer_node(&expire), passed_(passed) {}
    lazy_timer(lazy_timer const&) = delete;
    lazy_timer& operator=(lazy_timer const&) = delete;
    ~lazy_timer() {
        if (armed()) wheel_->cancel(*this);
    }

    /// Sets the deadline, in place of the one before.
    void set(timer_wheel& wheel, time_point when) noexcept {
        wanted_ = when;
        if (armed() && timer_node::when() <= when) return;
        wheel_ = &wheel;
        wheel.arm(*this, when);
    }
    /// There is no deadline any more.
    void clear() noexcept { wanted_ = never; }
    /// True from `set` until `clear` or the deadline has passed.
    [[nodiscard]] bool is_set() const noexcept { return wanted_ != never; }

private:
    static void expire(timer_node& node) noexcept {
        auto& self = static_cast<lazy_timer&>(node);
        if (self.wanted_ == never) return;
        if (self.wanted_ > self.wheel_->now()) {
            self.wheel_->arm(self, self.wanted_);
            return;
        }
        self.wanted_ = never;
        self.passed_(self);
    }

    timer_wheel* wheel_ = nullptr;
    time_point wanted_ = never;
    callback passed_;
};

}  // namespace rill
