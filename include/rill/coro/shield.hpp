// shield and finally: work that a cancellation does not cut.
#pragma once

#include <optional>
#include <utility>

#include "rill/coro/child.hpp"

namespace rill {

namespace detail {

template <awaitable Awaitable>
class shield_operation final : public operation, private child_owner {
public:
    using value_type = await_result<Awaitable>;

    explicit shield_operation(Awaitable& what) noexcept : what_(what) { ignore_cancellation(); }

    value_type await_resume() { return what_.await_resume(); }
    [[nodiscard]] bool failed() const noexcept { return what_.failed(); }
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }
    [[nodiscard]] char const* name() const noexcept override { return "shield"; }

private:
    bool start() noexcept override {
        child_.emplace(waiting_chain()->home(), waiting_chain(), never, what_,
                       static_cast<child_owner&>(*this), 0);
        child_->begin();
        return true;
    }
    void cancel(cancel_reason) noexcept override {}
    void child_ended(std::size_t, outcome how) noexcept override {
        stopped_ = how == outcome::stopped;
        if (stopped_) {
            pass_on_stop(child_->reason());
        } else {
            // The value is delivered; the next await outside a shield ends a cancelled chain.
            catch_cancellation();
        }
        complete();
    }

    Awaitable& what_;
    std::optional<child<Awaitable>> child_;
    bool stopped_ = false;
};

template <awaitable Awaitable, awaitable Cleanup>
class finally_operation final : public operation, private child_owner {
public:
    using value_type = await_result<Awaitable>;

    finally_operation(Awaitable& what, Cleanup& cleanup) noexcept : what_(what), cleanup_(cleanup) {
        ignore_cancellation();
    }

    value_type await_resume() {
        if (cleanup_.failed()) cleanup_.await_resume();
        return what_.await_resume();
    }
    [[nodiscard]] bool failed() const noexcept { return what_.failed() || cleanup_.failed(); }
    [[nodiscard]] bool stopped() const noexcept { return stopped_ && !cleanup_.failed(); }
    [[nodiscard]] char const* name() const noexcept override { return "finally"; }

private:
    bool start() noexcept override {
        chain& line = *waiting_chain();
        child_owner& self = *this;
        what_child_.emplace(line.home(), &line, what_, self, 0);
        cleanup_child_.emplace(line.home(), &line, never, cleanup_, self, 1);
        if (line.cancelled()) what_child_->cancel(line.reason());
        what_child_->begin();
        return true;
    }
    void cancel(cancel_reason reason) noexcept override { what_child_->cancel(reason); }
    void child_ended(std::size_t index, outcome how) noexcept override {
        if (index == 0) {
            stopped_ = how == outcome::stopped;
            cleanup_child_->begin();
            return;
        }
        if (stopped_) pass_on_stop(what_child_->reason());
        // The failure of a cleanup is thrown in a cancelled chain too: nobody else will see it.
        if (cleanup_.failed()) catch_cancellation();
        complete();
    }

    Awaitable& what_;
    Cleanup& cleanup_;
    std::optional<child<Awaitable>> what_child_;
    std::optional<child<Cleanup>> cleanup_child_;
    bool stopped_ = false;
};

}  // namespace detail

/// Runs the awaitable to its end even where the chain is told to end meanwhile, or was before.
///
/// Returns its value, also in a chain that was told to end: that ends at its next await outside
/// `shield`. The deadline of the chain does not hold inside.
template <awaitable Awaitable>
[[nodiscard]] auto shield(Awaitable&& what) noexcept {
    return detail::shield_operation<std::remove_reference_t<Awaitable>>(what);
}

/// Runs `what`, and then `cleanup`, whatever became of `what`: value, exception or cancellation.
///
/// Returns the value of `what`, or throws what it threw; a failed cleanup throws instead.
/// Cancel: ends `what` early; `cleanup` runs to its end, and the deadline of the chain does not
/// hold in it. Then the chain ends, except that a failed cleanup throws.
template <awaitable Awaitable, awaitable Cleanup>
[[nodiscard]] auto finally(Awaitable&& what, Cleanup&& cleanup) noexcept {
    return detail::finally_operation<std::remove_reference_t<Awaitable>,
                                     std::remove_reference_t<Cleanup>>(what, cleanup);
}

}  // namespace rill
