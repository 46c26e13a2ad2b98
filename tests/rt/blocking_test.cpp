// blocking.hpp: work on threads that may block.
#include "rill/rt/blocking.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>

#include "rill/coro/task_group.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/sleep.hpp"

using namespace rill;

namespace {

using gate = std::shared_ptr<std::counting_semaphore<1000>>;

gate closed_gate() {
    return std::make_shared<std::counting_semaphore<1000>>(0);
}

void pass(gate through) {
    through->acquire();
}

task<> wait_until_idle() {
    for (;;) {
        blocking_totals const now = blocking_now();
        if (now.threads == now.idle && now.waiting == 0) co_return;
        co_await rill::sleep(100us);
    }
}

}  // namespace

TEST_CASE("blocking gives back the value, with arguments that it owns") {
    auto const body = []() -> task<> {
        auto const home = std::this_thread::get_id();
        auto const join = [](std::string a, std::string const& b) { return a + b; };
        std::string const both = co_await blocking(join, std::string(100, 'x'), "tail");
        CHECK(both == std::string(100, 'x') + "tail");
        auto const owner =
            co_await blocking([](std::unique_ptr<int> p) { return p; }, std::make_unique<int>(7));
        CHECK(*owner == 7);
        std::thread::id other;
        co_await blocking([&] { other = std::this_thread::get_id(); });
        CHECK(other != home);
        CHECK(std::this_thread::get_id() == home);
    };
    run(body());
}

TEST_CASE("an exception of blocking work is thrown where it is awaited") {
    auto const body = []() -> task<> {
        std::string caught;
        try {
            co_await blocking([]() -> int { throw std::runtime_error("no such host"); });
        } catch (std::runtime_error const& e) {
            caught = e.what();
        }
        CHECK(caught == "no such host");
    };
    run(body());
}

TEST_CASE("all signals are blocked on the pool's threads") {
    auto const body = []() -> task<> {
        bool const blocked = co_await blocking([] {
            sigset_t mask;
            ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
            return sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGTERM) == 1;
        });
        CHECK(blocked);
    };
    run(body());
}

TEST_CASE("a cancel ends the wait at once, and the result of stuck work is dropped") {
    auto const dropped = std::make_shared<std::atomic<int>>(0);
    struct counted {
        explicit counted(std::shared_ptr<std::atomic<int>> to) : count(std::move(to)) {}
        counted(counted&&) = default;
        counted& operator=(counted&&) = default;
        ~counted() {
            if (count) ++*count;
        }
        std::shared_ptr<std::atomic<int>> count;
    };
    gate const stuck = closed_gate();
    auto const begun = std::make_shared<std::atomic<bool>>(false);
    auto const work = [](gate through, std::shared_ptr<std::atomic<int>> count,
                         std::shared_ptr<std::atomic<bool>> started) {
        *started = true;
        through->acquire();
        return counted(std::move(count));
    };
    auto const until_begun = [&]() -> task<> {
        while (!begun->exchange(false)) co_await rill::sleep(100us);
    };
    auto const leave = [&]() -> task<> {
        auto won = co_await when_any(blocking(work, stuck, dropped, begun), until_begun());
        CHECK(won.index == 1);
    };
    run(leave());  // the core ends although the job is stuck: its result finds nobody
    stuck->release();
    run(wait_until_idle());
    CHECK(dropped->load() == 1);

    auto const stay = [&]() -> task<> {
        auto won = co_await when_any(blocking(work, stuck, dropped, begun), until_begun());
        CHECK(won.index == 1);
        stuck->release();
        while (dropped->load() != 2) co_await rill::sleep(100us);
    };
    run(stay());
    CHECK(dropped->load() == 2);
}

TEST_CASE("the pool grows to its limit, the rest waits its turn, and a cancel takes it out") {
    auto const body = []() -> task<> {
        co_await wait_until_idle();
        configure_blocking({.most_threads = 4, .idle_time = 1h});
        gate const through = closed_gate();
        int ended = 0;
        auto const one = [&]() -> task<> {
            co_await blocking(pass, through);
            ++ended;
        };
        auto const all = [&](task_group& group) -> task<> {
            for (int i = 0; i < 10; ++i) group.spawn(one);
            while (blocking_now().waiting != 6) co_await rill::sleep(100us);
            CHECK(blocking_now().threads == 4);
            bool ran = false;
            auto won = co_await when_any(blocking([&] { ran = true; }), rill::sleep(1ms));
            CHECK(won.index == 1);
            CHECK(blocking_now().waiting == 6);
            through->release(10);
            while (ended != 10) co_await rill::sleep(100us);
            CHECK_FALSE(ran);
        };
        co_await with_task_group(all);
        co_await wait_until_idle();
        CHECK(blocking_now().threads == 4);
        configure_blocking({.most_threads = 2, .idle_time = 1h});
        while (blocking_now().threads != 2) co_await rill::sleep(100us);
        configure_blocking({});
    };
    run(body());
}

TEST_CASE("threads without work end after their idle time, down to none") {
    auto const body = []() -> task<> {
        co_await blocking([] {});
        CHECK(blocking_now().threads >= 1);
        configure_blocking({.idle_time = 0s});
        while (blocking_now().threads != 0) co_await rill::sleep(100us);
        int const again = co_await blocking([] { return 3; });
        CHECK(again == 3);
        configure_blocking({});
    };
    run(body());
}

TEST_CASE("cancelling at any moment of a job is safe") {
    auto const body = []() -> task<> {
        for (int i = 0; i < 2000; ++i) {
            auto const pause = [&]() -> task<> {
                for (int step = 0; step < i % 9; ++step) co_await rill::yield();
            };
            auto won = co_await when_any(
                blocking([](std::string text) { return text; }, std::string(60, 'y')), pause());
            if (won.index == 0) CHECK(std::get<0>(won.value).size() == 60);
        }
        co_await wait_until_idle();
    };
    run_per_core(body, {.cores = 2});
}
