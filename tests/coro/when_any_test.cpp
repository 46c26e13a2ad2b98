// when_any: the first to complete wins; the others are cancelled, joined and give back.
#include "rill/coro/when_any.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "support/cancel_sweep.hpp"
#include "support/token_source.hpp"

using namespace rill;
using namespace rill::test;

namespace {

task<int> number(sweep_world& world, int turns, int value) {
    counted const local(world);
    int const got = co_await world.pause(turns, value);
    world.log.push_back(got);
    co_return got;
}

task<std::unique_ptr<int>> boxed(sweep_world& world, int turns, int value) {
    static_cast<void>(co_await world.pause(turns));
    co_return std::make_unique<int>(value);
}

task<counted> counted_value(sweep_world& world, int turns) {
    static_cast<void>(co_await world.stubborn(turns));
    co_return counted(world);
}

}  // namespace

TEST_CASE("when_any gives the value of the first and its place") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<int> {
        auto const won = co_await when_any(number(w, 3, 1), boxed(w, 2, 2), w.pause(9, 3));
        CHECK(won.index == 1);
        CHECK(won.value.index() == 1);
        CHECK(w.live == 0);
        CHECK(w.in_flight() == 0);
        co_return *std::get<1>(won.value);
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.take() == 2);
    CHECK(world.log.empty());
}

TEST_CASE("when_any waits for a loser that does not end quickly, and drops its value at once") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<int> {
        auto const won =
            co_await when_any(w.pause(1, 6), counted_value(w, 3), number(w, 9, 1), w.stubborn(5));
        CHECK(w.in_flight() == 0);
        co_return static_cast<int>(won.index);
    };
    root main(world.home, [&] { return program(world); });
    while (world.in_flight() != 1) REQUIRE(world.step());
    for (int i = 0; i < 20 && world.live != 0; ++i) REQUIRE(world.step());
    CHECK_FALSE(main.ended());
    world.settle();
    CHECK(main.take() == 0);
}

TEST_CASE("when_any throws what the first threw, and a later failure is dropped") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<std::string> {
        std::string text;
        try {
            static_cast<void>(co_await when_any(number(w, 9, 1), w.failing(1, errc::closed),
                                                w.failing(1, errc::protocol)));
        } catch (error const& failure) {
            text = failure.code().message();
        }
        co_return text;
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.take() == make_error_code(errc::closed).message());
}

TEST_CASE("the token of a losing operation goes back to where it came from") {
    sweep_world world;
    token_source source;
    source.tokens = {1, 2, 3};
    auto const program = [](token_source& from) -> task<int> {
        auto const won = co_await when_any(from.take(), from.take());
        int const token = std::visit([](int value) { return value; }, won.value);
        co_return token;
    };
    root main(world.home, [&] { return program(source); });
    world.settle();
    CHECK(main.take() == 1);
    CHECK(source.tokens == std::deque{2, 3});
    CHECK(source.taken == 1);
}

TEST_CASE("the token of a winner goes back when the line ends before it could be taken") {
    for (int steps = 0; steps < 8; ++steps) {
        CAPTURE(steps);
        sweep_world world;
        token_source source;
        source.tokens = {1};
        auto const program = [](sweep_world& w, token_source& from) -> task<int> {
            auto const won = co_await when_any(from.take(), w.stubborn(2));
            static_cast<void>(won);
            static_cast<void>(co_await w.pause(100));
            co_return 0;
        };
        root main(world.home, [&] { return program(world, source); });
        for (int i = 0; i < steps; ++i) static_cast<void>(world.step());
        main.cancel();
        world.settle();
        CHECK(main.stopped());
        CHECK(source.tokens.size() + static_cast<std::size_t>(source.taken) == 1);
    }
}

TEST_CASE("two ways to wait for the same source lose no token, wherever the line is cancelled") {
    int const points = cancel_sweep([](sweep_world& world) -> task<> {
        counted const local(world);
        token_source source;
        source.tokens = {1, 2, 3};
        for (int i = 0; i < 3; ++i) {
            int const taken_before = source.taken;
            auto const won = co_await when_any(source.take(), source.take(), world.pause(1));
            static_cast<void>(won);
            CHECK(source.taken == taken_before + 1);
            CHECK(source.tokens.size() == static_cast<std::size_t>(2 - i));
        }
        auto const last = co_await when_any(source.take(), world.pause(2));
        CHECK(last.index == 1);
    });
    CHECK(points > 10);
}

TEST_CASE("when_any of as_result lets a failure win without a throw") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<bool> {
        auto const won = co_await when_any(as_result(w.failing(1)), as_result(number(w, 9, 1)));
        bool const failed = won.index == 0 && !std::get<0>(won.value).has_value();
        co_return failed;
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.take());
}

TEST_CASE("when_any survives a cancellation at every point") {
    int const points = cancel_sweep([](sweep_world& world) -> task<> {
        counted const local(world);
        auto const first = co_await when_any(number(world, 3, 1), world.stubborn(4),
                                             boxed(world, 2, 3), counted_value(world, 3));
        CHECK(first.index == 2);
        auto const second = co_await when_any(when_any(world.pause(5), number(world, 2, 1)),
                                              when_any(world.pause(3), world.stubborn(6)));
        CHECK(second.index == 0);
    });
    CHECK(points > 20);
}
