// Waiting for time.
#include "rill/rt/sleep.hpp"

namespace rill {

sleep_operation::timer::timer(sleep_operation& of) noexcept
    : timer_node([](timer_node& node) noexcept { static_cast<timer&>(node).owner.complete(); }),
      owner(of) {}

bool sleep_operation::start() noexcept {
    core& home = core::of(*waiting_chain());
    if (until_ <= home.now()) {
        complete();
    } else if (until_ != never) {
        home.timers().arm(timer_, until_);
    }
    return true;
}

void sleep_operation::cancel(cancel_reason) noexcept {
    core::of(*waiting_chain()).timers().cancel(timer_);
    outcome_ = errc::cancelled;
    complete();
}

sleep_operation ticker::next() noexcept {
    time_point const now = core::current().now();
    if (next_ < now) {
        auto const missed = (now - next_) / period_;
        next_ += missed * period_;
    }
    time_point const tick = next_;
    next_ = later(next_, period_);
    return sleep_operation(tick);
}

}  // namespace rill
