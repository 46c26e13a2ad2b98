// A WebSocket over a pipe in a simulated world: frames in, messages out, whatever the pieces.
// RFC 6455 sections 5 to 8.
#include "rill/ws/socket.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/pipe.hpp"
#include "rill/rt/sleep.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"
#include "ws/frames.hpp"

using namespace rill;
using namespace rill::test;
using namespace std::string_literals;
using codec::ws_opcode;

namespace {

/// What came of a session: messages that were received, frames that were sent, and how it ended.
struct ending {
    std::vector<std::string> messages;
    std::vector<seen_frame> sent;
    unsigned code = 0;
    std::string reason;

    /// The code of the close that was sent; 0 without one, 1005 for an empty one.
    [[nodiscard]] unsigned close_sent() const {
        if (sent.empty() || sent.back().head.opcode != ws_opcode::close) return 0;
        std::string const& said = sent.back().payload;
        if (said.empty()) return 1005;
        return static_cast<unsigned char>(said[0]) * 256U + static_cast<unsigned char>(said[1]);
    }
};

task<> receive_all(byte_stream& peer, ws::socket_options const& options, ws::role side,
                   ending& into) {
    ws::socket socket(peer, side, options);
    for (;;) {
        auto const got = co_await socket.receive();
        if (!got) break;
        into.messages.emplace_back(got.text());
    }
    CHECK(socket.ended());
    into.code = socket.close_code();
    into.reason = socket.close_reason();
    peer.finish();
}

task<> send_all(byte_stream& to, std::string_view text) {
    // A peer that has failed the connection takes no more.
    static_cast<void>(co_await as_result(to.write(text)));
    to.finish();
}

/// Feeds `text` to a socket that receives until it has ended.
ending feed(std::string_view text, pipe_options const& pipe = {},
            ws::socket_options const& options = {}, ws::role side = ws::role::server) {
    ending found;
    simulate([&]() -> task<> {
        byte_pipe both(pipe);
        std::string answers;
        auto reading = [&]() -> task<> { answers = co_await read_all(both.second()); };
        co_await when_all(send_all(both.second(), text),
                          receive_all(both.first(), options, side, found), reading());
        found.sent = ws_frames_of(answers, side == ws::role::server ? codec::ws_sender::server
                                                                    : codec::ws_sender::client);
    });
    return found;
}

constexpr pipe_options in_bytes{.piece_bytes = 1};

/// The same ending whole, byte by byte, and in pieces of an odd size.
ending feed_each_way(std::string_view text, ws::socket_options const& options = {}) {
    ending const whole = feed(text, {}, options);
    for (pipe_options const& pipe : {in_bytes, pipe_options{.piece_bytes = 7}}) {
        ending const pieces = feed(text, pipe, options);
        CHECK(pieces.messages == whole.messages);
        CHECK(pieces.code == whole.code);
        CHECK(pieces.close_sent() == whole.close_sent());
        CHECK(pieces.sent.size() == whole.sent.size());
    }
    return whole;
}

void check_failed(std::string_view text, unsigned code, ws::socket_options const& options = {}) {
    ending const found = feed_each_way(text, options);
    CHECK(found.code == code);
    CHECK(found.close_sent() == code);
}

}  // namespace

TEST_CASE("messages come in order, with their kind, and a close is answered with its code") {
    ending const found =
        feed_each_way(ws_text("one") + ws_text("") + ws_frame(ws_opcode::binary, "\x00\xff"s) +
                      ws_close_frame(1000, "done"));
    CHECK(found.messages == std::vector<std::string>{"one", "", "\x00\xff"s});
    CHECK(found.code == 1000);
    CHECK(found.reason == "done");
    CHECK(found.sent.size() == 1);
    CHECK(found.close_sent() == 1000);
}

TEST_CASE("a close without a code is 1005, and an end without a close is 1006") {
    ending const polite = feed_each_way(ws_frame(ws_opcode::close, ""));
    CHECK(polite.code == 1005);
    CHECK(polite.close_sent() == 1005);
    ending const cut = feed_each_way(ws_text("one") + "\x81");
    CHECK(cut.messages.size() == 1);
    CHECK(cut.code == 1006);
    CHECK(cut.sent.empty());
}

TEST_CASE("a ping between fragments is answered at once and is no fragment (C054)") {
    ending const found =
        feed_each_way(ws_frame(ws_opcode::text, "hello", false) + ws_frame(ws_opcode::ping, "now") +
                      ws_frame(ws_opcode::pong, "unasked") +
                      ws_frame(ws_opcode::continuation, "world") + ws_close_frame(1000));
    CHECK(found.messages == std::vector<std::string>{"helloworld"});
    REQUIRE(found.sent.size() == 2);
    CHECK(found.sent[0].head.opcode == ws_opcode::pong);
    CHECK(found.sent[0].payload == "now");
    ending const closed =
        feed_each_way(ws_frame(ws_opcode::text, "hello", false) + ws_close_frame(1001));
    CHECK(closed.messages.empty());
    CHECK(closed.code == 1001);
}

