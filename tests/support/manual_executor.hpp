// An executor without a kernel: a test posts, runs and looks.
#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <utility>

#include "rill/coro/child.hpp"
#include "rill/coro/executor.hpp"
#include "rill/coro/task.hpp"

namespace rill::test {

/// An executor that runs when the test says so.
class manual_executor final : public executor {
public:
    /// Runs until nothing is ready. Fails the test where that takes more than `limit` nodes.
    void drain(std::uint32_t limit = 100'000'000) {
        run_ready(limit);
        REQUIRE(idle());
    }
};

/// The root of a test: runs one awaitable in a chain and keeps how it ended.
template <awaitable Awaitable>
class root final : private detail::child_owner {
public:
    /// `make` gives the awaitable, which the root keeps.
    template <class Make>
    root(executor& home, Make&& make)
        : what_(make()), chain_(home, nullptr, what_, static_cast<detail::child_owner&>(*this), 0) {
        chain_.begin();
    }
    [[nodiscard]] bool ended() const { return how_.has_value(); }
    [[nodiscard]] bool stopped() const { return how_ == outcome::stopped; }
    [[nodiscard]] bool completed() const { return how_ == outcome::completed; }
    [[nodiscard]] bool failed() const { return completed() && chain_.failed(); }
    /// The value, or the exception; the root must have completed.
    auto take() {
        REQUIRE(how_ == outcome::completed);
        return chain_.take();
    }
    chain& line() { return chain_; }
    void cancel(cancel_reason reason = cancel_reason::user) { chain_.cancel(reason); }

private:
    void child_ended(std::size_t, outcome how) noexcept override { how_ = how; }

    std::optional<outcome> how_;
    Awaitable what_;
    detail::child<Awaitable> chain_;
};
template <class Make>
root(executor&, Make&&) -> root<std::invoke_result_t<Make&>>;

/// An operation that the test completes by hand, and that can be told how to behave when cancelled.
class manual_operation final : public value_operation<int> {
public:
    enum class when_cancelled { completes, keeps_waiting };
    explicit manual_operation(manual_operation** place,
                              when_cancelled behaviour = when_cancelled::completes)
        : place_(place), behaviour_(behaviour) {}
    ~manual_operation() {
        if (*place_ == this) *place_ = nullptr;
    }
    void finish(int value) {
        set_result(value);
        complete();
    }
    void fail(errc code) {
        set_result(code);
        complete();
    }
    /// Ends without a value, as an operation does that was stopped.
    void stop() { fail(errc::cancelled); }

private:
    bool start() noexcept override {
        *place_ = this;
        return true;
    }
    void cancel(cancel_reason) noexcept override {
        if (behaviour_ == when_cancelled::completes) stop();
    }

    manual_operation** place_;
    when_cancelled behaviour_;
};

}  // namespace rill::test
