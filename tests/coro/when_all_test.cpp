// when_all: all values, or the first failure after the others have ended.
#include "rill/coro/when_all.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "rill/coro/shield.hpp"
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

task<> nothing(sweep_world& world) {
    static_cast<void>(co_await world.pause());
}

task<std::unique_ptr<int>> boxed(int value) {
    co_return std::make_unique<int>(value);
}

class no_default {
public:
    explicit no_default(int value) : value_(value) {}
    no_default(no_default&&) noexcept = default;
    no_default& operator=(no_default&&) = delete;
    [[nodiscard]] int value() const { return value_; }

private:
    int value_;
};

task<no_default> undefaulted(int value) {
    co_return no_default(value);
}

struct not_an_error {
    int code;
};

task<int> throws_after(sweep_world& world, int turns, int code) {
    counted const local(world);
    static_cast<void>(co_await world.pause(turns));
    throw not_an_error{code};
}

task<std::vector<int>> listed() {
    co_return {1, 2, 3};
}

/// An operation that completes at once and gives the deadline of the line that awaits it.
class see_deadline final : public value_operation<time_point> {
    bool start() noexcept override {
        set_result(waiting_chain()->deadline());
        return false;
    }
    void cancel(cancel_reason) noexcept override {}
};

task<time_point> see_deadline_under_shield(sweep_world& world) {
    static_cast<void>(co_await world.pause());
    auto const seen = co_await shield(see_deadline());
    co_return seen;
}

/// An operation that tells the line that awaits it to end.
class cancelling_operation final : public value_operation<void> {
    bool start() noexcept override {
        waiting_chain()->cancel(cancel_reason::shutdown);
        set_result({});
        return false;
    }
    void cancel(cancel_reason) noexcept override {}
};

task<int> stops_itself(sweep_world& world) {
    counted const local(world);
    static_cast<void>(co_await world.pause());
    co_await cancelling_operation();
    world.log.push_back(-1);  // the operation had completed: its awaiter goes on once
    static_cast<void>(co_await world.pause());
    world.log.push_back(-2);
    co_return 1;
}

}  // namespace

TEST_CASE("when_all gives all values in order, whatever order they come in") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<int> {
        auto const all = co_await when_all(number(w, 3, 1), number(w, 1, 2), w.pause(2, 3));
        co_return std::get<0>(all) * 100 + std::get<1>(all) * 10 + std::get<2>(all);
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.take() == 123);
    CHECK(world.log == std::vector{2, 1});
}

TEST_CASE("when_all carries values that cannot be copied or made from nothing, and void") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<int> {
        auto const all = co_await when_all(boxed(7), undefaulted(8), nothing(w), listed());
        static_assert(std::is_same_v<std::tuple_element_t<2, std::remove_cvref_t<decltype(all)>>,
                                     std::monostate>);
        co_return *std::get<0>(all) + std::get<1>(all).value() +
            static_cast<int>(std::get<3>(all).size());
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.take() == 18);
}

TEST_CASE("the first failure in when_all cancels the siblings, waits for them and is thrown") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<int> {
        int code = 0;
        try {
            static_cast<void>(co_await when_all(number(w, 9, 1), throws_after(w, 2, 42),
                                                w.stubborn(5), throws_after(w, 3, 43)));
        } catch (not_an_error const& failure) {
            code = failure.code;
        }
        CHECK(w.in_flight() == 0);
        CHECK(w.live == 0);
        co_return code;
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.take() == 42);
    CHECK(world.log.empty());
}

TEST_CASE("a failed operation in when_all is thrown as an error that says what was tried") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<std::string> {
        std::string text;
        try {
            static_cast<void>(co_await when_all(number(w, 9, 1), w.failing(2)));
        } catch (error const& failure) {
            text = failure.operation();
        }
        co_return text;
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.take() == "pause");
}

TEST_CASE("what when_all had gathered goes back when a sibling fails") {
    sweep_world world;
    token_source source;
    source.tokens = {1, 2};
    auto const program = [](sweep_world& w, token_source& from) -> task<int> {
        int failures = 0;
        try {
            static_cast<void>(co_await when_all(from.take(), w.failing(3)));
        } catch (error const&) {
            ++failures;
        }
        co_return failures;
    };
    root main(world.home, [&] { return program(world, source); });
    world.settle();
    CHECK(main.take() == 1);
    CHECK(source.tokens == std::deque{1, 2});
    CHECK(source.taken == 0);
}

TEST_CASE("a value that was taken from an operation does not go back as well") {
    sweep_world world;
    token_source source;
    source.tokens = {5};
    auto const program = [](token_source& from) -> task<int> {
        auto const got = co_await when_all(from.take());
        int const token = std::get<0>(got);
        co_return token;
    };
    root main(world.home, [&] { return program(source); });
    world.settle();
    CHECK(main.take() == 5);
    CHECK(source.tokens.empty());
}

TEST_CASE("a child of when_all that ends its own line ends the whole line, with its reason") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<int> {
        static_cast<void>(co_await when_all(number(w, 9, 1), stops_itself(w)));
        w.log.push_back(-3);
        co_return 0;
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.stopped());
    CHECK(main.line().reason() == cancel_reason::shutdown);
    CHECK(world.log == std::vector{-1});
    CHECK(world.live == 0);
}

TEST_CASE("an operation whose own start cancels its line completes once") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<int> {
        w.cancel_inside(1);
        int const value = co_await w.pause(3);
        co_return value;
    };
    root main(world.home, [&] { return program(world); });
    world.line = &main.line();
    world.settle();
    CHECK(main.stopped());
    CHECK(world.in_flight() == 0);
}

TEST_CASE("children inherit the deadline of the line that waits for them") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<bool> {
        auto const all = co_await when_all(see_deadline(), see_deadline_under_shield(w));
        bool const inherited = std::get<0>(all) == time_point(5s);
        bool const dropped = std::get<1>(all) == never;
        co_return inherited&& dropped;
    };
    root main(world.home, [&] { return program(world); });
    main.line().limit_deadline(time_point(5s));
    main.line().limit_deadline(time_point(6s));
    world.settle();
    CHECK(main.take());
}

TEST_CASE("when_all survives a cancellation at every point") {
    int const points = cancel_sweep(
        [](sweep_world& world) -> task<> {
            counted const local(world);
            static_cast<void>(co_await when_all(number(world, 3, 1), world.stubborn(4), boxed(3),
                                                nothing(world)));
            static_cast<void>(co_await when_all(number(world, 0, 1), world.pause(0)));
        },
        [](sweep_world& world, bool completed) {
            if (completed) CHECK(world.log == std::vector{1, 1});
        });
    CHECK(points > 10);
}

TEST_CASE("when_all with a failing child survives a cancellation at every point") {
    int const points = cancel_sweep([](sweep_world& world) -> task<> {
        counted const local(world);
        try {
            static_cast<void>(co_await when_all(number(world, 9, 1), throws_after(world, 2, 1),
                                                throws_after(world, 2, 2), world.stubborn(4)));
        } catch (not_an_error const& failure) {
            CHECK(failure.code == 1);
        }
    });
    CHECK(points > 8);
}
