// Promises of byte_stream and tcp::stream, on the ring and in a simulation. RFC 9293.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
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

using test::make_pair;
using test::pair;
using test::read_all;
using test::settle;

}  // namespace

RILL_IO_TEST("after its own FIN a side still receives: half-close, both ways") {
    pair ends;
    co_await make_pair(ends);
    ends.client.finish();
    auto const asked = co_await read_all(ends.server);
    CHECK(asked.empty());
    co_await ends.server.write("late answer");
    ends.server.finish();
    auto const answer = co_await read_all(ends.client);
    CHECK(answer == "late answer");
}

RILL_IO_TEST("read gives 1..size bytes in order and keeps the rest for the next read") {
    pair ends;
    co_await make_pair(ends);
    co_await ends.client.write("abcdefgh");
    ends.client.finish();
    std::string got;
    for (;;) {
        std::array<char, 3> room{};
        auto const count = co_await ends.server.read(room);
        if (count == 0) break;
        CHECK(count <= room.size());
        got.append(room.data(), count);
    }
    CHECK(got == "abcdefgh");
}

RILL_IO_TEST("a received lease that nobody took is received by the next call") {
    pair ends;
    co_await make_pair(ends);
    std::size_t got = 0;
    for (int i = 0; i < 200; ++i) {
        co_await ends.client.write("x");
        // The loser may have its input already when the other one wins.
        auto const first = co_await when_any(ends.server.receive(), settle(i % 7));
        if (first.index == 0) got += std::get<0>(first.value).size();
    }
    ends.client.finish();
    auto const rest = co_await read_all(ends.server);
    CHECK(got + rest.size() == 200);
}

RILL_IO_TEST("a cancelled read leaves every byte readable") {
    pair ends;
    co_await make_pair(ends);
    std::string got;
    std::string sent;
    for (int i = 0; i < 100; ++i) {
        std::array<char, 8> room{};
        auto reading = [&]() -> task<> {
            auto const count = co_await ends.server.read(room);
            got.append(room.data(), count);
        };
        auto writing = [&]() -> task<> {
            std::string const piece = std::to_string(i) + ",";
            sent += piece;
            co_await ends.client.write(piece);
            co_await settle(i % 5);
        };
        co_await when_any(writing(), reading());
    }
    ends.client.finish();
    got += co_await read_all(ends.server);
    CHECK(got == sent);
}

RILL_IO_TEST("closing ends a receive that waits in another coroutine with closed (C130)") {
    pair ends;
    co_await make_pair(ends);
    auto waiting = [&]() -> task<std::error_code> {
        auto const got = co_await as_result(ends.server.receive());
        co_return got.error();
    };
    auto closing = [&]() -> task<> {
        co_await settle();
        ends.server.close();
    };
    auto const both = co_await when_all(waiting(), closing());
    CHECK(std::get<0>(both) == errc::closed);
    auto const after = co_await as_result(ends.server.receive());
    CHECK(after.error() == errc::closed);
    auto const write = co_await as_result(ends.server.write("x"));
    CHECK(write.error() == errc::closed);
}

RILL_IO_TEST("after close a receive says closed, also where the peer had ended before") {
    pair ends;
    co_await make_pair(ends);
    ends.client.finish();
    auto const end = co_await ends.server.receive();
    CHECK_FALSE(end);
    ends.server.close();
    auto const after = co_await as_result(ends.server.receive());
    CHECK(after.error() == errc::closed);
}

RILL_IO_TEST("input that was received but not taken is given back when the stream is closed") {
    pair ends;
    co_await make_pair(ends);
    for (int pause = 0; pause < 6; ++pause) {
        pair each;
        co_await make_pair(each);
        auto waiting = [&]() -> task<> {
            auto const got = co_await each.server.receive();
            (void)got;
        };
        auto closing = [&]() -> task<> {
            co_await each.client.write("x");
            co_await settle(pause);
            each.server.close();
        };
        co_await when_any(closing(), waiting());
    }
}

RILL_IO_TEST("a reset is an error of receive, not an end of the stream") {
    pair ends;
    co_await make_pair(ends);
    ends.client.reset();
    auto const got = co_await as_result(ends.server.receive());
    CHECK(got.error() == std::errc::connection_reset);
    auto const wrote = co_await as_result(ends.server.write("x"));
    CHECK_FALSE(wrote);
}

