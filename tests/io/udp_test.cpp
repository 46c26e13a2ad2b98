// UDP sockets: what arrives, what is cut, what ICMP says, what is bounded. RFC 768, RFC 1122 4.1.3.
#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/udp.hpp"
#include "support/datagrams.hpp"
#include "support/death.hpp"

namespace rill {

namespace {

using test::next_text;
using test::settle;

constexpr char const* any_port = "127.0.0.1:0";

std::uint32_t held() {
    return core::current().buffers().held();
}

/// An address on which nobody is.
address dead_address() {
    auto const gone = udp::socket::bind(any_port);
    return gone.local_address();
}

constexpr test::world_options few_buffers{.receive_buffers = 4, .receive_copies = 0};
constexpr test::world_options bad_times{
    .faults = {.no_entry_every = 7, .end_stream_every = 3, .no_buffer_every = 5}};

}  // namespace

RILL_DATAGRAM_TEST("a datagram says who sent it, and an empty one is a datagram") {
    auto server = udp::socket::bind(any_port);
    auto client = udp::socket::bind(any_port);
    address const to = server.local_address();
    co_await client.send_to("ping", to);
    co_await client.send_to("", to);
    auto const first = co_await server.receive();
    CHECK(first.view().text() == "ping");
    CHECK(first.from() == client.local_address());
    CHECK_FALSE(first.truncated());
    CHECK(first.segment_count() == 1);
    CHECK(first.segment(0) == bytes("ping"));
    auto const second = co_await server.receive();
    CHECK(second);
    CHECK(second.size() == 0);
    address const back = second.from();
    co_await server.send_to("pong", back);
    std::string const answer = co_await next_text(client);
    CHECK(answer == "pong");
    std::array<bytes, 3> const pieces{"in ", "three ", "pieces"};
    co_await client.send_to(std::span<bytes const>(pieces), to);
    std::string const whole = co_await next_text(server);
    CHECK(whole == "in three pieces");
}

RILL_DATAGRAM_TEST(
    "a datagram larger than the buffer is flagged, and a too large one is told once (C105)") {
    auto small = udp::socket::bind(any_port);
    auto large = udp::socket::bind(any_port, {.large_datagrams = true});
    auto client = udp::socket::bind(any_port);
    address const to_small = small.local_address();
    address const to_large = large.local_address();
    std::string const largest(65507, 'd');
    co_await client.send_to(largest, to_small);
    auto const cut = co_await small.receive();
    CHECK(cut.truncated());
    CHECK(cut.size() == 3840);
    std::string const fits(3840, 'f');
    co_await client.send_to(fits, to_small);
    auto const fitting = co_await small.receive();
    CHECK(fitting.view() == bytes(fits));
    CHECK_FALSE(fitting.truncated());
    co_await client.send_to(largest, to_large);
    auto const all = co_await large.receive();
    CHECK(all.view() == bytes(largest));
    CHECK_FALSE(all.truncated());
    std::string const too_large(65508, 'd');
    auto const refused = co_await as_result(client.send_to(too_large, to_small));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == system_error(EMSGSIZE));
    co_await client.send_to("after", to_small);
    std::string const after = co_await next_text(small);
    CHECK(after == "after");
    CHECK(client.counters().failures == 0);
}

