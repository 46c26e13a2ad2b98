// What sockets hold of a core: receive buffers, bounds, and what happens when they are out.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/tcp.hpp"
#include "support/death.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

using test::make_pair;
using test::pair;
using test::read_all;
using test::settle;

std::uint32_t held() {
    return core::current().buffers().held();
}

/// Sends `size` bytes and ends the stream.
task<> send_and_finish(tcp::stream& to, std::size_t size) {
    std::string const text(size, 's');
    co_await to.write(text);
    to.finish();
}

/// A hundred round trips of `size` bytes.
task<> chat(tcp::stream& client, tcp::stream& server, std::size_t size, int count) {
    std::string const text(size, 'c');
    for (int i = 0; i < count; ++i) {
        auto const there = co_await when_all(client.write(text), test::read_exactly(server, size));
        CHECK(std::get<1>(there) == text);
        auto const back = co_await when_all(server.write(text), test::read_exactly(client, size));
        CHECK(std::get<1>(back) == text);
    }
}

constexpr test::world_options few_buffers{.receive_buffers = 4, .receive_copies = 0};
constexpr test::world_options few_with_copies{.receive_buffers = 16, .receive_copies = 512};
constexpr test::world_options large_window{.receive_buffers = 256, .window_bytes = 4'000'000};
constexpr test::world_options short_sends{.short_sends = true, .most_received = 7};

}  // namespace

RILL_IO_TEST_WITH(large_window, "a flooding peer is paused at the bound, and goes on when read") {
    pair ends;
    co_await make_pair(ends);
    std::size_t const size = 2'000'000;
    auto reading = [&]() -> task<std::size_t> {
        auto const first = co_await test::read_exactly(ends.server, 1);
        co_await settle(3);
        // 16 buffers, and what one turn can bring before the cancel acts: 33 on the wire of the
        // simulation; Linux runs a receive that has more several times in one enter.
        std::uint32_t const paused = held();
        CHECK(paused >= 16);
        CHECK(paused <= 16 + 33 * (test::simulated() ? 1 : 4));
        co_await settle(50);
        CHECK(held() == paused);
        auto const rest = co_await read_all(ends.server);
        co_return first.size() + rest.size();
    };
    auto const both = co_await when_all(send_and_finish(ends.client, size), reading());
    CHECK(std::get<1>(both) == size);
}

RILL_IO_TEST("single bytes that nobody reads share a buffer") {
    pair ends;
    co_await make_pair(ends);
    co_await ends.client.write("0");
    std::string got = co_await test::read_exactly(ends.server, 1);
    for (int i = 0; i < 500; ++i) {
        co_await ends.client.write("x");
        co_await settle(1);
    }
    CHECK(held() == 1);
    ends.client.finish();
    got += co_await read_all(ends.server);
    CHECK(got == "0" + std::string(500, 'x'));
}

RILL_IO_TEST_WITH(few_with_copies, "peers that are not read leave buffers for those that are") {
    constexpr std::size_t count = 60;
    constexpr std::size_t size = 300'000;
    std::vector<std::unique_ptr<pair>> floods;
    for (std::size_t i = 0; i < count; ++i) {
        co_await make_pair(*floods.emplace_back(std::make_unique<pair>()));
    }
    co_await with_task_group([&](task_group& group) -> task<> {
        for (auto& each : floods) {
            group.spawn(send_and_finish, std::ref(each->client), size);
            auto const first = co_await test::read_exactly(each->server, 1);
            CHECK(first == "s");
            co_await settle(3);
        }
        // Each of them holds something, and there is still room.
        CHECK(held() >= count);
        CHECK(held() < 16 + 512);
        pair polite;
        co_await make_pair(polite);
        co_await timeout(10s, chat(polite.client, polite.server, 3000, 5));
        // Nothing of what was held back is lost.
        for (auto& each : floods) {
            auto const rest = co_await read_all(each->server);
            CHECK(rest.size() == size - 1);
        }
    });
    CHECK(held() == 0);
}

