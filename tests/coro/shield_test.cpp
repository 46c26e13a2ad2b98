// shield and finally: what runs to its end in a line that was told to end.
#include "rill/coro/shield.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "support/cancel_sweep.hpp"

using namespace rill;
using namespace rill::test;

namespace {

task<int> number(sweep_world& world, int turns, int value) {
    counted const local(world);
    int const got = co_await world.pause(turns, value);
    world.log.push_back(got);
    co_return got;
}

task<int> throws_after(sweep_world& world, int turns) {
    counted const local(world);
    static_cast<void>(co_await world.pause(turns));
    throw std::runtime_error("broken");
}

task<> clean_up(sweep_world& world, int turns) {
    counted const local(world);
    static_cast<void>(co_await world.pause(turns));
    static_cast<void>(co_await world.pause(turns));
    world.log.push_back(100);
}

task<> failing_clean_up(sweep_world& world) {
    static_cast<void>(co_await world.pause());
    throw std::logic_error("cleanup");
}

/// Runs `program` and cancels it once it waits for the `turn`th time of the clock.
template <class Program>
std::vector<int> cancelled_log(Program const& program, int turn, bool& stopped) {
    sweep_world world;
    root main(world.home, [&] { return program(world); });
    for (int i = 0; i < turn;) {
        if (world.home.idle()) ++i;
        if (i < turn) REQUIRE(world.step());
    }
    main.cancel();
    world.settle();
    REQUIRE(main.ended());
    CHECK(world.live == 0);
    stopped = main.stopped();
    return world.log;
}

}  // namespace

TEST_CASE("shielded work is not cut, its value is delivered, and the next await ends the line") {
    bool stopped = false;
    auto const log = cancelled_log(
        [](sweep_world& w) -> task<> {
            int const value = co_await shield(number(w, 4, 1));
            w.log.push_back(value + 10);
            static_cast<void>(co_await w.pause());
            w.log.push_back(99);
        },
        2, stopped);
    CHECK(log == std::vector{1, 11});
    CHECK(stopped);
}

TEST_CASE("a line that was told to end can shield several awaits, one after the other") {
    bool stopped = false;
    auto const log = cancelled_log(
        [](sweep_world& w) -> task<> {
            auto const cut = co_await as_result(w.pause(9));
            CHECK(cut.error() == make_error_code(errc::cancelled));
            static_cast<void>(co_await shield(number(w, 2, 1)));
            static_cast<void>(co_await shield(w.pause(2)));
            static_cast<void>(co_await shield(number(w, 2, 2)));
            static_cast<void>(co_await number(w, 2, 3));
        },
        2, stopped);
    CHECK(log == std::vector{1, 2});
    CHECK(stopped);
}

TEST_CASE("an exception passes through shield, in a cancelled line too") {
    bool stopped = true;
    auto const log = cancelled_log(
        [](sweep_world& w) -> task<> {
            try {
                static_cast<void>(co_await shield(throws_after(w, 4)));
            } catch (std::runtime_error const&) {
                w.log.push_back(5);
            }
        },
        2, stopped);
    CHECK(log == std::vector{5});
    CHECK_FALSE(stopped);
}

TEST_CASE("finally runs its cleanup after a value and gives the value") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<int> {
        int const value = co_await finally(number(w, 1, 3), clean_up(w, 1));
        co_return value;
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.take() == 3);
    CHECK(world.log == std::vector{3, 100});
}

TEST_CASE("finally runs its cleanup after an exception and throws the exception") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<std::string> {
        std::string text;
        try {
            static_cast<void>(co_await finally(throws_after(w, 1), clean_up(w, 1)));
        } catch (std::runtime_error const& thrown) {
            text = thrown.what();
        }
        co_return text;
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.take() == "broken");
    CHECK(world.log == std::vector{100});
}

TEST_CASE("finally runs its cleanup after a cancellation, and then the line ends") {
    bool stopped = false;
    auto const log = cancelled_log(
        [](sweep_world& w) -> task<> {
            static_cast<void>(co_await finally(number(w, 9, 3), clean_up(w, 3)));
            w.log.push_back(99);
        },
        2, stopped);
    CHECK(log == std::vector{100});
    CHECK(stopped);
}

TEST_CASE("the failure of a cleanup is thrown, whatever became of the work") {
    for (int const turns : {1, 9}) {
        bool stopped = true;
        auto const log = cancelled_log(
            [turns](sweep_world& w) -> task<> {
                try {
                    static_cast<void>(co_await finally(number(w, turns, 3), failing_clean_up(w)));
                } catch (std::logic_error const&) {
                    w.log.push_back(7);
                }
            },
            2, stopped);
        CHECK(log.back() == 7);
        CHECK_FALSE(stopped);
    }
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<> {
        static_cast<void>(co_await finally(throws_after(w, 1), failing_clean_up(w)));
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK_THROWS_AS(main.take(), std::logic_error);
}

TEST_CASE("the failure of a cleanup is the failure of a when_all around it") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<std::string> {
        std::string text;
        try {
            static_cast<void>(
                co_await when_all(finally(number(w, 9, 1), failing_clean_up(w)), w.failing(2)));
        } catch (std::exception const& thrown) {
            text = thrown.what();
        }
        co_return text;
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    // The sibling failed first: that is thrown, and the cleanup ran all the same.
    CHECK(main.take().find("pause") == 0);
    CHECK(world.in_flight() == 0);
}

TEST_CASE("cleanup runs once and to its end for a cancellation at every point") {
    int const points = cancel_sweep(
        [](sweep_world& world) -> task<> {
            counted const local(world);
            world.log.push_back(0);
            static_cast<void>(co_await finally(number(world, 2, 3), clean_up(world, 2)));
            static_cast<void>(co_await shield(number(world, 2, 4)));
        },
        [](sweep_world& world, bool completed) {
            auto const cleaned = std::count(world.log.begin(), world.log.end(), 100);
            CHECK(cleaned == (world.log.empty() ? 0 : 1));
            if (completed) CHECK(world.log == std::vector{0, 3, 100, 4});
        });
    CHECK(points > 10);
}