RILL_DATAGRAM_TEST("a client that has gone ends no server: the next send to it is told (C104)") {
    auto server = udp::socket::bind(any_port);
    auto client = udp::socket::bind(any_port);
    address const to = server.local_address();
    address const gone = dead_address();
    auto serving = [&]() -> task<int> {
        int served = 0;
        for (;;) {
            auto const got = co_await server.receive();
            if (got.view() == bytes("end")) co_return served;
            ++served;
            // Who asked is answered, and somebody who is not there any more.
            co_await server.send_to("answer", got.from());
            auto const ignored = co_await as_result(server.send_to("late answer", gone));
            (void)ignored;
        }
    };
    auto asking = [&]() -> task<> {
        for (int i = 0; i < 20; ++i) {
            co_await client.send_to("question", to);
            std::string const answer = co_await next_text(client);
            CHECK(answer == "answer");
        }
        co_await client.send_to("end", to);
    };
    auto const both = co_await when_all(serving(), asking());
    CHECK(std::get<0>(both) == 20);
    CHECK(server.counters().failures >= 10);
    // Told to a send to that address, and to no other.
    auto probe = udp::socket::bind(any_port);
    co_await probe.send_to("anybody?", gone);
    co_await settle();
    co_await probe.send_to("to another", to);
    auto const told = co_await as_result(probe.send_to("anybody?", gone));
    REQUIRE_FALSE(told);
    CHECK(told.error() == system_error(ECONNREFUSED));
    co_await probe.send_to("tried again", gone);
}

RILL_DATAGRAM_TEST(
    "a connected client hears of a dead port, and of the server that comes up (C104)") {
    address const where = dead_address();
    auto client = udp::socket::connect(where);
    CHECK(client.remote_address() == where);
    auto asking = [&]() -> task<int> {
        int told = 0;
        for (int i = 0; i < 6; ++i) {
            auto const sent = co_await as_result(client.send("anybody?"));
            if (!sent && sent.error() == system_error(ECONNREFUSED)) ++told;
            co_await settle();
        }
        auto server = udp::socket::bind(where);
        for (int i = 0; i < 2; ++i) {
            auto const sent = co_await as_result(client.send("still?"));
            (void)sent;
        }
        auto const got = co_await server.receive();
        CHECK(got.view() == bytes("still?"));
        co_await server.send_to("here", got.from());
        co_return told;
    };
    auto const both = co_await when_all(next_text(client), asking());
    CHECK(std::get<0>(both) == "here");
    CHECK(std::get<1>(both) >= 2);
}

RILL_DATAGRAM_TEST("a connected socket hears its peer only") {
    auto server = udp::socket::bind(any_port);
    auto stranger = udp::socket::bind(any_port);
    auto client = udp::socket::connect(server.local_address());
    address const to = client.local_address();
    co_await stranger.send_to("noise", to);
    co_await server.send_to("signal", to);
    std::string const heard = co_await next_text(client);
    CHECK(heard == "signal");
    CHECK_THROWS_AS(static_cast<void>(udp::socket::connect("unix:/x")), error);
    CHECK_THROWS_AS(static_cast<void>(udp::socket::bind("nonsense")), error);
    CHECK_THROWS_AS(static_cast<void>(udp::socket::bind(server.local_address())), error);
}

RILL_DATAGRAM_TEST("a batch goes out in few transitions and comes in as it is there") {
    auto server = udp::socket::bind(any_port, {.most_unread = 200});
    auto client = udp::socket::connect(server.local_address());
    std::vector<std::string> texts;
    for (int i = 0; i < 100; ++i) texts.push_back("number " + std::to_string(i));
    std::vector<outgoing_datagram> batch;
    for (auto const& text : texts) batch.push_back({text, nullptr});
    auto const before = core::current().totals().enters;
    std::size_t const sent = co_await client.send(std::span<outgoing_datagram const>(batch));
    // On epoll each datagram is a call of its own.
    bool const ring = test::world_now() == test::world::uring;
    CHECK(core::current().totals().enters - before <= (ring ? 10 : 110));
    CHECK(sent == 100);
    std::vector<std::string> got;
    std::array<udp::datagram, 16> some;
    while (got.size() < 100) {
        std::size_t const count = co_await server.receive(some);
        CHECK(count >= 1);
        for (std::size_t i = 0; i < count; ++i) got.emplace_back(some[i].view().text());
    }
    CHECK(got == texts);
}

