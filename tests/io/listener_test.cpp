// Promises of tcp::listener and tcp::connect, on the ring and in a simulation.
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/tcp.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

using test::read_all;
using test::settle;

task<> echo(tcp::stream peer) {
    for (;;) {
        auto const part = co_await peer.receive();
        if (!part) break;
        co_await peer.write(part.view());
    }
}

/// One client: sends a line, reads it back.
task<> ask(address where, int number) {
    auto peer = co_await tcp::connect(where);
    std::string const line = "line " + std::to_string(number);
    co_await peer.write(line);
    peer.finish();
    auto const back = co_await read_all(peer);
    CHECK(back == line);
}

}  // namespace

RILL_IO_TEST("a listener that never accepted closes and lets go") {
    tcp::listener at("127.0.0.1:0");
    CHECK(at.local_address().port() != 0);
    co_return;
}

RILL_IO_TEST("a listener that was closed by hand says closed, and lets go") {
    tcp::listener at("127.0.0.1:0");
    at.close();
    at.close();
    auto const none = co_await as_result(at.accept());
    CHECK(none.error() == errc::closed);
    tcp::listener used("127.0.0.1:0");
    co_await when_any(used.accept(), settle());
    used.close();
    co_await settle();
    auto const nothing = co_await as_result(used.accept());
    CHECK(nothing.error() == errc::closed);
}

RILL_IO_TEST("closing ends an accept that waits in another coroutine with closed (C130)") {
    tcp::listener at("127.0.0.1:0");
    auto waiting = [&]() -> task<std::error_code> {
        auto const got = co_await as_result(at.accept());
        co_return got.error();
    };
    auto closing = [&]() -> task<> {
        co_await settle();
        at.close();
    };
    auto const all = co_await when_all(waiting(), waiting(), closing());
    CHECK(std::get<0>(all) == errc::closed);
    CHECK(std::get<1>(all) == errc::closed);
}

RILL_IO_TEST("two accepts at once get one connection each") {
    tcp::listener at("127.0.0.1:0");
    address const where = at.local_address();
    auto const all =
        co_await when_all(at.accept(), at.accept(), tcp::connect(where), tcp::connect(where));
    CHECK(std::get<0>(all).remote_address() != std::get<1>(all).remote_address());
}

RILL_IO_TEST("port 0 gives a port, and :0 takes both families") {
    tcp::listener at(":0");
    std::uint16_t const port = at.local_address().port();
    CHECK(port != 0);
    std::string const v4 = "127.0.0.1:" + std::to_string(port);
    auto four = co_await tcp::connect(v4);
    auto from_four = co_await at.accept();
    CHECK(from_four.remote_address().kind() == address::family::ipv4);
    CHECK(from_four.remote_address() == four.local_address());
    std::string const v6 = "[::1]:" + std::to_string(port);
    auto six = co_await tcp::connect(v6);
    auto from_six = co_await at.accept();
    CHECK(from_six.remote_address().kind() == address::family::ipv6);
}

RILL_IO_TEST("without dual_stack the IPv6 wildcard takes no IPv4") {
    tcp::listener at("[::]:0", {.dual_stack = false});
    std::string const v4 = "127.0.0.1:" + std::to_string(at.local_address().port());
    auto const refused = co_await as_result(tcp::connect(v4));
    CHECK(refused.error() == std::errc::connection_refused);
}

RILL_IO_TEST("a port in use is an error that names the address and the remedy") {
    tcp::listener at("127.0.0.1:0", {.reuse_port = false});
    std::string const where = at.local_address().text();
    std::string text;
    try {
        tcp::listener again(where, {.reuse_port = false});
    } catch (error const& failure) {
        text = failure.what();
        CHECK(failure.code() == std::errc::address_in_use);
    }
    CHECK(text.find(where) != std::string::npos);
    CHECK(text.find("another program has this port") != std::string::npos);
    co_return;
}

