// Promises of with_heartbeat: who stays silent is given up in time, and who is idle says something.
#include "rill/io/heartbeat.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/io/framing.hpp"
#include "rill/io/pipe.hpp"
#include "rill/io/reconnect.hpp"
#include "rill/io/tcp.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

constexpr framing::lines text_lines;

/// Seconds since `begun`, on the virtual clock.
std::int64_t seconds_since(time_point begun) {
    return (core::current().now() - begun) / 1s;
}

/// Reads lines and answers each "ping" by "pong" until the stream ends; says how many came.
task<int> answer_pings(byte_stream& peer, heartbeat& pulse) {
    framed_stream conn(peer);
    int count = 0;
    for (;;) {
        frame const line = co_await conn.read_frame(text_lines);
        if (!line) break;
        pulse.received();
        if (line.payload() == bytes("ping")) {
            ++count;
            co_await conn.write_frame(text_lines, "pong");
            pulse.sent();
        }
    }
    co_return count;
}

}  // namespace

TEST_CASE("a ping is sent when nothing was sent for a while, and only then") {
    test::simulate([]() -> task<> {
        auto const begun = core::current().now();
        std::vector<std::int64_t> pings;
        heartbeat pulse({.ping_after = 10s, .give_up_after = 0s});
        auto ping = [&]() -> task<> {
            pings.push_back(seconds_since(begun));
            co_return;
        };
        auto body = [&]() -> task<> {
            co_await rill::sleep(25s);
            pulse.sent();  // 25
            co_await rill::sleep(9s);
            pulse.sent();  // 34
            co_await rill::sleep(20s);
        };
        co_await with_heartbeat(pulse, ping, body);
        CHECK(pings == std::vector<std::int64_t>{10, 20, 44});
        CHECK(seconds_since(begun) == 54);
    });
}

TEST_CASE("a peer that says nothing is given up at the deadline, after the body has ended") {
    test::simulate([]() -> task<> {
        auto const begun = core::current().now();
        bool ended = false;
        struct on_exit {
            bool& flag;
            ~on_exit() { flag = true; }
        };
        heartbeat pulse({.ping_after = 10s, .give_up_after = 45s});
        int pings = 0;
        auto ping = [&]() -> task<> {
            ++pings;
            co_return;
        };
        auto body = [&]() -> task<> {
            on_exit const note{ended};
            co_await rill::sleep(20s);
            pulse.received();
            co_await rill::sleep(1h);
        };
        auto const outcome = co_await as_result(with_heartbeat(pulse, ping, body));
        CHECK(outcome.error() == errc::timed_out);
        CHECK(ended);
        CHECK(seconds_since(begun) == 65);
        CHECK(pings == 6);
    });
}

TEST_CASE(
    "two sides with a heartbeat each keep an idle connection for a day, one answers for both") {
    for (std::size_t const piece : {0u, 1u}) {
        test::simulate([piece]() -> task<> {
            byte_pipe pipe({.piece_bytes = piece});
            auto const begun = core::current().now();
            auto server = [&]() -> task<int> {
                // The answers are traffic enough: this side never comes to send a ping.
                heartbeat pulse({.ping_after = 20s, .give_up_after = 30s});
                auto ping = [&]() { return write_frame(pipe.second(), text_lines, "ping"); };
                auto body = [&]() -> task<int> { return answer_pings(pipe.second(), pulse); };
                int const count = co_await with_heartbeat(pulse, ping, body);
                co_return count;
            };
            auto client = [&]() -> task<int> {
                heartbeat pulse({.ping_after = 10s, .give_up_after = 30s});
                auto ping = [&]() { return write_frame(pipe.first(), text_lines, "ping"); };
                auto body = [&]() -> task<int> {
                    int pinged = 0;
                    auto reading = [&]() -> task<> {
                        pinged = co_await answer_pings(pipe.first(), pulse);
                    };
                    auto leaving = [&]() -> task<> {
                        co_await rill::sleep(24h + 5s);
                        pipe.first().finish();
                    };
                    co_await when_any(reading(), leaving());
                    co_return pinged;
                };
                int const count = co_await with_heartbeat(pulse, ping, body);
                co_return count;
            };
            auto const both = co_await when_all(server(), client());
            CHECK(std::get<0>(both) == 8640);
            CHECK(std::get<1>(both) == 0);
            CHECK(core::current().now() - begun == 24h + 5s);
        });
    }
}

