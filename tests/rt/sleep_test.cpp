// sleep.hpp: sleep, ticker and timeout.
#include "rill/rt/sleep.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/rt/run.hpp"

using namespace rill;

namespace {

time_point clock_now() {
    return std::chrono::steady_clock::now();
}

/// Holds the core, as a long computation does.
void compute_for(duration length) {
    time_point const end = clock_now() + length;
    while (clock_now() < end) {
    }
}

struct deadline_operation final : operation {
    using value_type = time_point;
    bool start() noexcept override { return false; }
    void cancel(cancel_reason) noexcept override {}
    time_point await_resume() const noexcept { return waiting_chain()->deadline(); }
};

task<time_point> deadline_here() {
    deadline_operation wait;
    time_point const seen = co_await wait;
    co_return seen;
}

}  // namespace

TEST_CASE("sleep is never early, also after the turn of the loop has lasted long") {
    auto const body = []() -> task<> {
        for (int i = 0; i < 20; ++i) {
            compute_for(std::chrono::microseconds(100 * i));
            time_point const before = clock_now();
            duration const length = std::chrono::microseconds(50 * i + 1);
            co_await sleep(length);
            CHECK(clock_now() - before >= length);
        }
    };
    run(body());
}

TEST_CASE("sleep of nothing, or of a time that has passed, lets others run and ends") {
    auto const body = []() -> task<> {
        co_await rill::sleep(0s);
        co_await rill::sleep(-1h);
        co_await sleep_until(time_point::min());
        auto won = co_await when_any(sleep_until(never), rill::yield());
        CHECK(won.index == 1);
        auto longest = co_await when_any(sleep(duration::max()), rill::yield());
        CHECK(longest.index == 1);
    };
    run(body());
}

TEST_CASE("a ticker keeps its distance, and does not make up for missed ticks") {
    auto const body = []() -> task<> {
        duration const period = 1ms;
        time_point const start = clock_now();
        ticker every(period);
        for (int i = 1; i <= 5; ++i) {
            co_await every.next();
            CHECK(clock_now() - start >= i * period);
        }
        compute_for(10 * period);
        co_await rill::yield();  // the core sees how late it is
        co_await every.next();   // a tick that has passed: at once
        co_await every.next();   // after the present one
        co_await every.next();
        // Had the missed ones been made up for, these three would have come at once.
        CHECK(clock_now() - start >= 16 * period);
    };
    run(body());
}

TEST_CASE("timeout gives the value, or throws timed_out after what it ran has ended") {
    auto const body = []() -> task<> {
        auto const quick = []() -> task<int> {
            co_await rill::yield();
            co_return 4;
        };
        int const value = co_await timeout(1h, quick());
        CHECK(value == 4);

        bool ended = false;
        auto const slow = [&]() -> task<int> {
            struct guard {
                bool& flag;
                explicit guard(bool& of) : flag(of) {}
                guard(guard const&) = delete;
                guard& operator=(guard const&) = delete;
                ~guard() { flag = true; }
            } const local(ended);
            co_await rill::sleep(1h);
            co_return 5;
        };
        std::error_code code;
        time_point const before = clock_now();
        try {
            co_await timeout(1ms, slow());
        } catch (error const& failure) {
            code = failure.code();
        }
        CHECK(code == errc::timed_out);
        CHECK(ended);
        CHECK(clock_now() - before >= 1ms);

        std::string what;
        auto const failing = []() -> task<> {
            co_await rill::yield();
            throw std::runtime_error("failed by itself");
        };
        try {
            co_await timeout(1h, failing());
        } catch (std::runtime_error const& failure) {
            what = failure.what();
        }
        CHECK(what == "failed by itself");
    };
    run(body());
}

TEST_CASE("a timeout does not begin before the call, however long the turn has lasted") {
    auto const body = []() -> task<> {
        for (int i = 0; i < 10; ++i) {
            compute_for(3ms);
            // Shorter than the turn so far: counted from its start it would be over already.
            co_await timeout(2ms, rill::yield());
        }
        CHECK(core::current().timers().empty());
    };
    run(body());
}

TEST_CASE("an operation that completes in the turn in which the time is up keeps its value") {
    auto const body = []() -> task<> {
        // The operation's timer is due a nanosecond before that of the timeout, and a long step
        // makes both due in the same turn.
        time_point const when = core::current().clock() + 1ms;
        auto const both_due = [&]() -> task<bool> {
            auto const hold_the_core = []() -> task<> {
                compute_for(2ms);
                co_await rill::sleep(1h);
            };
            auto won =
                co_await when_any(timeout_at(when, sleep_until(when - 1ns)), hold_the_core());
            co_return won.index == 0;
        };
        bool const kept = co_await both_due();
        CHECK(kept);
    };
    run(body());
}

TEST_CASE("of nested timeouts the shorter ends the wait, whichever is outside") {
    auto const body = []() -> task<> {
        auto const forever = []() -> task<> { co_await rill::sleep(1h); };
        int reached = 0;
        auto const outer_long = [&]() -> task<> {
            bool timed_out = false;
            try {
                co_await timeout(1ms, forever());
            } catch (error const& failure) {
                timed_out = failure.code() == errc::timed_out;
            }
            CHECK(timed_out);
            co_await rill::yield();  // the outer time is not up: this coroutine goes on
            ++reached;
        };
        co_await timeout(1h, outer_long());
        CHECK(reached == 1);
        auto const outer_short = [&]() -> task<> {
            co_await timeout(1h, forever());
            ++reached;
        };
        bool timed_out = false;
        try {
            co_await timeout(1ms, outer_short());
        } catch (error const& failure) {
            timed_out = failure.code() == errc::timed_out;
        }
        CHECK(timed_out);
        CHECK(reached == 1);
        CHECK(core::current().timers().empty());
    };
    run(body());
}

TEST_CASE("deadlines are inherited by what is awaited below, the nearest counts") {
    auto const body = []() -> task<> {
        time_point const near = core::current().now() + 1h;
        time_point const far = near + 1h;
        auto const nested = [&]() -> task<time_point> {
            time_point const seen = co_await timeout_at(far, deadline_here());
            co_return seen;
        };
        time_point const outer_near = co_await timeout_at(near, nested());
        CHECK(outer_near == near);
        auto const nested_near = [&]() -> task<time_point> {
            time_point const seen = co_await timeout_at(near, deadline_here());
            co_return seen;
        };
        time_point const inner_near = co_await timeout_at(far, nested_near());
        CHECK(inner_near == near);
        time_point const none = co_await deadline_here();
        CHECK(none == never);
    };
    run(body());
}
