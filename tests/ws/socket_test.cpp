// What a WebSocket receives: frames in, messages out, whatever the pieces.
// RFC 6455 sections 5 to 8.
#include "rill/ws/socket.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/io/pipe.hpp"
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
