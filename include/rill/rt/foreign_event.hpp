// foreign_event: a custom event that any thread notifies and one core awaits.
#pragma once

#include <memory>

#include "rill/coro/operation.hpp"

namespace rill {

class foreign_event;

namespace detail {

class foreign_event_state;

}  // namespace detail

/// The side of a `foreign_event` for other threads: copyable, usable from any thread and at any
/// time, also when the event and its core have gone.
class RILL_API event_notifier {
public:
    /// Notifies the event. Notifications that come before the wait has seen the first count as one.
    ///
    /// Returns  false, and does nothing, when the event or its core has gone.
    /// Cost     nothing is allocated; a write to an eventfd where the core sleeps.
    bool notify() const noexcept;

private:
    friend class foreign_event;
    explicit event_notifier(std::shared_ptr<detail::foreign_event_state> state) noexcept;

    std::shared_ptr<detail::foreign_event_state> state_;
};

/// The wait of `foreign_event`.
class [[nodiscard]] RILL_API event_wait final : public operation {
public:
    using value_type = void;

    /// A wait for `event`.
    explicit event_wait(foreign_event& event) noexcept : event_(event) {}
    ~event_wait();

    /// Takes the notification.
    void await_resume() noexcept { won_ = false; }
    /// Never: there is no error.
    [[nodiscard]] bool failed() const noexcept { return false; }
    /// The notification, or `errc::cancelled`.
    [[nodiscard]] result<void> take_result() noexcept {
        won_ = false;
        return outcome_;
    }
    /// "event".
    [[nodiscard]] char const* name() const noexcept override { return "event"; }

private:
    friend class foreign_event;
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    void refuse() noexcept override { outcome_ = errc::cancelled; }

    foreign_event& event_;
    result<void> outcome_;
    bool won_ = false;  // goes back to the event where nobody takes it
};

/// An event that threads which are no cores set: a device, a library with threads of its own.
///
///     foreign_event ready;
///     start_device([notifier = ready.notifier()] { notifier.notify(); });
///     for (;;) { co_await ready.wait(); ... }
///
/// Core  made, awaited and destroyed on one core; one wait at a time. `notifier` from that core.
class RILL_API foreign_event {
public:
    /// An event of this core, not set.
    foreign_event();
    foreign_event(foreign_event const&) = delete;
    foreign_event& operator=(foreign_event const&) = delete;
    /// Nobody may wait for it any more; notifiers may live on.
    ~foreign_event();

    /// What other threads notify it with.
    [[nodiscard]] event_notifier notifier() const noexcept { return event_notifier(state_); }
    /// Waits until it is notified, or takes the notification that came before.
    /// Cancel: ends at once; no notification is lost.
    [[nodiscard]] event_wait wait() noexcept { return event_wait(*this); }

private:
    friend class event_wait;
    friend class detail::foreign_event_state;
    void notified() noexcept;

    std::shared_ptr<detail::foreign_event_state> state_;
    event_wait* waiter_ = nullptr;
    bool set_ = false;
};

}  // namespace rill
