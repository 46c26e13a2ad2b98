// channel: bounded, in order, and no value is lost or doubled, whoever is cancelled.
#include "rill/coro/channel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/event.hpp"
#include "rill/coro/shield.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "support/cancel_sweep.hpp"

using namespace rill;
using namespace rill::test;

namespace {

task<> send_all(channel<int>& to, int from, int count) {
    for (int i = 0; i < count; ++i) co_await to.send(from + i);
}

task<> receive_all(sweep_world& world, channel<int>& from) {
    for (;;) {
        auto const value = co_await from.receive();
        if (!value) break;
        world.log.push_back(*value);
    }
}

}  // namespace

TEST_CASE("values come in the order in which they were sent, for every capacity") {
    for (std::size_t const capacity : {0U, 1U, 2U, 7U}) {
        sweep_world world;
        channel<int> numbers(capacity);
        auto const program = [](sweep_world& w, channel<int>& c) -> task<> {
            auto body = [&](task_group& group) -> task<> {
                group.spawn(receive_all, std::ref(w), std::ref(c));
                co_await send_all(c, 0, 20);
                c.close();
            };
            co_await with_task_group(body);
        };
        root main(world.home, [&] { return program(world, numbers); });
        world.settle();
        CHECK(main.completed());
        CHECK(world.log.size() == 20);
        CHECK(std::is_sorted(world.log.begin(), world.log.end()));
    }
}

TEST_CASE("send waits while the channel is full and try_send does not") {
    sweep_world world;
    channel<std::unique_ptr<int>> boxes(2);
    auto const program = [](sweep_world& w, channel<std::unique_ptr<int>>& c) -> task<> {
        CHECK(c.try_send(std::make_unique<int>(1)));
        co_await c.send(std::make_unique<int>(2));
        auto kept = std::make_unique<int>(3);
        CHECK_FALSE(c.try_send(std::move(kept)));
        REQUIRE(kept != nullptr);
        auto const won = co_await when_any(c.send(std::move(kept)), w.pause(2));
        CHECK(won.index == 1);
        CHECK(c.size() == 2);
        auto first = co_await c.receive();
        CHECK(**first == 1);
        auto second = c.try_receive();
        CHECK(**second == 2);
        CHECK_FALSE(c.try_receive());
    };
    root main(world.home, [&] { return program(world, boxes); });
    world.settle();
    CHECK(main.completed());
}

TEST_CASE("with capacity 0 send returns when a receiver has taken the value") {
    sweep_world world;
    channel<int> meeting(0);
    auto const program = [](sweep_world& w, channel<int>& c) -> task<> {
        auto sender = [](sweep_world& inner, channel<int>& to) -> task<> {
            co_await to.send(1);
            inner.log.push_back(10);
        };
        auto body = [&](task_group& group) -> task<> {
            CHECK_FALSE(c.try_send(5));
            group.spawn(sender, std::ref(w), std::ref(c));
            static_cast<void>(co_await w.pause(2));
            CHECK(w.log.empty());
            auto const value = co_await c.receive();
            w.log.push_back(*value);
            co_await group.join();
            group.spawn(receive_all, std::ref(w), std::ref(c));
            static_cast<void>(co_await w.pause(1));
            CHECK(c.try_send(2));  // a receiver waits
            CHECK_FALSE(c.try_send(3));
            static_cast<void>(co_await w.pause(1));
            c.close();
        };
        co_await with_task_group(body);
    };
    root main(world.home, [&] { return program(world, meeting); });
    world.settle();
    CHECK(main.completed());
    CHECK(world.log == std::vector{1, 10, 2});
}

TEST_CASE("after close what is buffered is received, then the end; waiting and new sends fail") {
    sweep_world world;
    channel<int> numbers(2);
    auto const program = [](sweep_world& w, channel<int>& c) -> task<> {
        auto sender = [](sweep_world& inner, channel<int>& to) -> task<> {
            auto const sent = co_await as_result(to.send(3));
            inner.log.push_back(sent.error() == make_error_code(errc::closed) ? -1 : 1);
        };
        auto body = [&](task_group& group) -> task<> {
            co_await send_all(c, 1, 2);
            group.spawn(sender, std::ref(w), std::ref(c));
            static_cast<void>(co_await w.pause(1));
            c.close();
            c.close();
            CHECK(c.closed());
            auto const late = co_await as_result(c.send(4));
            CHECK(late.error() == make_error_code(errc::closed));
            CHECK_FALSE(c.try_send(5));
            co_await receive_all(w, c);
            auto const again = co_await c.receive();
            CHECK_FALSE(again);
        };
        co_await with_task_group(body);
    };
    root main(world.home, [&] { return program(world, numbers); });
    world.settle();
    CHECK(main.completed());
    CHECK(world.log == std::vector{1, 2, -1});
}