RILL_IO_TEST("a graceful close delivers the tail although the peer had sent more than was read") {
    pair ends;
    co_await make_pair(ends);
    std::string const answer(30'000, 'a');
    auto client = [&]() -> task<std::string> {
        std::string const request(200'000, 'q');
        co_await ends.client.write(request);
        auto text = co_await read_all(ends.client);
        ends.client.finish();
        ends.client.close();
        co_return text;
    };
    auto server = [&]() -> task<> {
        auto const head = co_await ends.server.receive();
        CHECK(head);
        co_await ends.server.write(answer);
        co_await tcp::close_gracefully(ends.server);
    };
    auto const both = co_await when_all(client(), server());
    CHECK(std::get<0>(both).size() == answer.size());
}

RILL_IO_TEST("a graceful close ends at its deadline and at its bound of bytes") {
    pair silent;
    co_await make_pair(silent);
    auto const begun = core::current().now();
    co_await tcp::close_gracefully(silent.server, 1000, 20ms);
    CHECK(core::current().now() - begun >= 20ms);
    pair flood;
    co_await make_pair(flood);
    auto sending = [&]() -> task<> {
        std::string const piece(100'000, 'f');
        for (;;) {
            auto const wrote = co_await as_result(flood.client.write(piece));
            if (!wrote) break;
        }
    };
    co_await when_all(sending(), tcp::close_gracefully(flood.server, 100'000, 1h));
}

RILL_IO_TEST("watch_end cancels the chain when the peer ends its stream") {
    pair ends;
    co_await make_pair(ends);
    auto client = [&]() -> task<> {
        co_await settle();
        ends.client.close();
    };
    auto handler = [&]() -> task<> {
        auto const reason = co_await test::watch_until_cancelled(ends.server);
        CHECK(reason == cancel_reason::client_gone);
    };
    auto const ended = co_await when_all(client(), handler());
    (void)ended;
}

RILL_IO_TEST("watch_end sees a reset behind unread input that fills the bound") {
    pair ends;
    co_await make_pair(ends);
    std::string const flood(400'000, 'f');
    auto client = [&]() -> task<> {
        auto const wrote = co_await as_result(ends.client.write(flood, deadline_in(30ms)));
        if (test::simulated()) CHECK(wrote.error() == errc::timed_out);
        ends.client.reset();
    };
    auto handler = [&]() -> task<> {
        auto const reason = co_await test::watch_until_cancelled(ends.server);
        CHECK(reason == cancel_reason::client_gone);
    };
    co_await when_all(client(), handler());
}

RILL_IO_TEST("both sides know both addresses") {
    pair ends;
    co_await make_pair(ends);
    CHECK(ends.client.local_address() == ends.server.remote_address());
    CHECK(ends.client.remote_address() == ends.server.local_address());
    CHECK(ends.client.remote_address().port() != 0);
}

RILL_KERNEL_TEST("options reach the socket: NODELAY, keep-alive, buffers (C101)") {
    core& home = core::current();
    tcp::listener at("127.0.0.1:0");
    auto client = co_await tcp::connect(
        at.local_address(),
        {.keep_alive_seconds = 60, .send_buffer_bytes = 20'000, .receive_buffer_bytes = 30'000});
    auto server = co_await at.accept();
    auto const option = [](int descriptor, int level, int name) {
        int value = -1;
        socklen_t size = sizeof value;
        CHECK(::getsockopt(descriptor, level, name, &value, &size) == 0);
        return value;
    };
    int const descriptor = client.take_descriptor();
    CHECK(option(descriptor, SOL_SOCKET, SO_KEEPALIVE) == 1);
    CHECK(option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE) == 60);
    CHECK(option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL) == 10);
    CHECK(option(descriptor, IPPROTO_TCP, TCP_KEEPCNT) == 6);
    CHECK(option(descriptor, IPPROTO_TCP, TCP_NODELAY) == 1);
    CHECK(option(descriptor, SOL_SOCKET, SO_SNDBUF) == 2 * 20'000);
    CHECK(option(descriptor, SOL_SOCKET, SO_RCVBUF) == 2 * 30'000);
    auto const back = tcp::stream::adopt(home, descriptor, {});
}

}  // namespace rill