TEST_CASE("a peer that takes nothing is given up also while a ping waits in line") {
    test::simulate([]() -> task<> {
        byte_pipe pipe({.capacity_bytes = 100});
        auto const begun = core::current().now();
        heartbeat pulse({.ping_after = 1s, .give_up_after = 45s});
        auto ping = [&]() { return write_frame(pipe.first(), text_lines, "ping"); };
        auto body = [&]() -> task<> {
            std::string const large(1000, 'x');
            co_await pipe.first().write(large);
        };
        auto const outcome = co_await as_result(with_heartbeat(pulse, ping, body));
        CHECK(outcome.error() == errc::timed_out);
        CHECK(seconds_since(begun) == 45);
    });
}

TEST_CASE("what body and ping throw ends the heartbeat, and 0 turns a half of it off") {
    test::simulate([]() -> task<> {
        auto const begun = core::current().now();
        heartbeat silent({.ping_after = 0s, .give_up_after = 0s});
        CHECK(silent.ping_at() == never);
        CHECK(silent.give_up_at() == never);
        auto no_ping = []() -> task<> {
            FAIL("no ping was wanted");
            co_return;
        };
        auto number = []() -> task<int> {
            co_await rill::sleep(100h);
            co_return 7;
        };
        int const value = co_await with_heartbeat(silent, no_ping, number);
        CHECK(value == 7);
        CHECK(core::current().now() - begun == 100h);

        auto failing = []() -> task<> {
            co_await rill::sleep(1s);
            throw error(errc::protocol, "talk");
        };
        heartbeat pulse;
        auto const first = co_await as_result(with_heartbeat(pulse, no_ping, failing));
        CHECK(first.error() == errc::protocol);
        auto bad_ping = []() -> task<> {
            throw error(errc::closed, "ping");
            co_return;
        };
        auto const second = co_await as_result(with_heartbeat(pulse, bad_ping, number));
        CHECK(second.error() == errc::closed);
    });
}

TEST_CASE("a heartbeat can be cancelled at every turn") {
    bool completed = false;
    for (int turns = 0; !completed; ++turns) {
        CAPTURE(turns);
        REQUIRE(turns < 1000);
        test::simulate([&]() -> task<> {
            byte_pipe pipe({.capacity_bytes = 3, .piece_bytes = 1});
            heartbeat pulse({.ping_after = 1ns, .give_up_after = 1h});
            auto ping = [&]() { return write_frame(pipe.first(), text_lines, "ping"); };
            auto body = [&]() -> task<> { co_await test::settle(10); };
            auto reading = [&]() -> task<> {
                framed_stream in(pipe.second());
                for (;;) static_cast<void>(co_await in.read_frame(text_lines));
            };
            auto whole = [&]() -> task<> {
                co_await when_any(with_heartbeat(pulse, ping, body), reading());
            };
            auto const first = co_await when_any(whole(), test::settle(turns));
            completed = first.index == 0;
        });
    }
}

TEST_CASE("a half-dead server is noticed in time, and its successor is found (C101)") {
    test::simulate([]() -> task<> {
        // The first server keeps its connections and says nothing, as one behind a cut cable.
        auto silent = std::make_unique<tcp::listener>("127.0.0.1:0");
        address const where = silent->local_address();
        tcp::stream kept;
        std::unique_ptr<tcp::listener> restarted;
        auto const begun = core::current().now();

        auto answering = [](tcp::stream peer) -> task<> {
            heartbeat pulse;
            static_cast<void>(co_await answer_pings(peer, pulse));
        };
        auto servers = [&]() -> task<> {
            kept = co_await silent->accept();
            silent.reset();
            co_await rill::sleep(10min);
            restarted = std::make_unique<tcp::listener>(where);
            co_await restarted->serve(answering);
        };
        std::vector<reconnect_event> lost;
        auto client = [&]() -> task<> {
            reconnecting<tcp::stream> link({.longest_delay = 20s});
            link.on_event([&](reconnect_event const& what) {
                if (what.what == reconnect_event::kind::lost) lost.push_back(what);
            });
            auto connect = [&]() -> task<tcp::stream> { co_return co_await tcp::connect(where); };
            auto session = [&](tcp::stream& peer) -> task<> {
                heartbeat pulse({.ping_after = 5s, .give_up_after = 15s});
                auto ping = [&]() { return write_frame(peer, text_lines, "ping"); };
                auto body = [&]() -> task<int> { return answer_pings(peer, pulse); };
                static_cast<void>(co_await with_heartbeat(pulse, ping, body));
            };
            co_await link.run(connect, session);
        };
        auto clock = [&]() -> task<> { co_await rill::sleep(1h); };
        co_await when_any(servers(), client(), clock());
        REQUIRE(lost.size() == 1);
        CHECK(lost[0].cause == errc::timed_out);
        CHECK(lost[0].lasted == 15s);
        CHECK(core::current().now() - begun == 1h);
    });
}

}  // namespace rill