TEST_CASE("a receive that had a value when its line ended leaves it first in the channel") {
    for (std::size_t const capacity : {0U, 1U, 3U}) {
        sweep_world world;
        channel<int> numbers(capacity);
        auto const program = [](sweep_world& w, channel<int>& c) -> task<> {
            auto takes_one = [](sweep_world& inner, channel<int>& from) -> task<> {
                auto const value = co_await from.receive();
                inner.log.push_back(*value + 100);
            };
            auto body = [&](task_group& group) -> task<> {
                group.spawn(takes_one, std::ref(w), std::ref(c));
                static_cast<void>(co_await w.pause(1));
                CHECK(c.try_send(0));  // promised to the receiver, which has not run
                group.for_each([](chain& each) { each.cancel(cancel_reason::user); });
                group.spawn(send_all, std::ref(c), 1, 2);
                static_cast<void>(co_await w.pause(2));
                CHECK(w.log.empty());
                group.spawn(receive_all, std::ref(w), std::ref(c));
                static_cast<void>(co_await w.pause(3));
                c.close();
            };
            co_await with_task_group(body);
        };
        root main(world.home, [&] { return program(world, numbers); });
        world.settle();
        CHECK(main.completed());
        CHECK(world.log == std::vector{0, 1, 2});
    }
}

TEST_CASE("a losing receive leaves its value first in the channel, before those sent meanwhile") {
    for (std::size_t const capacity : {0U, 1U, 2U}) {
        sweep_world world;
        channel<int> numbers(capacity);
        auto const program = [](sweep_world& w, channel<int>& c) -> task<> {
            auto body = [&](task_group& group) -> task<> {
                group.spawn(send_all, std::ref(c), 1, 4);
                static_cast<void>(co_await w.pause(1));
                // All have won when they start: the first is first, the others give back.
                auto const won = co_await when_any(w.pause(0), c.receive(), as_result(c.receive()));
                CHECK(won.index == 0);
                // Here the receives complete and hold their values until the sibling fails.
                auto const failed = co_await as_result(
                    when_all(c.receive(), c.receive(), c.receive(), w.failing(3)));
                CHECK_FALSE(failed.has_value());
                group.spawn(receive_all, std::ref(w), std::ref(c));
                static_cast<void>(co_await w.pause(3));
                c.close();
            };
            co_await with_task_group(body);
        };
        root main(world.home, [&] { return program(world, numbers); });
        world.settle();
        CHECK(main.completed());
        std::sort(world.log.begin(), world.log.end());
        CHECK(world.log == std::vector{1, 2, 3, 4});
    }
}

TEST_CASE("a receive in a combinator lets its sender go on before the combinator ends") {
    for (std::size_t const capacity : {0U, 1U}) {
        sweep_world world;
        channel<int> numbers(capacity);
        event sent;
        auto const program = [](sweep_world& w, channel<int>& c, event& done) -> task<int> {
            auto sender = [](channel<int>& to, event& when_sent) -> task<> {
                co_await send_all(to, 1, 2);
                when_sent.set();
            };
            auto body = [&](task_group& group) -> task<int> {
                group.spawn(sender, std::ref(c), std::ref(done));
                auto const all = co_await when_all(c.receive(), c.receive(), done.wait());
                int const first = *std::get<0>(all);
                auto const both = co_await when_all(c.receive(), c.send(3));
                co_return first * 100 + *std::get<1>(all) * 10 + *std::get<0>(both);
            };
            int const value = co_await with_task_group(body);
            static_cast<void>(w);
            co_return value;
        };
        root main(world.home, [&] { return program(world, numbers, sent); });
        world.settle();
        CHECK(main.take() == 123);
    }
}

