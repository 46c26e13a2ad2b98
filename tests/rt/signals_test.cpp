// signals.hpp: signals of the process, awaited.
#include "rill/rt/signals.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>
#include <csignal>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/sleep.hpp"

using namespace rill;

namespace {

task<> raise_soon(int number) {
    co_await rill::yield();
    ::raise(number);
}

using handler = void (*)(int);

bool is_handled_by(int number, handler which) {
    struct sigaction now{};
    ::sigaction(number, nullptr, &now);
    return now.sa_handler == which;
}

void old_handler(int) {}

}  // namespace

TEST_CASE("wait_signal gives the number of the signal that came") {
    auto const body = []() -> task<int> {
        auto both = co_await when_all(wait_signal(SIGUSR1, SIGUSR2), raise_soon(SIGUSR2));
        co_return std::get<0>(both);
    };
    CHECK(run(body()) == SIGUSR2);
}

TEST_CASE("all waiters of a signal get it, and the old disposition is back after the last") {
    struct sigaction mine{};
    mine.sa_handler = old_handler;
    struct sigaction before{};
    ::sigaction(SIGUSR1, &mine, &before);
    auto const body = []() -> task<int> {
        auto all = co_await when_all(wait_signal(SIGUSR1), wait_signal(SIGUSR1, SIGUSR2),
                                     raise_soon(SIGUSR1));
        co_return std::get<0>(all) + std::get<1>(all);
    };
    CHECK(run(body()) == 2 * SIGUSR1);
    CHECK(is_handled_by(SIGUSR1, old_handler));
    ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_CASE("a handler that somebody set during the wait stays") {
    struct sigaction before{};
    ::sigaction(SIGUSR1, nullptr, &before);
    auto const body = [&]() -> task<> {
        signal_watch watch(signal_set(SIGUSR1, SIGUSR2));
        CHECK_FALSE(is_handled_by(SIGUSR2, before.sa_handler));
        struct sigaction mine{};
        mine.sa_handler = old_handler;
        ::sigaction(SIGUSR1, &mine, nullptr);
        co_return;
    };
    run(body());
    CHECK(is_handled_by(SIGUSR1, old_handler));
    CHECK(is_handled_by(SIGUSR2, SIG_DFL));
    ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_CASE("a watch keeps signals that come between two waits, each number once") {
    auto const body = []() -> task<> {
        signal_watch watch(signal_set(SIGINT, SIGTERM));
        int first = 0;
        co_await when_all(raise_soon(SIGINT), [&]() -> task<> { first = co_await watch.next(); }());
        CHECK(first == SIGINT);
        ::raise(SIGTERM);  // the second one, while the first is worked on
        ::raise(SIGINT);
        ::raise(SIGINT);
        co_await rill::yield();
        int const second = co_await watch.next();
        int const third = co_await watch.next();
        CHECK(second == SIGINT);
        CHECK(third == SIGTERM);
        auto none = co_await when_any(watch.next(), rill::sleep(1ms));
        CHECK(none.index == 1);
    };
    run(body());
}

TEST_CASE("a signal that a cancelled wait had been given goes back to its watch") {
    auto const body = []() -> task<> {
        signal_watch watch(signal_set(SIGUSR1));
        // In the turn that delivers the signal the timer is due too; it is behind the signal and
        // before the coroutine that waits for the signal.
        auto won = co_await when_any(watch.next(), rill::sleep(1ns), [&]() -> task<> {
            ::raise(SIGUSR1);
            co_await rill::sleep(1h);
        }());
        CHECK(won.index == 1);
        int const again = co_await watch.next();
        CHECK(again == SIGUSR1);
    };
    run(body());
}

TEST_CASE("a cancelled wait for a signal ends at once and restores the disposition") {
    auto const body = []() -> task<> {
        auto won = co_await when_any(wait_signal(SIGUSR1), rill::sleep(1ms));
        CHECK(won.index == 1);
        CHECK(is_handled_by(SIGUSR1, SIG_DFL));
    };
    run(body());
}

TEST_CASE("a signal that cannot be caught is an error, and changes nothing") {
    auto const body = []() -> task<> {
        auto kill = co_await as_result(wait_signal(SIGUSR1, SIGKILL));
        REQUIRE_FALSE(kill);
        CHECK(kill.error() == system_error(EINVAL));
        CHECK(is_handled_by(SIGUSR1, SIG_DFL));
        auto fault = co_await as_result(wait_signal(SIGSEGV));
        REQUIRE_FALSE(fault);
        CHECK(fault.error() == system_error(EINVAL));
    };
    run(body());
}

TEST_CASE("the disposition of SIGPIPE is never touched") {
    bool const is_default = is_handled_by(SIGPIPE, SIG_DFL);
    auto const body = [&]() -> task<> {
        signal_watch watch(signal_set(SIGINT, SIGTERM, SIGHUP));
        CHECK(is_handled_by(SIGPIPE, SIG_DFL) == is_default);
        co_return;
    };
    run(body());
}

TEST_CASE("a signal reaches the waiters of every core, many times over") {
    constexpr std::uint32_t cores = 3;
    constexpr int rounds = 200;
    std::atomic<std::uint32_t> ready = 0;
    std::atomic<int> seen = 0;
    auto const body = [&]() -> task<> {
        signal_watch watch(signal_set(SIGUSR1));
        ++ready;
        while (ready.load() < cores) co_await rill::yield();
        for (int i = 0; i < rounds; ++i) {
            int const wanted = (i + 1) * static_cast<int>(cores);
            if (core::current().index() == 0) ::raise(SIGUSR1);
            int const number = co_await watch.next();
            if (number == SIGUSR1) ++seen;
            while (seen.load() < wanted) co_await rill::yield();
        }
    };
    run_per_core(body, {.cores = cores});
    CHECK(seen == rounds * static_cast<int>(cores));
}

TEST_CASE("a core that is late gets the signal that the others had before, once") {
    std::atomic<bool> first_has_it = false;
    std::atomic<int> heard = 0;
    auto const late = [&]() -> task<> {
        while (!first_has_it) co_await rill::yield();
        signal_watch watch(signal_set(SIGUSR1, SIGUSR2));
        int const number = co_await watch.next();
        if (number == SIGUSR1) ++heard;
        signal_watch again(signal_set{SIGUSR1});
        auto const first = co_await when_any(watch.next(), again.next(), rill::yield());
        if (first.index == 2) ++heard;
    };
    run_per_core(
        [&]() -> task<> {
            if (core::current().index() != 0) co_return co_await late();
            auto const both = co_await when_all(wait_signal(SIGUSR1), raise_soon(SIGUSR1));
            if (std::get<0>(both) == SIGUSR1) ++heard;
            first_has_it = true;
        },
        {.cores = 3, .pin = false});
    CHECK(heard == 5);
}
