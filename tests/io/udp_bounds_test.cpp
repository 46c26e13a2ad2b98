// What UDP sockets keep and what they ask for: bounds, and memory in the steady state.
#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/udp.hpp"
#include "support/allocation_count.hpp"
#include "support/datagrams.hpp"

namespace rill {

namespace {

bool frames_are_pooled() {
    detail::free_frame(detail::allocate_frame(64), 64);
    std::size_t const before = test::allocation_count();
    detail::free_frame(detail::allocate_frame(64), 64);
    return test::allocation_count() == before;
}

}  // namespace

RILL_DATAGRAM_TEST("of failures the last sixteen are kept, each told once") {
    std::vector<address> gone;
    {
        std::vector<udp::socket> sockets;
        for (int i = 0; i < 20; ++i) sockets.push_back(udp::socket::bind("127.0.0.1:0"));
        for (auto const& each : sockets) gone.push_back(each.local_address());
    }
    co_await test::settle();
    auto client = udp::socket::bind("127.0.0.1:0");
    auto receiving = [&]() -> task<> {
        auto const none = co_await client.receive();
        (void)none;
    };
    auto asking = [&]() -> task<> {
        for (address const& each : gone) co_await client.send_to("anybody?", each);
        while (client.counters().failures < gone.size()) co_await test::next_turn();
        std::size_t told = 0;
        for (std::size_t i = 0; i < gone.size(); ++i) {
            // From the last to the first: a send that is not told would make a failure anew.
            auto const sent = co_await as_result(client.send_to("?", gone[gone.size() - 1 - i]));
            if (sent) break;
            CHECK(sent.error() == system_error(ECONNREFUSED));
            ++told;
        }
        CHECK(told == 16);
    };
    co_await when_any(receiving(), asking());
}

RILL_DATAGRAM_TEST("in the steady state datagrams ask for no memory") {
    auto server = udp::socket::bind("127.0.0.1:0");
    auto client = udp::socket::connect(server.local_address());
    address const back = client.local_address();
    std::array<outgoing_datagram, 8> const batch{
        {{"a"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}, {"g"}, {"h"}}};
    std::array<udp::datagram, 8> some;
    std::size_t before = 0;
    for (int i = 0; i < 300; ++i) {
        if (i == 100) before = test::allocation_count();
        co_await client.send("ping");
        {
            auto const got = co_await server.receive();
            CHECK(got.from() == back);
            co_await server.send_to("pong", back);
            auto const answer = co_await client.receive();
            CHECK(answer.size() == 4);
        }
        std::size_t const sent = co_await client.send(batch);
        CHECK(sent == 8);
        std::size_t received = 0;
        while (received < 8) received += co_await server.receive(some);
    }
    // Under a sanitizer the pool of frames is off, and each batch takes its slots anew.
    CHECK(test::allocation_count() - before == (frames_are_pooled() ? 0 : 200));
}

}  // namespace rill