TEST_CASE("receivers are served in the order in which they came") {
    sweep_world world;
    channel<int> numbers(4);
    auto const program = [](sweep_world& w, channel<int>& c) -> task<> {
        auto takes_one = [](sweep_world& inner, channel<int>& from, int number) -> task<> {
            auto const value = co_await from.receive();
            inner.log.push_back(number * 10 + *value);
        };
        auto body = [&](task_group& group) -> task<> {
            for (int i = 0; i < 3; ++i) group.spawn(takes_one, std::ref(w), std::ref(c), i);
            static_cast<void>(co_await w.pause(1));
            co_await send_all(c, 0, 3);
        };
        co_await with_task_group(body);
    };
    root main(world.home, [&] { return program(world, numbers); });
    world.settle();
    CHECK(world.log == std::vector{0, 11, 22});
}

TEST_CASE("a channel survives a cancellation at every point") {
    for (std::size_t const capacity : {0U, 1U, 3U}) {
        CAPTURE(capacity);
        int const points = cancel_sweep(
            [capacity](sweep_world& world) -> task<> {
                channel<int> numbers(capacity);
                auto body = [&](task_group& group) -> task<> {
                    auto sending = [&numbers](task_group& senders) -> task<> {
                        senders.spawn(send_all, std::ref(numbers), 0, 3);
                        senders.spawn(send_all, std::ref(numbers), 10, 3);
                        co_return;
                    };
                    group.spawn(receive_all, std::ref(world), std::ref(numbers));
                    group.spawn(receive_all, std::ref(world), std::ref(numbers));
                    auto const won = co_await when_any(numbers.receive(), world.pause(1));
                    static_cast<void>(won);
                    co_await with_task_group(sending);
                    numbers.close();
                };
                co_await with_task_group(body);
            },
            [](sweep_world& world, bool completed) {
                if (completed) CHECK(world.log.size() == 6);
            });
        CHECK(points > 10);
    }
}

namespace {

/// What became of each value of a storm.
struct ledger {
    std::vector<int> sent;       // the send returned
    std::vector<int> withdrawn;  // the send was cancelled or refused
    std::vector<int> received;
};

task<> storm_sender(sweep_world& world, channel<int>& to, ledger& book, int value, int turns) {
    auto const won = co_await when_any(as_result(to.send(value)), world.pause(turns));
    if (won.index == 0) {
        (std::get<0>(won.value) ? book.sent : book.withdrawn).push_back(value);
    }
}

task<> storm_receiver(sweep_world& world, channel<int>& from, ledger& book, int turns) {
    for (int i = 0; i < 3; ++i) {
        auto const won = co_await when_any(from.receive(), world.pause(turns));
        if (won.index == 0 && std::get<0>(won.value)) {
            book.received.push_back(*std::get<0>(won.value));
        }
    }
}

task<> storm(sweep_world& world, channel<int>& numbers, ledger& book, unsigned seed) {
    std::mt19937 random(seed);
    auto const upto = [&random](unsigned bound) { return static_cast<int>(random() % bound); };
    auto body = [&](task_group& group) -> task<> {
        for (int i = 0; i < 60; ++i) {
            group.spawn(storm_sender, std::ref(world), std::ref(numbers), std::ref(book), i,
                        upto(4));
            group.spawn(storm_receiver, std::ref(world), std::ref(numbers), std::ref(book),
                        upto(3));
            if (upto(3) == 0) static_cast<void>(co_await world.pause(upto(3)));
            int const unlucky = upto(8);
            int index = 0;
            group.for_each([&](chain& each) {
                if (index++ == unlucky) each.cancel(cancel_reason::user);
            });
        }
        co_await group.join();
    };
    co_await with_task_group(body);
    numbers.close();
    for (;;) {
        auto const rest = co_await numbers.receive();
        if (!rest) break;
        book.received.push_back(*rest);
    }
}

}  // namespace

TEST_CASE("in a storm of cancelled senders and receivers every sent value is received once") {
    for (unsigned seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        sweep_world world;
        channel<int> numbers(seed % 4);
        ledger book;
        root main(world.home, [&] { return storm(world, numbers, book, seed); });
        world.settle();
        REQUIRE(main.completed());
        std::sort(book.received.begin(), book.received.end());
        CHECK(std::adjacent_find(book.received.begin(), book.received.end()) ==
              book.received.end());
        for (int const each : book.sent)
            CHECK(std::binary_search(book.received.begin(), book.received.end(), each));
        for (int const each : book.withdrawn)
            CHECK_FALSE(std::binary_search(book.received.begin(), book.received.end(), each));
        CHECK(numbers.size() == 0);
    }
}
