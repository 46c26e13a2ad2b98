// Waiting for time: sleep, periodic ticks, and deadlines on anything that can be awaited.
#pragma once

#include <optional>
#include <utility>

#include "rill/base/time.hpp"
#include "rill/coro/child.hpp"
#include "rill/rt/core.hpp"

namespace rill {

/// The wait of `sleep_until`.
class [[nodiscard]] RILL_API sleep_operation final : public operation {
public:
    using value_type = void;

    /// A wait until `until`.
    explicit sleep_operation(time_point until) noexcept : until_(until), timer_(*this) {}
    void await_resume() const noexcept {}
    /// Never: there is no error.
    [[nodiscard]] bool failed() const noexcept { return false; }
    /// Nothing, or `errc::cancelled`.
    [[nodiscard]] result<void> take_result() const noexcept { return outcome_; }
    [[nodiscard]] char const* name() const noexcept override { return "sleep"; }

private:
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    void refuse() noexcept override { outcome_ = errc::cancelled; }

    time_point until_;
    result<void> outcome_;
    struct timer final : timer_node {
        explicit timer(sleep_operation& of) noexcept;
        sleep_operation& owner;
    } timer_;
};

/// Waits until `when`, never less. A moment that has passed lets other work run first.
/// Cancel: ends at once.
[[nodiscard]] inline sleep_operation sleep_until(time_point when) noexcept {
    return sleep_operation(when);
}
/// Waits for `length`, never less.
[[nodiscard]] inline sleep_operation sleep(duration length) noexcept {
    return sleep_operation(later(core::current().clock(), length));
}
/// Lets everything else that is ready run first.
[[nodiscard]] inline sleep_operation yield() noexcept {
    return sleep_operation(time_point::min());
}

/// A moment `length` from now, for the deadlines of reads and writes.
[[nodiscard]] inline time_point deadline_in(duration length) noexcept {
    return later(core::current().clock(), length);
}

/// Ticks at a fixed distance: `co_await every.next()` waits for the next one.
///
/// Ticks do not drift with the work between them; those that were missed are not made up.
class RILL_API ticker {
public:
    /// The first tick comes one `period` from now. The period is longer than nothing.
    explicit ticker(duration period) noexcept
        : period_(period), next_(later(core::current().clock(), period)) {
        RILL_ASSERT(period > duration::zero(), "give a ticker a period longer than nothing");
    }
    /// Waits for the next tick.
    [[nodiscard]] sleep_operation next() noexcept;

private:
    duration period_;
    time_point next_;
};

namespace detail {

template <awaitable Awaitable>
class timeout_operation final : public operation, private child_owner {
public:
    using value_type = await_result<Awaitable>;

    timeout_operation(time_point until, Awaitable& what) noexcept
        : what_(what), until_(until), timer_(*this) {}

    value_type await_resume() {
        if (timed_out_) throw error(errc::timed_out, "timeout");
        return what_.await_resume();
    }
    [[nodiscard]] bool failed() const noexcept { return timed_out_ || what_.failed(); }
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }
    [[nodiscard]] char const* name() const noexcept override { return "timeout"; }

private:
    bool start() noexcept override {
        chain& line = *waiting_chain();
        child_.emplace(line.home(), &line, what_, static_cast<child_owner&>(*this), 0);
        child_->limit_deadline(until_);
        core::of(line).timers().arm(timer_, until_);
        child_->begin();
        return true;
    }
    void cancel(cancel_reason reason) noexcept override { child_->cancel(reason); }
    void child_ended(std::size_t, outcome how) noexcept override {
        core::of(*waiting_chain()).timers().cancel(timer_);
        stopped_ = how == outcome::stopped;
        if (stopped_ && child_->reason() == cancel_reason::deadline &&
            !waiting_chain()->cancelled()) {
            timed_out_ = true;
            stopped_ = false;
        }
        if (stopped_) pass_on_stop(child_->reason());
        complete();
    }

    void time_is_up() noexcept {
        // What completed in this very turn has won.
        if (!child_->has_won()) child_->cancel(cancel_reason::deadline);
    }

    Awaitable& what_;
    time_point until_;
    std::optional<child<Awaitable>> child_;
    bool timed_out_ = false;
    bool stopped_ = true;  // until it has run
    struct timer final : timer_node {
        explicit timer(timeout_operation& of) noexcept
            : timer_node(
                  [](timer_node& node) noexcept { static_cast<timer&>(node).owner.time_is_up(); }),
              owner(of) {}
        timeout_operation& owner;
    } timer_;
};

}  // namespace detail

/// Runs the awaitable, and cancels it when `length` has passed.
///
/// Returns its value. Errors: `timed_out`, thrown after the cancelled work has ended. An operation
/// that completes in the turn in which the time is up keeps its value; so does a task that returns
/// before the cancellation meets its next wait.
template <awaitable Awaitable>
[[nodiscard]] auto timeout(duration length, Awaitable&& what) noexcept {
    return detail::timeout_operation<std::remove_reference_t<Awaitable>>(deadline_in(length), what);
}
/// The same with a moment instead of a length.
template <awaitable Awaitable>
[[nodiscard]] auto timeout_at(time_point when, Awaitable&& what) noexcept {
    return detail::timeout_operation<std::remove_reference_t<Awaitable>>(when, what);
}

}  // namespace rill
