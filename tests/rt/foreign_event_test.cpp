// foreign_event.hpp and post.hpp: threads that are no cores reach one.
#include "rill/rt/foreign_event.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/rt/post.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/sleep.hpp"

using namespace rill;

TEST_CASE("a thread wakes the core that waits for an event") {
    auto const body = []() -> task<> {
        foreign_event event;
        int data = 0;
        std::thread other([&, notifier = event.notifier()] {
            data = 5;
            CHECK(notifier.notify());
        });
        co_await event.wait();
        CHECK(data == 5);
        other.join();
    };
    run(body());
}

TEST_CASE("notifications coalesce, none is lost, and what was written before one is seen") {
    auto const body = []() -> task<> {
        constexpr int count = 20'000;
        foreign_event event;
        std::atomic<int> published = 0;
        std::vector<std::thread> threads;
        for (int t = 0; t < 2; ++t) {
            threads.emplace_back([&, notifier = event.notifier()] {
                for (int i = 0; i < count; ++i) {
                    published.fetch_add(1, std::memory_order_relaxed);
                    notifier.notify();
                }
            });
        }
        int waits = 0;
        while (published.load(std::memory_order_relaxed) < 2 * count) {
            co_await event.wait();
            ++waits;
        }
        for (std::thread& each : threads) each.join();
        CHECK(waits <= 2 * count);
    };
    run(body());
}

TEST_CASE("a notification before the wait is kept, once, also over a cancelled wait") {
    auto const body = []() -> task<> {
        foreign_event event;
        auto const notifier = event.notifier();
        notifier.notify();
        notifier.notify();
        co_await event.wait();
        auto none = co_await when_any(event.wait(), rill::sleep(1ms));
        CHECK(none.index == 1);
        // The notification reaches the wait in the turn in which the timer ends it.
        auto lost = co_await when_any(event.wait(), rill::sleep(1ns), [&]() -> task<> {
            notifier.notify();
            co_await rill::sleep(1h);
        }());
        CHECK(lost.index == 1);
        auto kept = co_await when_any(event.wait(), rill::sleep(1h));
        CHECK(kept.index == 0);
    };
    run(body());
}

TEST_CASE("after the event or its core has gone notify says so and does nothing") {
    std::optional<event_notifier> notifier;
    std::optional<core_handle> handle;
    auto const body = [&]() -> task<> {
        handle = core_handle::current();
        {
            foreign_event short_lived;
            auto const early = short_lived.notifier();
            CHECK(early.notify());  // on the way while the event goes
        }
        foreign_event event;
        notifier = event.notifier();
        CHECK(notifier->notify());
        co_await rill::yield();
        co_return;
    };
    run(body());
    CHECK_FALSE(notifier->notify());
    int runs = 0;
    auto const gone = post(*handle, [&] { ++runs; });
    REQUIRE_FALSE(gone);
    CHECK(gone.error() == errc::closed);
    CHECK(runs == 0);
}

TEST_CASE("posted calls run on the core, each once, in the order of their thread") {
    auto const body = []() -> task<> {
        constexpr int count = 5000;
        foreign_event done;
        std::vector<int> seen;  // touched on this core only
        auto const to = core_handle::current();
        std::thread other([&, notifier = done.notifier()] {
            for (int i = 0; i < count; ++i) {
                auto const sent = post(to, [&seen, i] { seen.push_back(i); });
                if (!sent) return;
            }
            notifier.notify();
        });
        co_await done.wait();
        other.join();
        REQUIRE(seen.size() == count);
        bool ordered = true;
        for (int i = 0; i < count; ++i) ordered &= seen[static_cast<std::size_t>(i)] == i;
        CHECK(ordered);
    };
    run(body());
}

TEST_CASE("posted calls that wait for a core are bounded") {
    auto const body = []() -> task<> {
        auto const to = core_handle::current();
        int runs = 0;
        int accepted = 0;
        result<void> last;
        while (last) {
            last = post(to, [&] { ++runs; });
            if (last) ++accepted;
        }
        CHECK(last.error() == errc::limit_exceeded);
        CHECK(accepted == 65'536);
        while (runs < accepted) co_await rill::yield();
        CHECK(post(to, [] {}));  // room again
        co_return;
    };
    run(body());
}

TEST_CASE("threads that post while cores end lose nothing that was accepted") {
    std::atomic<int> accepted = 0;
    std::atomic<int> ran = 0;
    for (int round = 0; round < 20; ++round) {
        std::thread other;
        auto const body = [&]() -> task<> {
            other = std::thread([&, to = core_handle::current()] {
                while (post(to, [&] { ++ran; })) ++accepted;
            });
            while (ran.load() == 0) co_await rill::yield();
        };
        run(body());
        other.join();
    }
    CHECK(accepted.load() == ran.load());
    CHECK(accepted.load() >= 20);
}
