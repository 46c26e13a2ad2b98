// semaphore: never more than its permits, first come first served, and none is lost.
#include "rill/coro/semaphore.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "rill/coro/task_group.hpp"
#include "rill/coro/when_any.hpp"
#include "support/cancel_sweep.hpp"

using namespace rill;
using namespace rill::test;

namespace {

struct usage {
    std::size_t now = 0;
    std::size_t most = 0;
};

task<> use(sweep_world& world, semaphore& permits, usage& used, std::size_t count, int value) {
    counted const local(world);
    auto const held = co_await permits.acquire(count);
    CHECK(held.count() == count);
    used.now += count;
    used.most = std::max(used.most, used.now);
    struct leaving {
        usage& used;
        std::size_t count;
        ~leaving() { used.now -= count; }
    } const leave{used, count};
    world.log.push_back(value);
    static_cast<void>(co_await world.pause(1));
}

}  // namespace

TEST_CASE("never more is going on than there are permits, and all of them are used") {
    sweep_world world;
    semaphore permits(3);
    usage used;
    auto const program = [](sweep_world& w, semaphore& s, usage& u) -> task<> {
        auto body = [&](task_group& group) -> task<> {
            for (int i = 0; i < 10; ++i)
                group.spawn(use, std::ref(w), std::ref(s), std::ref(u), std::size_t{1}, i);
            co_return;
        };
        co_await with_task_group(body);
    };
    root main(world.home, [&] { return program(world, permits, used); });
    world.settle();
    CHECK(main.completed());
    CHECK(used.most == 3);
    CHECK(permits.available() == 3);
    CHECK(world.log == std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("a large request is not overtaken, and lets small ones go when it is cancelled") {
    for (bool const cancelled : {false, true}) {
        sweep_world world;
        semaphore permits(3);
        usage used;
        auto const program = [](sweep_world& w, semaphore& s, usage& u, bool cut) -> task<> {
            auto held = co_await s.acquire(2);
            auto body = [&](task_group& group) -> task<> {
                group.spawn(use, std::ref(w), std::ref(s), std::ref(u), std::size_t{3}, 3);
                static_cast<void>(co_await w.pause(1));
                chain* large = nullptr;
                group.for_each([&large](chain& each) { large = &each; });
                group.spawn(use, std::ref(w), std::ref(s), std::ref(u), std::size_t{1}, 1);
                static_cast<void>(co_await w.pause(1));
                CHECK(w.log.empty());
                CHECK_FALSE(s.try_acquire());  // somebody waits already
                if (cut) {
                    large->cancel(cancel_reason::user);
                    static_cast<void>(co_await w.pause(1));
                    CHECK(w.log == std::vector{1});
                }
                held.release();
            };
            co_await with_task_group(body);
        };
        root main(world.home, [&] { return program(world, permits, used, cancelled); });
        world.settle();
        CHECK(main.completed());
        CHECK(world.log == (cancelled ? std::vector{1} : std::vector{3, 1}));
        CHECK(permits.available() == 3);
    }
}

TEST_CASE("permits survive a cancellation at every point") {
    int const points = cancel_sweep([](sweep_world& world) -> task<> {
        semaphore permits(2);
        usage used;
        auto body = [&](task_group& group) -> task<> {
            for (int i = 0; i < 4; ++i)
                group.spawn(use, std::ref(world), std::ref(permits), std::ref(used),
                            static_cast<std::size_t>(i % 2 + 1), i);
            auto const won = co_await when_any(permits.acquire(2), permits.acquire(1));
            CHECK(won.index == 0);
            CHECK(permits.available() == 0);
        };
        co_await with_task_group(body);
        CHECK(permits.available() == 2);
        CHECK(used.most == 2);
    });
    CHECK(points > 10);
}