RILL_IO_TEST("an idle connection holds no buffer") {
    std::vector<std::unique_ptr<pair>> many;
    for (int i = 0; i < 50; ++i) {
        auto& each = *many.emplace_back(std::make_unique<pair>());
        co_await make_pair(each);
        co_await chat(each.client, each.server, 100, 1);
    }
    auto waiting = [&]() -> task<> {
        auto const none = co_await many[0]->server.receive();
        (void)none;
    };
    co_await when_any(waiting(), settle(5));
    CHECK(held() == 0);
}

RILL_IO_TEST_WITH(few_buffers, "with four buffers a thousand busy sockets all finish (C134)") {
    int const count = test::rounds(1000, 300);
    std::vector<std::unique_ptr<pair>> many;
    for (int i = 0; i < count; ++i) {
        auto& each = *many.emplace_back(std::make_unique<pair>());
        co_await make_pair(each);
    }
    co_await with_task_group([&](task_group& group) -> task<> {
        for (auto& each : many) {
            group.spawn(chat, std::ref(each->client), std::ref(each->server), std::size_t{6000}, 3);
        }
        co_return;
    });
    CHECK(held() == 0);
}

RILL_IO_TEST_WITH(few_buffers,
                  "a socket without data that waited for a buffer keeps it from nobody") {
    // All four buffers are leased; five idle readers and one with input find none.
    pair hog;
    co_await make_pair(hog);
    std::string const text(4 * 4096, 'h');
    co_await hog.client.write(text);
    std::vector<lease> leased;
    std::size_t got = 0;
    while (got < text.size() && leased.size() < 4) {
        auto part = co_await hog.server.receive();
        got += part.size();
        leased.push_back(std::move(part));
    }
    std::array<pair, 6> idle;
    for (pair& each : idle) co_await make_pair(each);
    co_await with_task_group([&](task_group& group) -> task<> {
        auto const wait = [](tcp::stream& from) -> task<> {
            auto const none = co_await from.receive();
            CHECK_FALSE(none);
        };
        for (std::size_t i = 0; i < 5; ++i) group.spawn(wait, std::ref(idle[i].server));
        co_await settle(3);
        co_await idle[5].client.write("input");
        auto last = [&]() -> task<> {
            auto const got_input = co_await idle[5].server.receive(deadline_in(5s));
            CHECK(got_input.view() == bytes("input"));
        };
        auto giving = [&]() -> task<> {
            co_await settle(5);
            leased.pop_back();  // one buffer comes back
        };
        co_await when_all(last(), giving());
        for (std::size_t i = 0; i < 5; ++i) idle[i].client.finish();
    });
    leased.clear();
}