TEST_CASE("fragments are one message, empty ones too, and the limit counts them all (C055)") {
    std::string text = ws_frame(ws_opcode::binary, "", false);
    for (int i = 0; i != 10'000; ++i) text += ws_frame(ws_opcode::continuation, "x", false);
    text += ws_frame(ws_opcode::continuation, "");
    ending const found = feed(text + ws_close_frame(1000), {}, {.message_bytes = 10'000});
    REQUIRE(found.messages.size() == 1);
    CHECK(found.messages[0] == std::string(10'000, 'x'));
    CHECK(found.code == 1000);
    ending const over = feed(text + ws_close_frame(1000), {}, {.message_bytes = 9'999});
    CHECK(over.messages.empty());
    CHECK(over.code == 1009);
}

TEST_CASE("a masked frame of 100 KB is byte-exact wherever it is cut (C056)") {
    std::string payload;
    for (int i = 0; i != 100'000; ++i) payload += static_cast<char>(i * 31 >> 3);
    std::string const text = ws_frame(ws_opcode::binary, payload) + ws_close_frame(1000);
    for (std::size_t const piece : {0UL, 1001UL, 1002UL, 1003UL, 4093UL}) {
        ending const found = feed(text, {.piece_bytes = piece});
        REQUIRE(found.messages.size() == 1);
        CHECK((found.messages[0] == payload));
    }
}

TEST_CASE("a message at the limit is taken and one beyond is refused when it is announced (1009)") {
    ws::socket_options const options{.message_bytes = 5};
    CHECK(feed_each_way(ws_text("12345") + ws_close_frame(1000), options).code == 1000);
    check_failed(ws_text("123456").substr(0, 6), 1009, options);
    check_failed(ws_frame(ws_opcode::text, "123", false) + ws_frame(ws_opcode::continuation, "456"),
                 1009, options);
    check_failed("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x01\x02\x03\x04", 1009);
    ws::socket_options const frames{.message_bytes = 10, .frame_bytes = 3};
    check_failed(ws_text("1234"), 1009, frames);
    ending const parts =
        feed_each_way(ws_frame(ws_opcode::text, "123", false) +
                          ws_frame(ws_opcode::continuation, "456") + ws_close_frame(1000),
                      frames);
    CHECK(parts.messages == std::vector<std::string>{"123456"});
}

TEST_CASE("what breaks the rules of frames fails the connection with 1002 (C067)") {
    check_failed(ws_frame(ws_opcode::continuation, "a"), 1002);
    check_failed(ws_frame(ws_opcode::text, "a", false) + ws_text("b"), 1002);
    check_failed(ws_frame(ws_opcode::ping, "a", false), 1002);
    check_failed("\x89\xfe", 1002);
    check_failed("\xc1\x80", 1002);
    check_failed("\x83\x80", 1002);
    check_failed(ws_frame(ws_opcode::text, "a", true, false), 1002);
    check_failed("\x82\xff\x80", 1002);
    check_failed(ws_frame(ws_opcode::close, "\x03"), 1002);
    check_failed(ws_close_frame(1005), 1002);
    check_failed(ws_close_frame(2999), 1002);
    ending const masked = feed(ws_text("a"), {}, {}, ws::role::client);
    CHECK(masked.code == 1002);
}

TEST_CASE("a failure comes behind the messages before it, and nothing behind it is taken") {
    ending const found = feed_each_way(ws_text("good") + "\x83\x80" + ws_text("more"));
    CHECK(found.messages == std::vector<std::string>{"good"});
    CHECK(found.code == 1002);
    CHECK(found.reason == "unknown opcode");
}

TEST_CASE("text is UTF-8 wherever it is cut, and else fails with 1007, early (C059)") {
    std::string const euro = "\xe2\x82\xac";
    for (std::size_t cut = 0; cut <= euro.size(); ++cut) {
        ending const found = feed_each_way(ws_frame(ws_opcode::text, euro.substr(0, cut), false) +
                                           ws_frame(ws_opcode::continuation, euro.substr(cut)) +
                                           ws_close_frame(1000));
        CHECK(found.messages == std::vector<std::string>{euro});
    }
    check_failed(ws_text("\xc0\xaf"), 1007);
    check_failed(ws_text("\xed\xa0\x80"), 1007);
    check_failed(ws_text("\xe2\x82"), 1007);
    check_failed(ws_close_frame(1000, "\xff"), 1007);
    // Before the message is whole.
    check_failed(ws_frame(ws_opcode::text, "\xf4\x90", false), 1007);
    check_failed(ws_frame(ws_opcode::text, "abc\xff more").substr(0, 10), 1007);
    CHECK(feed_each_way(ws_frame(ws_opcode::binary, "\xff") + ws_close_frame(1000)).code == 1000);
}

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
