// Frames, reconnecting and heartbeats over networks that are slow or hostile, by seed.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "rill/base/log.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/framing.hpp"
#include "rill/io/heartbeat.hpp"
#include "rill/io/reconnect.hpp"
#include "rill/io/tcp.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/test.hpp"

using namespace rill;

namespace {

constexpr char const* where = "10.0.0.1:7";

std::string random_text(std::size_t most) {
    std::string made(test::choose(most + 1), '\0');
    for (char& each : made) each = static_cast<char>(test::choose(256));
    return made;
}

/// Sends some frames and hears them again, in order, while the other side answers each.
template <class Codec>
task<> exchange_frames(Codec const& codec) {
    tcp::listener at(where);
    std::vector<std::string> sent(1 + test::choose(6));
    for (std::string& each : sent) each = random_text(test::choose(2) == 0 ? 20 : 600);
    auto answering = [&]() -> task<> {
        tcp::stream peer = co_await at.accept();
        framed_stream conn(peer);
        for (;;) {
            frame const got = co_await conn.read_frame(codec);
            if (!got) break;
            co_await conn.write_frame(codec, got.payload());
        }
    };
    auto asking = [&]() -> task<> {
        tcp::stream peer = co_await tcp::connect(where);
        auto sending = [&]() -> task<> {
            for (std::string const& each : sent) co_await write_frame(peer, codec, each);
            peer.finish();
        };
        auto hearing = [&]() -> task<> {
            framed_stream conn(peer);
            for (std::string const& each : sent) {
                frame const got = co_await conn.read_frame(codec);
                test::expect(got.payload() == bytes(each), "the frame came back whole");
            }
            frame const end = co_await conn.read_frame(codec);
            test::expect(!end, "and nothing after the last");
        };
        co_await when_all(sending(), hearing());
    };
    co_await when_all(answering(), asking());
}

task<> exchange_any_frames() {
    using framing::length_field;
    std::size_t const kind = test::choose(3);
    if (kind == 0) {
        length_field const codec({.encoding = framing::length_encoding::varint, .width = 3});
        co_await exchange_frames(codec);
    } else if (kind == 1) {
        length_field const field({.width = 2 + test::choose(7), .header_included = true});
        framing::checked const codec(field, framing::crc32());
        co_await exchange_frames(codec);
    } else {
        framing::checked const codec(length_field({.width = 2, .offset = test::choose(4)}),
                                     framing::xor8());
        co_await exchange_frames(codec);
    }
}

constexpr framing::length_field messages({.width = 2});

/// Answers each number by itself, and everything else by nothing.
task<> answer_numbers(tcp::stream peer) {
    framed_stream conn(peer);
    heartbeat pulse({.ping_after = 0s, .give_up_after = 60s});
    auto no_ping = []() -> task<> { co_return; };
    auto body = [&]() -> task<> {
        for (;;) {
            frame const got = co_await conn.read_frame(messages);
            if (!got) break;
            pulse.received();
            if (!got.payload().empty()) co_await conn.write_frame(messages, got.payload());
        }
    };
    co_await with_heartbeat(pulse, no_ping, body);
}

/// Asks for the answers to six numbers over connections that are lost again and again.
task<> ask_until_answered() {
    int answered = 0;
    constexpr int wanted = 6;
    reconnecting<tcp::stream> client({.longest_delay = 5s, .stable_after = 0s});
    int connecting = 0;
    client.on_event([&](reconnect_event const& what) {
        connecting += what.what == reconnect_event::kind::connecting ? 1 : 0;
        connecting -= what.what == reconnect_event::kind::failed ? 1 : 0;
        connecting -= what.what == reconnect_event::kind::lost ? 1 : 0;
        test::expect(connecting == 0 || connecting == 1, "each try has one end");
        test::expect(what.delay <= 5s, "the delay has its cap");
        test::expect(what.lasted <= 10h, "no connection lasts for ever");
    });
    auto connect = []() { return tcp::connect(where); };
    auto greet = [](tcp::stream& to) -> task<> { co_await write_frame(to, messages, ""); };
    auto session = [&](tcp::stream& peer) -> task<after_session> {
        framed_stream conn(peer);
        heartbeat pulse({.ping_after = 5s, .give_up_after = 20s});
        auto ping = [&]() { return conn.write_frame(messages, ""); };
        auto body = [&]() -> task<after_session> {
            while (answered != wanted) {
                std::string const number = std::to_string(answered);
                co_await conn.write_frame(messages, number);
                frame const got = co_await conn.read_frame(messages);
                if (!got) co_return after_session::reconnect;
                pulse.received();
                test::expect(got.payload() == bytes(number), "the answer is that of this number");
                ++answered;
                co_await rill::sleep(std::chrono::milliseconds(test::choose(30'000)));
                pulse.received();  // nobody was asked, so nobody could answer
            }
            co_return after_session::stop;
        };
        after_session const next = co_await with_heartbeat(pulse, ping, body);
        co_return next;
    };
    co_await client.run(connect, greet, session);
    test::expect(answered == wanted, "all numbers were answered");
}

task<> reconnect_until_done() {
    std::optional<tcp::listener> at;
    while (!at) {
        try {
            at.emplace(where);
        } catch (error const&) {
            // Out of descriptors, which passes.
        }
    }
    co_await when_any(ask_until_answered(), at->serve(answer_numbers));
}

}  // namespace

TEST_CASE("frames over a slow network are whole and in order, for 10,000 seeds") {
    test::settings const with{.latency = 1ms, .faults = test::faults::slow(), .window_bytes = 300};
    test::seeds(10'000, exchange_any_frames, with);
}

TEST_CASE("a client over a hostile network gets all of its answers, for 10,000 seeds") {
    test::settings with{.latency = 1ms, .faults = test::faults::hostile()};
    with.faults.calm_after = 10min;
    // What a hostile world does would fill pages with warnings.
    auto const level = log::current_level();
    log::set_level(log::level::off);
    test::seeds(10'000, reconnect_until_done, with);
    log::set_level(level);
}
