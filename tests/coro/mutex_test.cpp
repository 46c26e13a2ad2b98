// mutex: one at a time, first come first served, and never lost.
#include "rill/coro/mutex.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "support/cancel_sweep.hpp"

using namespace rill;
using namespace rill::test;

namespace {

/// A section that would see another one inside it.
task<> section(sweep_world& world, mutex& one, int& inside, int value) {
    counted const local(world);
    auto const held = co_await one.lock();
    CHECK(inside == 0);
    ++inside;
    struct leaving {
        int& count;
        ~leaving() { --count; }
    } const leave{inside};
    static_cast<void>(co_await world.pause(1));
    world.log.push_back(value);
}

}  // namespace

TEST_CASE("a mutex is given to one after the other, in the order in which they came") {
    sweep_world world;
    mutex one;
    int inside = 0;
    auto const program = [](sweep_world& w, mutex& m, int& count) -> task<> {
        auto body = [&](task_group& group) -> task<> {
            for (int i = 0; i < 6; ++i)
                group.spawn(section, std::ref(w), std::ref(m), std::ref(count), i);
            static_cast<void>(co_await w.pause(1));
            CHECK(m.locked());
            CHECK_FALSE(m.try_lock());
        };
        co_await with_task_group(body);
    };
    root main(world.home, [&] { return program(world, one, inside); });
    world.settle();
    CHECK(world.log == std::vector{0, 1, 2, 3, 4, 5});
    CHECK_FALSE(one.locked());
    CHECK(one.try_lock());
    CHECK_FALSE(one.locked());
}

TEST_CASE("a lock that was granted to a line that then ends goes to who is next") {
    sweep_world world;
    mutex one;
    int inside = 0;
    auto const program = [](sweep_world& w, mutex& m, int& count) -> task<> {
        auto held = co_await m.lock();
        auto body = [&](task_group& group) -> task<> {
            group.spawn(section, std::ref(w), std::ref(m), std::ref(count), 1);
            group.spawn(section, std::ref(w), std::ref(m), std::ref(count), 2);
            static_cast<void>(co_await w.pause(1));
            chain* first = nullptr;  // the list starts with the youngest
            group.for_each([&first](chain& each) { first = &each; });
            held.unlock();  // grants to the first, which has not run when it is cancelled
            first->cancel(cancel_reason::user);
        };
        co_await with_task_group(body);
    };
    root main(world.home, [&] { return program(world, one, inside); });
    world.settle();
    CHECK(world.log == std::vector{2});
    CHECK_FALSE(one.locked());
}

TEST_CASE("a losing lock is passed on before the slowest loser has ended") {
    sweep_world world;
    mutex one;
    auto const program = [](sweep_world& w, mutex& m) -> task<> {
        auto waits = [](sweep_world& inner, mutex& shared) -> task<> {
            auto const held = co_await shared.lock();
            inner.log.push_back(1);
        };
        auto body = [&](task_group& group) -> task<> {
            auto held = co_await m.lock();
            group.spawn(waits, std::ref(w), std::ref(m));
            held.unlock();
            // Both are ready at once: the pause wins, and the lock that was won too is given up.
            auto const won = co_await when_any(w.pause(0), m.lock(), w.stubborn(5));
            CHECK(won.index == 0);
            CHECK(w.log == std::vector{1});
        };
        co_await with_task_group(body);
    };
    root main(world.home, [&] { return program(world, one); });
    world.settle();
    CHECK(main.completed());
    CHECK_FALSE(one.locked());
}

TEST_CASE("locking survives a cancellation at every point") {
    int const points = cancel_sweep(
        [](sweep_world& world) -> task<> {
            mutex one;
            mutex two;
            int inside = 0;
            auto body = [&](task_group& group) -> task<> {
                for (int i = 0; i < 3; ++i)
                    group.spawn(section, std::ref(world), std::ref(one), std::ref(inside), i);
                auto const both = co_await when_all(one.lock(), two.lock());
                CHECK(std::get<1>(both));
                static_cast<void>(co_await world.pause(1));
            };
            co_await with_task_group(body);
            CHECK_FALSE(one.locked());
        },
        [](sweep_world& world, bool completed) {
            if (completed) CHECK(world.log == std::vector{0, 1, 2});
        });
    CHECK(points > 10);
}