RILL_IO_TEST("a listener that must be first has its port alone, and lets later ones share it") {
    tcp::listener first("127.0.0.1:0", {.must_be_first = true});
    std::string const where = first.local_address().text();
    CHECK_THROWS_AS(tcp::listener(where, {.must_be_first = true}), error);
    tcp::listener const joins(where);
    CHECK(joins.local_address() == first.local_address());
    CHECK_THROWS_AS(tcp::listener(where, {.must_be_first = true}), error);
    co_return;
}

RILL_IO_TEST("an address that is none is refused with how to write one") {
    std::string text;
    try {
        tcp::listener at("nonsense");
    } catch (error const& failure) {
        text = failure.what();
        CHECK(failure.code() == errc::bad_address);
    }
    CHECK(text.find("127.0.0.1:80") != std::string::npos);
    auto const connected = co_await as_result(tcp::connect("nonsense"));
    CHECK(connected.error() == errc::bad_address);
}

RILL_IO_TEST("a refused connect throws an error that names the address") {
    std::string where;
    {
        tcp::listener gone("127.0.0.1:0");
        where = gone.local_address().text();
        gone.close();
        co_await settle();
    }
    co_await settle();
    std::string text;
    try {
        auto const made = co_await tcp::connect(where);
    } catch (error const& failure) {
        text = failure.what();
        CHECK(failure.code() == std::errc::connection_refused);
    }
    CHECK(text.find(where) != std::string::npos);
}

RILL_IO_TEST(
    "a connection accepted at the moment of a cancellation goes to the next accept (C131)") {
    tcp::listener at("127.0.0.1:0");
    address const where = at.local_address();
    std::size_t const before = test::open_descriptors();
    int const count = test::rounds(10'000, 1'000);
    int first = 0;
    for (int i = 0; i < count; ++i) {
        auto client = co_await tcp::connect(where);
        auto const who = co_await when_any(at.accept(), settle(i % 4));
        if (who.index == 0) {
            ++first;
            continue;
        }
        auto const next = co_await at.accept();
        CHECK(next);
    }
    CHECK(first < count);
    co_await settle(5);
    CHECK(test::open_descriptors() <= before + 1);
}

