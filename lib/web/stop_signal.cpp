// How a server's cores are told to stop.
#include "web/stop_signal.hpp"

namespace rill::web {

stop_signal::waiter::waiter(stop_signal& of)
    : of_(of), notice_(std::make_shared<notice>()), box_(core::current().post_box()) {
    std::lock_guard const lock(of.mutex_);
    of.waiters_.push_back(this);
    if (of.grace() != duration::max()) notice_->changed.set();
}

stop_signal::waiter::~waiter() {
    std::lock_guard const lock(of_.mutex_);
    of_.waiters_.remove(this);
}

void stop_signal::tell(waiter& who) noexcept {
    auto& notice = *who.notice_;
    if (notice.sent.exchange(true)) return;
    notice.self = who.notice_;
    if (!who.box_->deliver(notice)) notice.self.reset();
}

void stop_signal::request(duration grace) noexcept {
    duration::rep before = grace_.load(std::memory_order_acquire);
    while (grace.count() < before) {
        if (grace_.compare_exchange_weak(before, grace.count(), std::memory_order_acq_rel)) break;
    }
    std::lock_guard const lock(mutex_);
    for (waiter* const each : waiters_) tell(*each);
}

}  // namespace rill::web