RILL_IO_TEST_WITH(few_buffers,
                  "closing with unread input gives all buffers back, again and again") {
    for (int i = 0; i < 100; ++i) {
        pair ends;
        co_await make_pair(ends);
        std::string const text(12'000, 'u');
        auto const wrote = co_await as_result(ends.client.write(text));
        CHECK(wrote);
        auto reading = [&]() -> task<> {
            for (;;) {
                auto const part = co_await ends.server.receive();
                if (!part) break;
                co_await settle(1);
            }
        };
        co_await when_any(reading(), settle(i % 6));
        ends.server.close();
        co_await settle(3);
        CHECK(held() == 0);
    }
}

RILL_IO_TEST_WITH(few_with_copies, "while slow readers hold leases, others receive in copies") {
    std::vector<std::unique_ptr<pair>> slow;
    std::vector<lease> leases;
    for (int i = 0; i < 100; ++i) {
        auto& each = *slow.emplace_back(std::make_unique<pair>());
        co_await make_pair(each);
        co_await each.client.write("held");
        auto part = co_await each.server.receive();
        leases.push_back(std::move(part));
    }
    CHECK(held() == 100);
    CHECK(core::current().buffers().ring_held() <= 8);
    pair quick;
    co_await make_pair(quick);
    co_await chat(quick.client, quick.server, 50'000, 3);
    for (lease const& each : leases) CHECK(each.view() == bytes("held"));
    leases.clear();
    CHECK(held() == 0);
}

RILL_IO_TEST_WITH(short_sends, "short sends and small pieces lose and reorder nothing") {
    pair ends;
    co_await make_pair(ends);
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += std::to_string(i) + ",";
    std::vector<bytes> pieces;
    for (std::size_t at = 0; at < text.size(); at += 997) {
        pieces.push_back(bytes(text).without_first(at).first(997));
    }
    auto writing = [&]() -> task<> {
        co_await ends.client.write(std::span<bytes const>(pieces));
        ends.client.finish();
    };
    auto const both = co_await when_all(read_all(ends.server), writing());
    CHECK(std::get<0>(both) == text);
}

RILL_IO_TEST("a lease is given back once, also when moved, reset or partly consumed") {
    pair ends;
    co_await make_pair(ends);
    co_await ends.client.write("abcdef");
    auto first = co_await ends.server.receive();
    first.consume(2);
    CHECK(first.view() == bytes("cdef"));
    first.writable().data()[0] = std::byte{'C'};
    lease second = std::move(first);
    CHECK_FALSE(first);
    CHECK(second.view() == bytes("Cdef"));
    CHECK(held() == 1);
    second.reset();
    second.reset();
    CHECK(held() == 0);
}

TEST_CASE("a second reader of a stream is a bug, and told so") {
    std::string const told = test::assertion_of([] {
        test::simulate([]() -> task<> {
            pair ends;
            co_await make_pair(ends);
            auto const both = co_await when_all(ends.server.receive(), ends.server.receive());
            (void)both;
        });
    });
    CHECK(told.find("one reader of a stream at a time") != std::string::npos);
}

TEST_CASE("a simulation in which nothing can happen any more stops with advice") {
    std::string const told = test::assertion_of([] {
        test::simulate([]() -> task<> {
            pair ends;
            co_await make_pair(ends);
            auto const none = co_await ends.server.receive();
            (void)none;
        });
    });
    CHECK(told.find("deadlock in the simulation") != std::string::npos);
    CHECK(told.find("a read without a writer") != std::string::npos);
}

TEST_CASE("the same program over a simulation gives the same trace, another seed another") {
    auto const program = []() -> task<> {
        tcp::listener at("127.0.0.1:0");
        address const where = at.local_address();
        auto const echo = [](tcp::stream peer) -> task<> {
            for (;;) {
                auto const part = co_await peer.receive();
                if (!part) break;
                co_await peer.write(part.view());
            }
        };
        auto clients = [&]() -> task<> {
            co_await with_task_group([&](task_group& group) -> task<> {
                auto const one = [&](int number) -> task<> {
                    auto peer = co_await tcp::connect(where);
                    std::string const text(static_cast<std::size_t>(number) * 1000, 'x');
                    auto finishing = [&]() -> task<> {
                        co_await peer.write(text);
                        peer.finish();
                    };
                    auto const both = co_await when_all(finishing(), read_all(peer));
                    CHECK(std::get<1>(both) == text);
                };
                for (int i = 0; i < 20; ++i) group.spawn(one, i);
                co_return;
            });
        };
        co_await when_any(at.serve(echo), clients());
    };
    test::world_options options{.seed = 7, .short_sends = true, .latency = 100us};
    auto const once = test::trace_of(program, options);
    auto const twice = test::trace_of(program, options);
    CHECK(once == twice);
    options.seed = 8;
    auto const other = test::trace_of(program, options);
    CHECK(once != other);
}

TEST_CASE("an hour of waiting in a simulation takes no time, and no work in between") {
    test::simulate([]() -> task<> {
        pair ends;
        co_await make_pair(ends);
        auto const begun = core::current().now();
        auto const turns = core::current().totals().turns;
        auto const got = co_await as_result(ends.server.receive(deadline_in(1h)));
        CHECK(got.error() == errc::timed_out);
        CHECK(core::current().now() - begun >= 1h);
        CHECK(core::current().now() - begun <= 1h + 10ms);
        CHECK(core::current().totals().turns - turns < 10'000);
    });
}

TEST_CASE("on a wire with latency everything takes its time, and arrives in order") {
    test::world_options options{.latency = 10ms};
    test::simulate(
        []() -> task<> {
            auto const begun = core::current().now();
            pair ends;
            co_await make_pair(ends);
            CHECK(core::current().now() - begun >= 20ms);  // there and back
            co_await chat(ends.client, ends.server, 100'000, 2);
            CHECK(core::current().now() - begun >= 60ms);
        },
        options);
}

}  // namespace rill
