// Load shedding by queue delay: which requests have waited for so long that they are refused.
// After the standing queue of CoDel (RFC 8289 section 3.2).
#pragma once

#include "rill/base/time.hpp"

namespace rill::http {

/// Tells from how long each request has waited whether its core has more to do than it can.
///
/// A queue that comes and goes is a burst, and is served. One in which, for a whole interval, no
/// request has waited for less than the target is a standing one: it will not go away, and all that
/// it does is to make everybody late. From then on who has waited for longer than the target is
/// refused, which costs little, and so those behind him wait for less: of open-loop clients just so
/// many get in as can be served within the target. That ends after an interval in which nobody
/// had to be refused.
///
/// CoDel itself drops ever more often until senders slow down. Clients of a server do not, or not
/// for one refusal, so here there is no such law: at the head of the queue each is judged by its
/// own wait.
class queue_delay {
public:
    /// Both positive.
    queue_delay(duration target, duration interval) noexcept
        : target_(target), interval_(interval) {}

    /// A request is about to be served, at `now`, for which it has waited for `waited`. True when
    /// it is to be refused.
    [[nodiscard]] bool refuses(duration waited, time_point now) noexcept {
        if (waited <= target_) {
            late_since_ = never;
            return false;
        }
        if (now >= refuses_until_) {
            if (late_since_ == never) late_since_ = now;
            if (now - late_since_ < interval_) return false;
            late_since_ = never;
        }
        refuses_until_ = now + interval_;
        return true;
    }

private:
    duration target_;
    duration interval_;
    time_point late_since_ = never;  // since when no request was in time
    time_point refuses_until_ = time_point::min();
};

}  // namespace rill::http