RILL_IO_TEST("a deadline on accept at the moment a client connects leaks nothing (C131)") {
    int const count = test::rounds(2'000, 200);
    for (int i = 0; i < count; ++i) {
        tcp::listener at("127.0.0.1:0");
        address const where = at.local_address();
        auto accepting = [&]() -> task<> {
            auto const peer = co_await at.accept();
            (void)peer;
        };
        auto connecting = [&]() -> task<> {
            auto const peer = co_await tcp::connect(where);
            co_await settle(i % 5);
        };
        co_await when_any(accepting(), connecting());
    }
}

RILL_IO_TEST("a cancelled connect is closed, also where it succeeded at that moment (C131)") {
    tcp::listener at("127.0.0.1:0");
    address const where = at.local_address();
    std::size_t const before = test::open_descriptors();
    int const count = test::rounds(5'000, 500);
    auto accepting = [&]() -> task<> {
        for (;;) {
            auto const peer = co_await at.accept();
            (void)peer;
        }
    };
    auto connecting = [&]() -> task<> {
        for (int i = 0; i < count; ++i) {
            co_await when_any(tcp::connect(where), settle(i % 5));
        }
    };
    co_await when_any(accepting(), connecting());
    co_await settle(10);
    CHECK(test::open_descriptors() <= before + 1);
}

RILL_IO_TEST("a connect that is cancelled ends as cancelled, so a timeout of it is timed_out") {
    tcp::listener full("127.0.0.1:0", {.backlog = 1});
    address const where = full.local_address();
    std::vector<tcp::stream> crowd;
    std::error_code why;
    for (int i = 0; i < 10 && !why; ++i) {
        try {
            auto made = co_await timeout(20ms, tcp::connect(where));
            crowd.push_back(std::move(made));
        } catch (error const& failure) {
            why = failure.code();
        }
    }
    CHECK(why == errc::timed_out);
}

RILL_IO_TEST("closing serves the clients that wait in the queue, and then says closed") {
    tcp::listener at("127.0.0.1:0");
    address const where = at.local_address();
    std::vector<tcp::stream> clients;
    for (int i = 0; i < 20; ++i) {
        auto made = co_await tcp::connect(where);
        clients.push_back(std::move(made));
    }
    at.close();
    int served = 0;
    for (;;) {
        auto const peer = co_await as_result(at.accept());
        if (!peer) {
            CHECK(peer.error() == errc::closed);
            break;
        }
        ++served;
    }
    CHECK(served == 20);
}

RILL_IO_TEST("serve handles every connection in a task of its own") {
    tcp::listener at("127.0.0.1:0");
    address const where = at.local_address();
    auto clients = [&]() -> task<> {
        co_await with_task_group([&](task_group& group) -> task<> {
            for (int i = 0; i < 50; ++i) group.spawn(ask, where, i);
            co_return;
        });
    };
    co_await when_any(at.serve(echo), clients());
}

RILL_IO_TEST("what a handler throws ends its connection only") {
    tcp::listener at("127.0.0.1:0");
    address const where = at.local_address();
    int served = 0;
    auto const failing = [&served](tcp::stream peer) -> task<> {
        tcp::stream const held = std::move(peer);
        ++served;
        co_await settle(1);
        throw std::runtime_error("handler");
    };
    auto clients = [&]() -> task<> {
        for (int i = 0; i < 3; ++i) {
            auto peer = co_await tcp::connect(where);
            auto const end = co_await as_result(peer.receive());
            if (end) CHECK_FALSE(*end);
        }
    };
    co_await when_any(at.serve(failing), clients());
    CHECK(served == 3);
}

RILL_IO_TEST("serve handles at most most_connections at once; more wait in the backlog") {
    tcp::listener at("127.0.0.1:0", {.most_connections = 3});
    address const where = at.local_address();
    int now = 0;
    int most = 0;
    auto const handler = [&](tcp::stream peer) -> task<> {
        tcp::stream const held = std::move(peer);
        most = std::max(most, ++now);
        co_await settle(3);
        --now;
    };
    auto clients = [&]() -> task<> {
        co_await with_task_group([&](task_group& group) -> task<> {
            auto const one = [&]() -> task<> {
                auto peer = co_await tcp::connect(where);
                auto const end = co_await as_result(peer.receive());
                CHECK(end);
            };
            for (int i = 0; i < 20; ++i) group.spawn(one);
            co_return;
        });
    };
    co_await when_any(at.serve(handler), clients());
    CHECK(most == 3);
}

RILL_IO_TEST("a hundred clients connect, close and race with a server that closes first (C103)") {
    std::size_t const before = test::open_descriptors();
    int const count = test::rounds(50, 5);
    for (int round = 0; round < count; ++round) {
        tcp::listener at("127.0.0.1:0");
        address const where = at.local_address();
        int turn = 0;
        auto const handler = [&turn](tcp::stream peer) -> task<> {
            tcp::stream held = std::move(peer);
            if (++turn % 2 == 0) co_return;  // this side closes first
            auto const part = co_await as_result(held.receive());
            if (part && *part) {
                auto const wrote = co_await as_result(held.write(part->view()));
                (void)wrote;
            }
        };
        auto clients = [&]() -> task<> {
            co_await with_task_group([&](task_group& group) -> task<> {
                auto const one = [&](int number) -> task<> {
                    for (int again = 0; again < 3; ++again) {
                        auto peer = co_await tcp::connect(where);
                        if (number % 3 == 0) peer.reset();
                        if (number % 3 == 1) {
                            auto const wrote = co_await as_result(peer.write("x"));
                            auto const got = co_await as_result(peer.receive(deadline_in(1s)));
                            (void)wrote, (void)got;
                        }
                    }
                };
                for (int i = 0; i < 100; ++i) group.spawn(one, i);
                co_return;
            });
        };
        co_await when_any(at.serve(handler), clients());
    }
    co_await settle(5);
    CHECK(test::open_descriptors() == before);
}

}  // namespace rill
