// core.hpp: the loop of a core, how it ends, and what it does when there is nothing to do.
#include "rill/rt/core.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <stdexcept>
#include <thread>

#include "rill/coro/task_group.hpp"
#include "rill/rt/foreign_event.hpp"
#include "rill/rt/post.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/sleep.hpp"
#include "support/death.hpp"
#include "support/sim.hpp"

using namespace rill;

TEST_CASE("run returns when its task has ended and does not wait for another event") {
    // The last step is on the ready list and no timer is armed: waiting would be for ever.
    auto const body = []() -> task<int> {
        co_await rill::yield();
        co_return 7;
    };
    CHECK(run(body()) == 7);
}

TEST_CASE("run throws what its task throws, and the core can run another one") {
    core home;
    auto const bad = []() -> task<> {
        co_await rill::yield();
        throw std::runtime_error("bad");
    };
    auto const good = []() -> task<int> { co_return 3; };
    CHECK_THROWS_WITH_AS(home.run(bad()), "bad", std::runtime_error);
    CHECK(home.run(good()) == 3);
}

TEST_CASE("a core that is stopped destroys the frames of its root, and run says so") {
    bool destroyed = false;
    struct guard {
        bool& flag;
        explicit guard(bool& of) : flag(of) {}
        guard(guard const&) = delete;
        guard& operator=(guard const&) = delete;
        ~guard() { flag = true; }
    };
    std::error_code code;
    auto const body = [&]() -> task<> {
        guard const local(destroyed);
        auto const stop = [] { core::current().stop(cancel_reason::shutdown); };
        CHECK(post(core_handle::current(), stop));
        co_await rill::sleep(1h);
    };
    try {
        run(body());
    } catch (error const& failure) {
        code = failure.code();
    }
    CHECK(destroyed);
    CHECK(code == errc::cancelled);
}

TEST_CASE("the idle hook runs before each wait, and not while there is something to do") {
    struct state {
        int calls = 0;
        bool working = false;
        bool called_at_work = false;
    } seen;
    auto const body = [&]() -> task<> {
        auto const hook = [](void* context) {
            auto& to = *static_cast<state*>(context);
            ++to.calls;
            to.called_at_work |= to.working;
        };
        core::current().on_idle(hook, &seen);
        seen.working = true;
        for (int i = 0; i < 100; ++i) co_await rill::yield();
        seen.working = false;
        CHECK(seen.calls == 0);
        co_await rill::sleep(1us);
        CHECK(seen.calls >= 1);
        core::current().on_idle(nullptr, nullptr);
        int const before = seen.calls;
        co_await rill::sleep(1us);
        CHECK(seen.calls == before);
    };
    run(body());
    CHECK_FALSE(seen.called_at_work);
}

TEST_CASE("an idle hook may make something ready, and the core does not wait then") {
    auto const body = []() -> task<> {
        foreign_event event;
        auto const notifier = event.notifier();
        auto const hook = [](void* context) {
            static_cast<event_notifier const*>(context)->notify();
        };
        core::current().on_idle(hook, const_cast<event_notifier*>(&notifier));
        for (int i = 0; i < 10; ++i) co_await event.wait();
        core::current().on_idle(nullptr, nullptr);
        CHECK(core::current().index() == 0);
    };
    run(body());
}

RILL_RING_TEST("a sleeping core is woken although its ring had no entry for the wait") {
    uring_options options;
    options.faults.no_entry_every = 2;
    core home(make_uring_driver(options), 0);
    auto const body = []() -> task<> {
        foreign_event event;
        std::binary_semaphore next(0);
        std::thread other([&, notifier = event.notifier()] {
            for (int i = 0; i < 100; ++i) {
                next.acquire();
                notifier.notify();
            }
        });
        for (int i = 0; i < 100; ++i) {
            auto const hook = [](void* context) {
                static_cast<std::binary_semaphore*>(context)->release();
                core::current().on_idle(nullptr, nullptr);
            };
            core::current().on_idle(hook, &next);
            co_await event.wait();
        }
        other.join();
    };
    home.run(body());
    CHECK(home.totals().turns >= 100);
}

TEST_CASE("a core is used as it is meant, or an assertion names what to change") {
    auto const nested = [] {
        auto const inner = []() -> task<> { co_return; };
        auto const outer = [&]() -> task<> {
            run(inner());
            co_return;
        };
        run(outer());
    };
    CHECK(test::assertion_of(nested).find("one core per thread") != std::string::npos);
    auto const second_root = [] {
        auto const inner = []() -> task<> { co_return; };
        auto const outer = [&]() -> task<> {
            core::current().run(inner());
            co_return;
        };
        run(outer());
    };
    CHECK(test::assertion_of(second_root).find("use a task_group") != std::string::npos);
    auto const nested_cores = [] {
        auto const inner = []() -> task<> { co_return; };
        auto const outer = [&]() -> task<> {
            run_per_core(inner, {.cores = 1});
            co_return;
        };
        run(outer());
    };
    CHECK(test::assertion_of(nested_cores).find("call it from main") != std::string::npos);
    auto const no_core = [] { std::ignore = core::current(); };
    CHECK(test::assertion_of(no_core).find("from a coroutine") != std::string::npos);
}

TEST_CASE("ready coroutines that take long do not keep the core from the kernel") {
    // Each of them holds the core for a millisecond. Counted together they would be one turn.
    constexpr int count = 64;
    core home;
    auto const hold = []() -> task<> {
        co_await rill::yield();
        auto const until = std::chrono::steady_clock::now() + 1ms;
        while (std::chrono::steady_clock::now() < until) {
        }
    };
    auto const body = [&](task_group& group) -> task<> {
        for (int i = 0; i < count; ++i) group.spawn(hold);
        co_return;
    };
    auto const all = [&]() -> task<> { co_await with_task_group(body); };
    home.run(all());
    CHECK(home.totals().turns >= count / 8);
}
