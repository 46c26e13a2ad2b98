// What a WebSocket sends, how it ends, and what a cancellation leaves. RFC 6455 sections 5 to 8.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/pipe.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/ws/socket.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"
#include "ws/frames.hpp"

using namespace rill;
using namespace rill::test;
using codec::ws_opcode;

namespace {

constexpr pipe_options in_bytes{.piece_bytes = 1};

}  // namespace

TEST_CASE("a client masks what it sends and each side understands the other") {
    for (pipe_options const& pipe : {pipe_options{}, in_bytes, pipe_options{.capacity_bytes = 3}}) {
        simulate([&]() -> task<> {
            byte_pipe both(pipe);
            ws::socket client(both.first(), ws::role::client);
            ws::socket server(both.second(), ws::role::server);
            auto echo = [&]() -> task<> {
                for (;;) {
                    auto const got = co_await server.receive();
                    if (!got) break;
                    co_await server.send(got.kind(), *got);
                }
                CHECK(server.close_code() == 3000);
                CHECK(server.close_reason() == "enough");
            };
            auto ask = [&]() -> task<> {
                for (std::size_t const size : {0UL, 1UL, 125UL, 126UL, 5000UL, 70'000UL}) {
                    std::string const text(size, 'a');
                    auto sending = [&]() -> task<> { co_await client.send(text); };
                    auto receiving = [&]() -> task<> {
                        auto const got = co_await client.receive();
                        REQUIRE(got);
                        CHECK(got.kind() == ws::kind::text);
                        CHECK((got.text() == text));
                    };
                    co_await when_all(sending(), receiving());
                }
                co_await client.close(3000, "enough");
                CHECK(client.close_code() == 3000);
            };
            co_await when_all(echo(), ask());
        });
    }
}

TEST_CASE("a client masks each frame with a key of its own (5.3)") {
    simulate([&]() -> task<> {
        byte_pipe both;
        ws::socket client(both.first(), ws::role::client);
        co_await client.send("first");
        co_await client.send("first");
        co_await client.ping("ping");
        std::string const wire = co_await read_exactly(both.second(), 11 + 11 + 10);
        auto const frames = ws_frames_of(wire, codec::ws_sender::client);
        REQUIRE(frames.size() == 3);
        CHECK(frames[0].payload == "first");
        CHECK(frames[1].payload == "first");
        CHECK(frames[2].payload == "ping");
        CHECK(frames[0].head.mask != frames[1].head.mask);
        CHECK(frames[1].head.mask != frames[2].head.mask);
    });
}

TEST_CASE("several coroutines send at once, and a message in fragments is not interrupted") {
    std::string wire;
    simulate([&]() -> task<> {
        byte_pipe both({.capacity_bytes = 16});
        ws::socket server(both.first(), ws::role::server);
        auto in_parts = [&]() -> task<> {
            co_await server.send_fragment(ws::kind::text, "\xe2\x82", false);
            for (int i = 0; i != 5; ++i) co_await yield();
            co_await server.send_fragment(ws::kind::text, "\xac", false);
            co_await server.send_fragment(ws::kind::text, "", true);
        };
        auto whole = [&](std::string text) -> task<> { co_await server.send(text); };
        auto control = [&]() -> task<> { co_await server.ping("p"); };
        auto all = [&]() -> task<> {
            co_await when_all(in_parts(), whole(std::string(200, 'a')),
                              whole(std::string(300, 'b')), control());
            both.first().finish();
        };
        auto reading = [&]() -> task<> { wire = co_await read_all(both.second()); };
        co_await when_all(all(), reading());
    });
    std::string order;
    for (auto const& frame : ws_frames_of(wire, codec::ws_sender::server)) {
        order += frame.head.opcode == ws_opcode::ping           ? 'p'
                 : frame.head.opcode == ws_opcode::continuation ? 'c'
                 : frame.head.last                              ? frame.payload[0]
                                                                : 'f';
    }
    CHECK(order == "fpccab");
}

TEST_CASE("frames of a megabyte stay whole when the reader stops and starts (C057)") {
    simulate([&]() -> task<> {
        byte_pipe both({.capacity_bytes = 4096});
        ws::socket server(both.first(), ws::role::server);
        ws::socket client(both.second(), ws::role::client);
        std::string const large(1'000'000, 'x');
        auto sending = [&]() -> task<> {
            for (int i = 0; i != 3; ++i) co_await server.send_binary(large);
        };
        duration const pause = 10s;  // below write_timeout
        auto receiving = [&]() -> task<> {
            for (int i = 0; i != 3; ++i) {
                co_await sleep(pause);
                auto const got = co_await client.receive();
                CHECK((got.text() == large));
            }
        };
        co_await when_all(sending(), receiving());
    });
}

TEST_CASE("a peer that takes nothing is given up after write_timeout, and all who send learn it") {
    simulate([&]() -> task<> {
        byte_pipe both({.capacity_bytes = 4});
        ws::socket server(both.first(), ws::role::server, {.write_timeout = 3s});
        auto send = [&]() -> task<> {
            auto const sent = co_await as_result(server.send("a message"));
            CHECK_FALSE(sent);
        };
        time_point const start = core::current().clock();
        co_await when_all(send(), send(), send());
        CHECK(core::current().clock() - start == 3s);
        CHECK(server.close_code() == 1006);
        auto const got = co_await server.receive();
        CHECK_FALSE(got);
    });
}

TEST_CASE("a closing handshake that the peer does not end is over after close_timeout") {
    simulate([&]() -> task<> {
        byte_pipe both;
        ws::socket server(both.first(), ws::role::server, {.close_timeout = 2s});
        time_point const start = core::current().clock();
        co_await server.close(1000);
        CHECK(core::current().clock() - start == 2s);
        CHECK(server.close_code() == 1006);
        co_await server.close(1000);
        auto const sent = co_await as_result(server.send("late"));
        CHECK(sent.error() == errc::closed);
    });
}

TEST_CASE("a close from beside a receive, twice, ends that receive once (C062)") {
    simulate([&]() -> task<> {
        byte_pipe both;
        ws::socket server(both.first(), ws::role::server);
        auto receiving = [&]() -> task<> {
            auto const got = co_await server.receive();
            CHECK_FALSE(got);
            CHECK(server.close_code() == 1001);
        };
        auto closing = [&]() -> task<> { co_await server.close(1001); };
        auto answering = [&]() -> task<> {
            std::string const sent = co_await read_exactly(both.second(), 4);
            CHECK(sent == ws_close_frame(1001, "", false));
            co_await both.second().write(ws_text("dropped") + ws_close_frame(1001));
        };
        auto take = [&]() -> task<> {
            auto const dropped = co_await server.receive();
            CHECK(dropped.text() == "dropped");
            co_await receiving();
        };
        co_await when_all(take(), closing(), closing(), answering());
    });
}

TEST_CASE("a silent peer is asked, and given up when it stays silent; one that answers is kept") {
    for (bool const answers : {false, true}) {
        simulate([&]() -> task<> {
            byte_pipe both;
            ws::socket server(both.first(), ws::role::server,
                              {.ping_after = 2s, .give_up_after = 5s, .idle_timeout = 21s});
            time_point const start = core::current().clock();
            auto serving = [&]() -> task<> {
                auto const got = co_await server.receive();
                CHECK_FALSE(got);
                both.first().close();
            };
            auto peer = [&]() -> task<> {
                ws::socket client(both.second(), ws::role::client, {.ping_after = 0s});
                if (answers) static_cast<void>(co_await client.receive());
            };
            co_await when_all(serving(), peer());
            duration const took = core::current().clock() - start;
            CHECK(took == (answers ? 21s : 5s));
            CHECK(server.close_code() == (answers ? 1001 : 1006));
        });
    }
}

TEST_CASE("what is not to be sent is refused and sends nothing") {
    simulate([&]() -> task<> {
        byte_pipe both;
        ws::socket server(both.first(), ws::role::server);
        auto const bad = std::make_error_code(std::errc::invalid_argument);
        auto const text = co_await as_result(server.send("\xff"));
        CHECK(text.error() == bad);
        std::string const long_ping(126, 'p');
        auto const ping = co_await as_result(server.ping(long_ping));
        CHECK(ping.error() == bad);
        auto const code = co_await as_result(server.close(1006));
        CHECK(code.error() == bad);
        co_await server.send("good");
        auto const wire = co_await read_exactly(both.second(), 6);
        CHECK(wire == "\x81\x04good");
    });
}

TEST_CASE("a receive that is cancelled at any wait loses nothing") {
    std::string const wire = ws_frame(ws_opcode::text, "hel", false) +
                             ws_frame(ws_opcode::ping, "p") +
                             ws_frame(ws_opcode::continuation, "lo") + ws_text("second");
    simulate([&]() -> task<> {
        byte_pipe both({.piece_bytes = 1});
        ws::socket server(both.first(), ws::role::server);
        std::vector<std::string> messages;
        auto feeding = [&]() -> task<> {
            for (char const c : wire) {
                co_await both.second().write(std::string_view(&c, 1));
                for (int i = 0; i != 4; ++i) co_await yield();
            }
        };
        auto receiving = [&]() -> task<> {
            while (messages.size() != 2) {
                auto one = [&]() -> task<> {
                    auto const got = co_await server.receive();
                    messages.emplace_back(got.text());
                };
                co_await when_any(one(), yield());
            }
        };
        co_await when_all(feeding(), receiving());
        CHECK(messages == std::vector<std::string>{"hello", "second"});
        auto const pong = co_await read_exactly(both.second(), 3);
        CHECK(pong == "\x8a\x01p");
    });
}

TEST_CASE("a session can be cancelled at every wait") {
    std::string const wire = ws_text("one") + ws_frame(ws_opcode::text, "tw", false) +
                             ws_frame(ws_opcode::ping, "p") +
                             ws_frame(ws_opcode::continuation, "o") + ws_close_frame(1000);
    auto const steps = [](int count) -> task<> {
        for (int i = 0; i != count; ++i) co_await yield();
    };
    bool completed = false;
    int points = 0;
    for (; !completed; ++points) {
        REQUIRE(points < 10'000);
        simulate([&]() -> task<> {
            byte_pipe both({.piece_bytes = 1});
            auto serving = [&]() -> task<> {
                ws::socket server(both.first(), ws::role::server);
                for (;;) {
                    auto const got = co_await server.receive();
                    if (!got) break;
                    co_await server.send(got.text());
                }
                co_await server.close();
            };
            auto feeding = [&]() -> task<> {
                for (char const c : wire) {
                    co_await both.second().write(std::string_view(&c, 1));
                    co_await yield();
                }
            };
            auto cut = [&]() -> task<> {
                auto const won = co_await when_any(serving(), steps(points));
                completed = won.index == 0;
            };
            co_await when_all(cut(), feeding());
        });
    }
    CHECK(points > 20);
}

RILL_IO_TEST("a WebSocket over TCP echoes messages of all sizes, and ends with its close") {
    pair both;
    co_await make_pair(both);
    auto serving = [&]() -> task<> {
        ws::socket server(both.server, ws::role::server);
        for (;;) {
            auto const got = co_await server.receive();
            if (!got) break;
            co_await server.send(got.kind(), *got);
        }
        CHECK(server.close_code() == 1000);
    };
    auto asking = [&]() -> task<> {
        ws::socket client(both.client, ws::role::client);
        for (std::size_t const size : {0UL, 100UL, 4096UL, 200'000UL}) {
            std::string const text(size, 'a');
            auto sending = [&]() -> task<> { co_await client.send_binary(text); };
            auto receiving = [&]() -> task<> {
                auto const got = co_await client.receive();
                REQUIRE(got);
                CHECK((got.text() == text));
            };
            co_await when_all(sending(), receiving());
        }
        co_await client.close(1000);
        CHECK(client.close_code() == 1000);
    };
    co_await when_all(serving(), asking());
}
