// event: who waits goes on when it is set, in order.
#include "rill/coro/event.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "rill/coro/task_group.hpp"
#include "rill/coro/when_any.hpp"
#include "support/cancel_sweep.hpp"

using namespace rill;
using namespace rill::test;

namespace {

task<> wait_and_note(sweep_world& world, event& what, int value) {
    counted const local(world);
    co_await what.wait();
    world.log.push_back(value);
}

}  // namespace

TEST_CASE("set lets everybody go on in the order in which they came, and later waits at once") {
    sweep_world world;
    event ready;
    auto const program = [](sweep_world& w, event& what) -> task<> {
        auto body = [&](task_group& group) -> task<> {
            for (int i = 0; i < 5; ++i) group.spawn(wait_and_note, std::ref(w), std::ref(what), i);
            static_cast<void>(co_await w.pause(2));
            CHECK(w.log.empty());
            what.set();
            what.reset();  // takes nothing back from those who were let go on
            co_await group.join();
            group.spawn(wait_and_note, std::ref(w), std::ref(what), 5);
            static_cast<void>(co_await w.pause(2));
            CHECK(w.log.size() == 5);
            what.set();
            CHECK(what.is_set());
            co_await what.wait();
        };
        co_await with_task_group(body);
    };
    root main(world.home, [&] { return program(world, ready); });
    world.settle();
    CHECK(main.completed());
    CHECK(world.log == std::vector{0, 1, 2, 3, 4, 5});
}

TEST_CASE("a cancelled wait leaves the others in order") {
    sweep_world world;
    event ready;
    auto const program = [](sweep_world& w, event& what) -> task<> {
        auto body = [&](task_group& group) -> task<> {
            for (int i = 0; i < 4; ++i) group.spawn(wait_and_note, std::ref(w), std::ref(what), i);
            static_cast<void>(co_await w.pause(1));
            auto const won = co_await when_any(what.wait(), w.pause(1));
            CHECK(won.index == 1);
            int index = 0;
            group.for_each([&index](chain& each) {
                if (index++ % 2 == 1) each.cancel(cancel_reason::user);
            });
            what.set();
        };
        co_await with_task_group(body);
    };
    root main(world.home, [&] { return program(world, ready); });
    world.settle();
    CHECK(world.log == std::vector{1, 3});
    CHECK(world.live == 0);
}

TEST_CASE("waiting for an event survives a cancellation at every point") {
    int const points = cancel_sweep([](sweep_world& world) -> task<> {
        event ready;
        auto body = [&](task_group& group) -> task<> {
            group.spawn(wait_and_note, std::ref(world), std::ref(ready), 1);
            group.spawn(wait_and_note, std::ref(world), std::ref(ready), 2);
            static_cast<void>(co_await world.pause(2));
            ready.set();
            co_await ready.wait();
            ready.reset();
            group.spawn(wait_and_note, std::ref(world), std::ref(ready), 3);
            auto const won = co_await when_any(ready.wait(), world.pause(1));
            CHECK(won.index == 1);
            ready.set();
            co_await group.join();
        };
        co_await with_task_group(body);
    });
    CHECK(points > 10);
}
