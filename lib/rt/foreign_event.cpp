// Entries for threads that are no cores: events and posted calls.
#include "rill/rt/foreign_event.hpp"

#include <atomic>

#include "mailbox.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/post.hpp"

namespace rill {

core_handle core_handle::current() {
    return core_handle(core::current().post_box());
}

// A copy for the time of the delivery: the core may run the message, and with it let go of the
// last handle, before `deliver` has looked whether to wake it.
bool core_handle::deliver(message& what) const noexcept {
    std::shared_ptr<mailbox> const box = box_;
    return box->deliver(what);
}

bool core_handle::reserve() const noexcept {
    return box_->reserve_post();
}

void core_handle::release() const noexcept {
    box_->release_post();
}

namespace detail {

/// What the event and its notifiers share. While its message is on the way it holds itself.
class foreign_event_state final : public message,
                                  public std::enable_shared_from_this<foreign_event_state> {
public:
    foreign_event_state(foreign_event& of, core_handle home) noexcept
        : event_(&of), home_(std::move(home)) {}

    bool notify() noexcept {
        if (closed_.load(std::memory_order_acquire)) return false;
        if (queued_.exchange(true, std::memory_order_acq_rel)) return true;
        // Who turned `queued_` alone writes this; the core has let go of it before it turned back.
        on_the_way_ = shared_from_this();
        if (home_.deliver(*this)) return true;
        closed_.store(true, std::memory_order_release);
        on_the_way_.reset();
        return false;
    }
    void close() noexcept {
        closed_.store(true, std::memory_order_release);
        event_ = nullptr;
    }

private:
    void run() noexcept override {
        std::shared_ptr<foreign_event_state> const self = std::move(on_the_way_);
        // An exchange, so that this sees what those wrote who found it on the way already.
        queued_.exchange(false, std::memory_order_acq_rel);
        if (event_ != nullptr) event_->notified();
    }

    std::atomic<bool> closed_ = false;
    std::atomic<bool> queued_ = false;
    foreign_event* event_;  // the core's own; null when the event has gone
    core_handle home_;
    std::shared_ptr<foreign_event_state> on_the_way_;
};

}  // namespace detail

event_notifier::event_notifier(std::shared_ptr<detail::foreign_event_state> state) noexcept
    : state_(std::move(state)) {}

bool event_notifier::notify() const noexcept {
    return state_->notify();
}

foreign_event::foreign_event()
    : state_(std::make_shared<detail::foreign_event_state>(*this, core_handle::current())) {}

foreign_event::~foreign_event() {
    RILL_ASSERT(waiter_ == nullptr, "a foreign_event outlives its waits");
    state_->close();
}

void foreign_event::notified() noexcept {
    if (waiter_ == nullptr) {
        set_ = true;
        return;
    }
    event_wait& waiter = *std::exchange(waiter_, nullptr);
    waiter.won_ = true;
    waiter.complete();
}

event_wait::~event_wait() {
    if (won_) event_.set_ = true;
}

bool event_wait::start() noexcept {
    RILL_ASSERT(event_.waiter_ == nullptr, "one wait for a foreign_event at a time");
    if (event_.set_) {
        event_.set_ = false;
        won_ = true;
        return false;
    }
    event_.waiter_ = this;
    return true;
}

void event_wait::cancel(cancel_reason) noexcept {
    event_.waiter_ = nullptr;
    outcome_ = errc::cancelled;
    complete();
}

}  // namespace rill
