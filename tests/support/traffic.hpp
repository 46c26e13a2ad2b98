// Traffic over loopback for tests of what a driver does in bad times: each byte is looked for.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/tcp.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"

namespace rill::test {

inline constexpr int clients_at_once = 64;

/// Sixty-four clients connect at once, send 20 KB, and read it back.
inline task<> echo_traffic() {
    tcp::listener at("127.0.0.1:0");
    address const where = at.local_address();
    auto const echo = [](tcp::stream peer) -> task<> {
        for (;;) {
            auto const part = co_await peer.receive();
            if (!part) break;
            co_await peer.write(part.view());
        }
    };
    int whole = 0;
    auto clients = [&]() -> task<> {
        co_await with_task_group([&](task_group& group) -> task<> {
            auto const one = [&](int number) -> task<> {
                auto peer = co_await tcp::connect(where);
                std::string const text(20'000, static_cast<char>('a' + number % 26));
                auto sending = [&]() -> task<> {
                    std::array<bytes, 2> const pieces{bytes(text).first(7),
                                                      bytes(text).without_first(7)};
                    co_await peer.write(std::span<bytes const>(pieces));
                    peer.finish();
                };
                auto const both = co_await when_all(sending(), read_all(peer));
                if (std::get<1>(both) == text) ++whole;
            };
            for (int i = 0; i < clients_at_once; ++i) group.spawn(one, i);
            co_return;
        });
    };
    co_await when_any(at.serve(echo), clients());
    CHECK(whole == clients_at_once);
}

/// Waits that are cancelled in each stage of their life.
inline task<> cancel_traffic() {
    pair ends;
    co_await make_pair(ends);
    for (int i = 0; i < 200; ++i) {
        auto reading = [&]() -> task<> {
            auto const none = co_await ends.server.receive();
            (void)none;
        };
        co_await when_any(reading(), settle(i % 4));
        pair other;
        co_await make_pair(other);
        auto closing = [&]() -> task<> {
            auto const got = co_await as_result(other.server.receive());
            CHECK(got.error() == errc::closed);
        };
        auto close = [&]() -> task<> {
            co_await settle(i % 3);
            other.server.close();
        };
        co_await when_all(closing(), close());
    }
}

/// Both, in a core of its own each.
inline void run_traffic(world where, world_options const& options) {
    run_in(where, echo_traffic, options);
    run_in(where, cancel_traffic, options);
}

}  // namespace rill::test
