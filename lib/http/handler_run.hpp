// Runs a handler that waits, in a chain of its own that ends with its client and its deadline.
#pragma once

#include <optional>

#include "rill/coro/child.hpp"
#include "rill/http/handler.hpp"
#include "rill/io/byte_stream.hpp"
#include "rill/rt/core.hpp"

namespace rill::http {

/// The wait for a task of the user's. Never throws for a cancellation: `stopped` says why the task
/// gave nothing.
template <class T>
class [[nodiscard]] handler_run final : public operation, private rill::detail::child_owner {
public:
    using value_type = void;

    /// `make` gives the task.
    template <class Make>
    handler_run(Make&& make, byte_stream& peer, time_point deadline, bool watch_client)
        : answer_(make()),
          peer_(peer),
          deadline_(deadline),
          watch_client_(watch_client),
          timer_(*this) {}

    void await_resume() const noexcept {}
    /// What the task gave, or throws what it threw. Only where it was not stopped.
    T take() { return answer_.await_resume(); }
    [[nodiscard]] bool failed() const noexcept {
        return stopped_ == cancel_reason::none && answer_.failed();
    }
    /// Why the handler was cancelled; `none` when it was not.
    [[nodiscard]] cancel_reason stopped() const noexcept { return stopped_; }
    [[nodiscard]] char const* name() const noexcept override { return "handler"; }
    [[nodiscard]] chain* inner_chain() noexcept override { return child_ ? &*child_ : nullptr; }

private:
    bool start() noexcept override {
        chain& line = *waiting_chain();
        child_.emplace(line.home(), &line, answer_, static_cast<rill::detail::child_owner&>(*this),
                       0);
        child_->limit_deadline(deadline_);
        if (deadline_ != never) core::of(line).timers().arm(timer_, deadline_);
        child_->begin();
        if (watch_client_) peer_.watch_end(&*child_);
        return true;
    }
    void cancel(cancel_reason reason) noexcept override { child_->cancel(reason); }
    void child_ended(std::size_t, outcome how) noexcept override {
        if (watch_client_) peer_.watch_end(nullptr);
        core::of(*waiting_chain()).timers().cancel(timer_);
        if (how == outcome::stopped) stopped_ = child_->reason();
        complete();
    }

    task<T> answer_;
    byte_stream& peer_;
    time_point deadline_;
    bool watch_client_;
    cancel_reason stopped_ = cancel_reason::none;
    std::optional<rill::detail::child<task<T>>> child_;
    struct timer final : timer_node {
        explicit timer(handler_run& of) noexcept
            : timer_node([](timer_node& node) noexcept {
                  static_cast<timer&>(node).owner.child_->cancel(cancel_reason::deadline);
              }),
              owner(of) {}
        handler_run& owner;
    } timer_;
};

}  // namespace rill::http
