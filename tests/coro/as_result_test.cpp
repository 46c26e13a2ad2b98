// as_result: failures and cancellations as values, for tasks, operations and combinators.
#include "rill/coro/as_result.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "rill/coro/shield.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "support/cancel_sweep.hpp"

using namespace rill;
using namespace rill::test;

namespace {

task<std::unique_ptr<int>> boxed(sweep_world& world, int value) {
    counted const local(world);
    static_cast<void>(co_await world.pause());
    co_return std::make_unique<int>(value);
}

task<int> fails(sweep_world& world, errc code) {
    counted const local(world);
    int const value = co_await world.failing(1, code);
    co_return value;
}

task<> throws_something_else(sweep_world& world) {
    static_cast<void>(co_await world.pause());
    throw std::runtime_error("no error of rill's");
}

std::error_code const cancelled = make_error_code(errc::cancelled);

}  // namespace

TEST_CASE("as_result of a task gives its value or the code of its error") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<> {
        auto const value = co_await as_result(boxed(w, 3));
        REQUIRE(value.has_value());
        CHECK(**value == 3);
        auto const none = co_await as_result(fails(w, errc::closed));
        CHECK(none.error() == make_error_code(errc::closed));
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.completed());
    CHECK_FALSE(main.failed());
}

TEST_CASE("as_result of an operation gives its value or its code") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<> {
        auto const value = co_await as_result(w.pause(1, 4));
        REQUIRE(value.has_value());
        CHECK(*value == 4);
        auto const none = co_await as_result(w.failing(1, errc::protocol));
        CHECK(none.error() == make_error_code(errc::protocol));
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.completed());
    CHECK_FALSE(main.failed());
}

TEST_CASE("as_result lets exceptions that are no error pass") {
    sweep_world world;
    auto const program = [](sweep_world& w, int which) -> task<> {
        if (which == 0) {
            auto const direct = co_await as_result(throws_something_else(w));
            static_cast<void>(direct);
        } else if (which == 1) {
            auto const both = co_await as_result(when_all(throws_something_else(w), w.pause(9)));
            static_cast<void>(both);
        } else {
            auto const settled =
                co_await when_all(as_result(throws_something_else(w)), as_result(w.pause(9)));
            static_cast<void>(settled);
        }
    };
    for (int which = 0; which < 3; ++which) {
        root main(world.home, [&] { return program(world, which); });
        world.settle();
        CHECK_THROWS_AS(main.take(), std::runtime_error);
    }
}

TEST_CASE("as_result of a combinator gives its value or the code of the failure") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<> {
        auto const all = co_await as_result(when_all(boxed(w, 1), w.pause(2, 2)));
        REQUIRE(all.has_value());
        CHECK(std::get<1>(*all) == 2);
        auto const failed =
            co_await as_result(when_all(boxed(w, 1), fails(w, errc::limit_exceeded)));
        CHECK(failed.error() == make_error_code(errc::limit_exceeded));
        auto const any = co_await as_result(when_any(w.pause(9), fails(w, errc::closed)));
        CHECK(any.error() == make_error_code(errc::closed));
        auto body = [&w](task_group& group) -> task<> {
            group.spawn([&w]() -> task<> { static_cast<void>(co_await fails(w, errc::bad_url)); });
            static_cast<void>(co_await w.pause(9));
        };
        auto const group = co_await as_result(with_task_group(body));
        CHECK(group.error() == make_error_code(errc::bad_url));
        auto const cleaned = co_await as_result(finally(fails(w, errc::closed), w.pause(1)));
        CHECK(cleaned.error() == make_error_code(errc::closed));
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.completed());
    CHECK_FALSE(main.failed());
}

TEST_CASE("when_all of as_result waits for all, whichever fail") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<> {
        auto const all = co_await when_all(as_result(fails(w, errc::closed)),
                                           as_result(boxed(w, 5)), as_result(w.failing(3)));
        CHECK(std::get<0>(all).error() == make_error_code(errc::closed));
        CHECK(**std::get<1>(all) == 5);
        CHECK(std::get<2>(all).error() == make_error_code(errc::protocol));
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.completed());
    CHECK_FALSE(main.failed());
}

TEST_CASE("a cancellation is seen by as_result over every combinator, and stays") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<> {
        // The first is cut while it waits; all later ones are refused before they start.
        for (int round = 0; round < 2; ++round) {
            auto const all = co_await as_result(when_all(boxed(w, 1), w.pause(9)));
            CHECK(all.error() == cancelled);
            auto const any = co_await as_result(when_any(boxed(w, 1), w.pause(9)));
            CHECK(any.error() == cancelled);
            auto body = [&w](task_group&) -> task<> { static_cast<void>(co_await w.pause(9)); };
            auto const group = co_await as_result(with_task_group(body));
            CHECK(group.error() == cancelled);
            auto const cleaned = co_await as_result(finally(w.pause(9), w.pause(1)));
            CHECK(cleaned.error() == cancelled);
            auto const shielded = co_await as_result(shield(w.pause(1, 6)));
            CHECK(shielded.has_value());
            w.log.push_back(round);
        }
        auto const task_in_cancelled_line = co_await as_result(boxed(w, 1));
        static_cast<void>(task_in_cancelled_line);
        w.log.push_back(99);
    };
    root main(world.home, [&] { return program(world); });
    for (int i = 0; i < 3; ++i) REQUIRE(world.step());
    main.cancel();
    world.settle();
    CHECK(main.stopped());
    CHECK(world.log == std::vector{0, 1});
    CHECK(world.live == 0);
}

TEST_CASE("as_result over all kinds survives a cancellation at every point") {
    int const points = cancel_sweep([](sweep_world& world) -> task<> {
        counted const local(world);
        auto const one = co_await as_result(world.pause(2));
        static_cast<void>(one);
        auto const two = co_await as_result(when_all(boxed(world, 1), world.stubborn(3)));
        static_cast<void>(two);
        auto const three = co_await when_any(as_result(boxed(world, 1)), as_result(world.pause(3)));
        static_cast<void>(three);
        auto const four = co_await as_result(fails(world, errc::closed));
        CHECK(four.error() == make_error_code(errc::closed));
    });
    CHECK(points > 10);
}