RILL_DATAGRAM_TEST("in a batch one that fails does not keep the others") {
    auto server = udp::socket::bind(any_port);
    auto client = udp::socket::bind(any_port);
    address const to = server.local_address();
    std::string const too_large(65508, 'x');
    std::array<outgoing_datagram, 3> const batch{{{"a", &to}, {too_large, &to}, {"b", &to}}};
    std::size_t const sent = co_await client.send(batch);
    CHECK(sent == 2);
    std::string const first = co_await next_text(server);
    std::string const second = co_await next_text(server);
    CHECK(first + second == "ab");
    std::array<outgoing_datagram, 1> const bad{{{too_large, &to}}};
    auto const refused = co_await as_result(client.send(bad));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == system_error(EMSGSIZE));
    std::size_t const none = co_await client.send(std::span<outgoing_datagram const>());
    CHECK(none == 0);
}

RILL_DATAGRAM_TEST("unread datagrams are bounded, and what the kernel drops is counted") {
    auto server = udp::socket::bind(any_port, {.most_unread = 8, .receive_buffer_bytes = 16'384});
    auto client = udp::socket::connect(server.local_address());
    // Armed by a first receive.
    co_await client.send("first");
    std::string const first = co_await next_text(server);
    CHECK(first == "first");
    constexpr std::size_t count = 2000;
    for (std::size_t i = 0; i < count; ++i) co_await client.send("flood");
    co_await settle(10);
    CHECK(held() >= 8);
    CHECK(held() <= 8 + 33 * 4);
    std::size_t received = 0;
    for (;;) {
        auto const got = co_await as_result(server.receive(deadline_in(100ms)));
        if (!got) break;
        ++received;
    }
    CHECK(received < count);
    CHECK(received + server.counters().dropped == count);
}

RILL_DATAGRAM_TEST("a deadline ends a wait and nothing else") {
    auto server = udp::socket::bind(any_port);
    auto client = udp::socket::connect(server.local_address());
    auto const none = co_await as_result(server.receive(deadline_in(1ms)));
    REQUIRE_FALSE(none);
    CHECK(none.error() == errc::timed_out);
    std::array<udp::datagram, 2> some;
    auto const no_batch = co_await as_result(server.receive(some, deadline_in(1ms)));
    REQUIRE_FALSE(no_batch);
    CHECK(no_batch.error() == errc::timed_out);
    co_await client.send("late", deadline_in(5s));
    std::string const late = co_await next_text(server);
    CHECK(late == "late");
}

RILL_DATAGRAM_TEST("a cancelled receive loses no datagram, wherever it is cancelled") {
    auto server = udp::socket::bind(any_port, {.most_unread = 64});
    auto client = udp::socket::connect(server.local_address());
    int next = 0;
    int sent = 0;
    auto reading = [&](bool in_batches) -> task<> {
        std::array<udp::datagram, 3> some;
        for (;;) {
            std::size_t count = 1;
            if (in_batches) {
                count = co_await server.receive(some);
            } else {
                some[0] = co_await server.receive();
            }
            for (std::size_t i = 0; i < count; ++i) {
                CHECK(some[i].view().text() == std::to_string(next));
                ++next;
            }
        }
    };
    for (int round = 0; round < 60; ++round) {
        for (int i = 0; i < 4; ++i) {
            std::string const text = std::to_string(sent++);
            co_await client.send(text);
        }
        co_await when_any(reading(round % 2 == 0), settle(round % 7));
    }
    auto all_there = [&]() -> task<> {
        while (next < sent) co_await test::next_turn();
    };
    co_await when_any(reading(false), all_there());
    CHECK(next == sent);
}

RILL_DATAGRAM_TEST("closing ends every wait with closed, and gives all buffers back") {
    auto server = udp::socket::bind(any_port);
    auto client = udp::socket::connect(server.local_address());
    auto waiting = [&]() -> task<> {
        auto const none = co_await as_result(server.receive());
        REQUIRE_FALSE(none);
        CHECK(none.error() == errc::closed);
    };
    auto closing = [&]() -> task<> {
        co_await settle();
        server.close();
    };
    co_await when_all(waiting(), closing());
    auto const after = co_await as_result(server.receive());
    CHECK(after.error() == errc::closed);
    auto const no_send = co_await as_result(client.send("x"));
    (void)no_send;
    client.close();
    auto const closed = co_await as_result(client.send("x"));
    CHECK(closed.error() == errc::closed);
    std::array<outgoing_datagram, 1> const batch{{{"x", nullptr}}};
    auto const closed_batch = co_await as_result(client.send(batch));
    CHECK(closed_batch.error() == errc::closed);
    // With unread ones, again and again.
    for (int i = 0; i < 20; ++i) {
        auto reader = udp::socket::bind(any_port);
        auto writer = udp::socket::connect(reader.local_address());
        for (int k = 0; k < 5; ++k) co_await writer.send("unread");
        auto const one = co_await reader.receive();
        CHECK(one.view() == bytes("unread"));
        co_await settle(i % 4);
    }
    co_await settle(5);
    CHECK(held() == 0);
}

RILL_DATAGRAM_TEST("sockets that come and go in tasks leave a clean loop behind (C106)") {
    auto short_life = [](int turns) -> task<> {
        auto socket = udp::socket::bind(any_port);
        auto const waiting = [&]() -> task<> {
            auto const none = co_await socket.receive();
            (void)none;
        };
        co_await when_any(waiting(), settle(turns));
    };
    for (int i = 0; i < 30; ++i) co_await short_life(i % 5);
    co_await settle(20);
    CHECK(held() == 0);
}

RILL_DATAGRAM_TEST_WITH(few_buffers, "datagrams that are kept hold up the receiver, not the loop") {
    auto server = udp::socket::bind(any_port);
    auto client = udp::socket::connect(server.local_address());
    std::vector<udp::datagram> kept;
    for (int i = 0; i < 12; ++i) co_await client.send("kept");
    while (kept.size() < 4) {
        auto one = co_await server.receive();
        kept.push_back(std::move(one));
    }
    auto const none = co_await as_result(server.receive(deadline_in(1ms)));
    CHECK(none.error() == errc::timed_out);
    for (int i = 0; i < 8; ++i) {
        kept.erase(kept.begin());
        auto one = co_await server.receive(deadline_in(5s));
        CHECK(one.view() == bytes("kept"));
        kept.push_back(std::move(one));
    }
}

RILL_DATAGRAM_TEST_WITH(bad_times, "in bad times of the ring datagrams still come through") {
    auto server = udp::socket::bind(any_port);
    auto client = udp::socket::connect(server.local_address());
    for (int i = 0; i < 200; ++i) {
        std::string const text = std::to_string(i);
        co_await client.send(text);
        std::string const got = co_await next_text(server);
        CHECK(got == text);
    }
}

RILL_DATAGRAM_TEST("a socket for all addresses hears both families and answers each") {
    auto server = udp::socket::bind(":0", {.tell_local = true});
    std::uint16_t const port = server.local_address().port();
    std::array<char const*, 2> const hosts{"127.0.0.1", "[::1]"};
    for (char const* host : hosts) {
        auto client = udp::socket::connect(host + (":" + std::to_string(port)));
        co_await client.send("hello");
        auto const got = co_await server.receive();
        CHECK(got.from() == client.local_address());
        CHECK(got.to() == client.remote_address().with_port(0));
        address const from = got.from();
        co_await server.send_to("back", from);
        std::string const back = co_await next_text(client);
        CHECK(back == "back");
    }
    auto only_v6 = udp::socket::bind("[::]:0", {.dual_stack = false});
    auto v4 = udp::socket::connect("127.0.0.1:" + std::to_string(only_v6.local_address().port()));
    co_await v4.send("not heard");
    auto const told = co_await as_result(v4.send("not heard"));
    CHECK(told.error() == system_error(ECONNREFUSED));
}

RILL_DATAGRAM_TEST("segments are cut by the kernel, and merged again where that is asked for") {
    auto plain = udp::socket::bind(any_port, {.most_unread = 512, .receive_buffer_bytes = 400'000});
    auto merging = udp::socket::bind(any_port, {.merge = true});
    auto client = udp::socket::bind(any_port);
    std::string text;
    while (text.size() < 100'500) text += std::to_string(text.size()) + ",";
    text.resize(100'500);
    address const to_plain = plain.local_address();
    co_await client.send_segments(text, 1000, &to_plain);
    std::string got;
    for (int i = 0; i < 101; ++i) {
        auto const one = co_await plain.receive();
        CHECK(one.size() == (i < 100 ? 1000 : 500));
        got += one.view().text();
    }
    CHECK(got == text);
    address const to_merging = merging.local_address();
    co_await client.send_segments(text, 1000, &to_merging);
    got.clear();
    std::size_t datagrams = 0;
    std::size_t receives = 0;
    while (got.size() < text.size()) {
        auto const some = co_await merging.receive();
        ++receives;
        for (std::size_t i = 0; i < some.segment_count(); ++i) {
            CHECK(some.segment(i).size() <= 1000);
            got += some.segment(i).text();
            ++datagrams;
        }
    }
    CHECK(got == text);
    CHECK(datagrams == 101);
    if (!test::simulated()) CHECK(receives < 20);
}

RILL_DATAGRAM_TEST("broadcast is asked for, and heard by all") {
    auto hearing = udp::socket::bind("0.0.0.0:0");
    address const all =
        *address::parse("127.255.255.255:" + std::to_string(hearing.local_address().port()));
    auto shy = udp::socket::bind("0.0.0.0:0");
    auto const refused = co_await as_result(shy.send_to("x", all));
    CHECK(refused.error() == system_error(EACCES));
    auto loud = udp::socket::bind("0.0.0.0:0", {.broadcast = true});
    co_await loud.send_to("to all", all);
    std::string const heard = co_await next_text(hearing);
    CHECK(heard == "to all");
}

RILL_DATAGRAM_TEST("members of a group hear what is sent to it until they leave") {
    constexpr std::uint32_t loopback = 1;
    auto first = udp::socket::bind("239.255.7.9:0", {.reuse_address = true});
    address const group = first.local_address();
    auto second = udp::socket::bind(group, {.reuse_address = true});
    first.join(group, loopback);
    second.join(group, loopback);
    auto sender =
        udp::socket::bind(any_port, {.multicast_hops = 0, .multicast_interface = loopback});
    co_await sender.send_to("one", group);
    std::array<udp::socket*, 2> const members{&first, &second};
    for (udp::socket* each : members) {
        std::string const heard = co_await next_text(*each);
        CHECK(heard == "one");
    }
    first.leave(group, loopback);
    co_await sender.send_to("two", group);
    std::string const heard = co_await next_text(second);
    CHECK(heard == "two");
    CHECK_THROWS_AS(first.leave(group, loopback), error);
    CHECK_THROWS_AS(first.join(*address::parse("127.0.0.1:1")), error);
}

RILL_DATAGRAM_TEST("sockets that share a port share what arrives") {
    auto first = udp::socket::bind(any_port, {.reuse_port = true});
    auto second = udp::socket::bind(first.local_address(), {.reuse_port = true});
    int count = 0;
    auto counting = [&](udp::socket& from) -> task<> {
        for (;;) {
            auto const got = co_await from.receive();
            if (got) ++count;
        }
    };
    auto sending = [&]() -> task<> {
        for (int i = 0; i < 40; ++i) {
            auto client = udp::socket::connect(first.local_address());
            co_await client.send("x");
        }
        while (count < 40) co_await test::next_turn();
    };
    co_await when_any(counting(first), counting(second), sending());
    CHECK(count == 40);
}

TEST_CASE("a second reader of a UDP socket is a bug, and told so") {
    std::string const told = test::assertion_of([] {
        test::run_in(test::world::epoll, []() -> task<> {
            auto socket = udp::socket::bind(any_port);
            auto const both = co_await when_all(socket.receive(), socket.receive());
            (void)both;
        });
    });
    CHECK(told.find("one reader of a socket at a time") != std::string::npos);
}

}  // namespace rill
