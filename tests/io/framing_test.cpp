// Promises of framed_stream and write_frame: frames over any stream, however its bytes are cut.
#include "rill/io/framing.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/pipe.hpp"
#include "support/allocation_count.hpp"
#include "support/cancel_sweep.hpp"
#include "support/frames.hpp"
#include "support/manual_executor.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

using namespace std::string_literals;
using framing::length_encoding;
using framing::length_field;

constexpr length_field two_bytes({.width = 2});
constexpr framing::delimited crlf("\r\n");

/// Runs `body()` on an executor that has no driver and no clock.
template <class Body>
void run(Body const& body) {
    test::manual_executor home;
    test::root root(home, body);
    home.drain();
    root.take();
}

/// Payloads of all frames up to the end of the stream.
template <class Codec>
task<std::vector<std::string>> read_frames(byte_stream& from, Codec const& codec) {
    std::vector<std::string> all;
    framed_stream in(from);
    for (;;) {
        frame const got = co_await in.read_frame(codec);
        if (!got) break;
        all.emplace_back(got.payload().text());
    }
    co_return all;
}

/// Keeps what is written, call by call, and never waits.
class recorder final : public byte_stream {
public:
    void finish() noexcept override {}
    void close() noexcept override {}
    void watch_end(chain*) noexcept override {}
    std::vector<std::string> writes;

private:
    std::optional<result<lease>> begin_receive(input_waiter&) noexcept override { return lease(); }
    bool stop_receive(input_waiter&) noexcept override { return false; }
    void put_back(lease) noexcept override {}
    std::optional<result<void>> begin_write(pending_write& what) noexcept override {
        std::string all;
        bytes rest;
        for (bytes const piece : what.remaining(rest)) all += piece.text();
        writes.push_back(all);
        return result<void>();
    }
    void stop_write(pending_write&, std::error_code) noexcept override {}
};

}  // namespace

TEST_CASE("two frames in one write are two frames at once, also byte by byte (C120)") {
    for (std::size_t const piece : {0u, 1u, 2u, 100u, 121u}) {
        CAPTURE(piece);
        byte_pipe pipe({.piece_bytes = piece});
        std::string const first(119, 'a');
        std::string const second(104, 'b');
        run([&]() -> task<> {
            std::string const both =
                test::written(two_bytes, first).value() + test::written(two_bytes, second).value();
            co_await pipe.first().write(both);
            framed_stream in(pipe.second());
            // Nothing more comes and the stream is open: neither frame waits for another.
            frame const one = co_await in.read_frame(two_bytes);
            CHECK(one.payload() == bytes(first));
            frame const other = co_await in.read_frame(two_bytes);
            CHECK(other.payload() == bytes(second));
        });
    }
}

TEST_CASE("a delimiter that is cut over reads is found, also one of two equal bytes (C120)") {
    for (std::string const& delimiter : {"\r\n"s, "\n\n"s, "abcabd"s}) {
        for (std::size_t piece = 1; piece != 12; ++piece) {
            CAPTURE(piece);
            framing::delimited const codec(delimiter);
            byte_pipe pipe({.piece_bytes = piece});
            std::vector<std::string> const sent{"abc", "", "x\ry", "abcabcabcab", "abcab"};
            run([&]() -> task<> {
                for (std::string const& each : sent)
                    co_await write_frame(pipe.first(), codec, each);
                pipe.first().finish();
                auto const got = co_await read_frames(pipe.second(), codec);
                CHECK(got == sent);
            });
        }
    }
}

TEST_CASE("a frame in one piece is a view, and reading and writing frames asks for no memory") {
    byte_pipe pipe;
    test::manual_executor home;
    std::string const payload(60, 'p');
    std::size_t asked_for = 1;
    auto body = [&]() -> task<> {
        framed_stream in(pipe.second());
        for (int i = 0; i != 20'000; ++i) {
            if (i == 1'000) asked_for = test::allocation_count();
            co_await write_frame(pipe.first(), two_bytes, payload);
            if (i % 7 == 0) co_await write_frame(pipe.first(), two_bytes, payload);
            frame const got = co_await in.read_frame(two_bytes);
            CHECK(got.payload().size() == 60);
            if (i % 7 == 0) static_cast<void>(co_await in.read_frame(two_bytes));
        }
        asked_for = test::allocation_count() - asked_for;
    };
    test::root root(home, body);
    home.drain();
    root.take();
    CHECK(asked_for == 0);
}

TEST_CASE("a frame is written in one call, prefix, length, pieces and check together") {
    recorder to;
    run([&]() -> task<> {
        framing::checked const codec(length_field({.width = 1, .offset = 1}), framing::xor8());
        std::array<bytes, 3> const pieces{bytes("ab"), bytes(""), bytes("c")};
        co_await write_frame(to, codec, pieces, "T");
        co_await write_frame(to, codec, "d");
    });
    CHECK(to.writes == std::vector<std::string>{"T\4abc\x30", "\0\2d\x66"s});
}

TEST_CASE("a frame that cannot be sent is an error, and nothing of it is sent") {
    recorder to;
    run([&]() -> task<> {
        length_field const small({.width = 1, .maximum_bytes = 10});
        auto const long_one = co_await as_result(write_frame(to, small, "0123456789"));
        CHECK(long_one.error() == errc::limit_exceeded);
        auto const cut = co_await as_result(write_frame(to, crlf, "a\r\nb"));
        CHECK(cut.error() == std::errc::invalid_argument);
        framing::delimited const bounded(";", 4);
        auto const beyond = co_await as_result(write_frame(to, bounded, "abcd"));
        CHECK(beyond.error() == errc::limit_exceeded);
        CHECK(to.writes.empty());
        co_await write_frame(to, bounded, "abc");
        co_await write_frame(to, small, "012345678");
    });
    CHECK(to.writes.size() == 2);
}

TEST_CASE("a frame that would be too long is refused before its bytes are kept") {
    byte_pipe pipe;
    run([&]() -> task<> {
        frame_counters counters;
        framed_stream in(pipe.second(), {.counters = &counters});
        length_field const bounded({.width = 2, .maximum_bytes = 1000});
        co_await pipe.first().write("\x03\xe7"s);  // 999, and not one byte of them
        auto const got = co_await as_result(in.read_frame(bounded));
        CHECK(got.error() == errc::limit_exceeded);
        CHECK(in.memory_bytes() == 0);
        // Nobody knows where the next frame begins.
        co_await pipe.first().write("\0\1x"s);
        auto const again = co_await as_result(in.read_frame(bounded));
        CHECK(again.error() == errc::limit_exceeded);
        CHECK(counters.too_long == 1);
    });
}

TEST_CASE("memory grows with what has come, not with what a length promises") {
    test::simulate([]() -> task<> {
        byte_pipe pipe;
        frame_counters counters;
        framed_stream in(pipe.second(), {.counters = &counters});
        length_field const large({.maximum_bytes = std::size_t{1} << 30});
        std::string const header = "\x3f\xff\xff\x00"s;
        co_await pipe.first().write(header + std::string(3000, 'x'));
        auto const got = co_await as_result(in.read_frame(large, deadline_in(1s)));
        CHECK(got.error() == errc::timed_out);
        CHECK(in.memory_bytes() <= 8192);
        pipe.first().finish();
        auto const end = co_await as_result(in.read_frame(large));
        CHECK(end.error() == errc::end_of_stream);
        CHECK(counters.truncated == 1);
        CHECK(in.memory_bytes() == 0);
    });
}

TEST_CASE("memory for a large frame is given back after it, and the small one stays") {
    byte_pipe pipe({.capacity_bytes = 1 << 20});
    run([&]() -> task<> {
        framed_stream in(pipe.second(), {.keep_bytes = 4096});
        length_field const codec({.maximum_bytes = 1 << 20});
        std::string const large(100'000, 'l');
        co_await write_frame(pipe.first(), codec, large);
        co_await write_frame(pipe.first(), codec, "small");
        frame const first = co_await in.read_frame(codec);
        CHECK(first.payload() == bytes(large));
        CHECK(in.memory_bytes() >= large.size());
        frame const second = co_await in.read_frame(codec);
        CHECK(second.payload() == bytes("small"));
        CHECK(in.memory_bytes() <= 4096);
    });
}

TEST_CASE("what is wrong with a peer's frames is an error with a counter, and never the end") {
    struct sample {
        std::string wire;
        errc code;
        std::uint64_t frame_counters::* counter;
    };
    std::vector<sample> const samples{
        {"\x80", errc::protocol, &frame_counters::bad_length},
        {"\x02zz", errc::protocol, &frame_counters::bad_check},
        {"\x0a", errc::limit_exceeded, &frame_counters::too_long},
        {"\x05zz", errc::end_of_stream, &frame_counters::truncated},
        {"\x81", errc::end_of_stream, &frame_counters::truncated},
    };
    framing::checked const codec(
        length_field({.encoding = length_encoding::ber, .width = 1, .maximum_bytes = 10}),
        framing::xor8());
    for (sample const& each : samples) {
        for (std::size_t const piece : {0u, 1u}) {
            byte_pipe pipe({.piece_bytes = piece});
            run([&]() -> task<> {
                frame_counters counters;
                framed_stream in(pipe.second(), {.counters = &counters});
                co_await write_frame(pipe.first(), codec, "good");
                co_await pipe.first().write(each.wire);
                pipe.first().finish();
                frame const good = co_await in.read_frame(codec);
                CHECK(good.payload() == bytes("good"));
                for (int i = 0; i != 2; ++i) {
                    auto const bad = co_await as_result(in.read_frame(codec));
                    CHECK(bad.error() == each.code);
                }
                CHECK(counters.*each.counter == 1);
                CHECK(counters.frames == 1);
            });
        }
    }
    byte_pipe pipe;
    run([&]() -> task<> {
        frame_counters counters;
        framed_stream in(pipe.second(), {.counters = &counters});
        co_await pipe.first().write("2x\r\n");
        auto const bad = co_await as_result(in.read_frame(test::chunks()));
        CHECK(bad.error() == errc::protocol);
        CHECK(counters.malformed == 1);
    });
}

TEST_CASE("an empty frame is a frame, and the end of the stream is none") {
    byte_pipe pipe;
    run([&]() -> task<> {
        framed_stream in(pipe.second());
        co_await write_frame(pipe.first(), two_bytes, "");
        pipe.first().finish();
        frame const got = co_await in.read_frame(two_bytes);
        CHECK(got);
        CHECK(got.payload().empty());
        for (int i = 0; i != 2; ++i) {
            frame const end = co_await in.read_frame(two_bytes);
            CHECK_FALSE(end);
        }
    });
}

TEST_CASE("each frame of a stream may have another codec, also after a call that was cancelled") {
    test::simulate([]() -> task<> {
        for (std::size_t const piece : {0u, 1u, 3u}) {
            byte_pipe pipe({.piece_bytes = piece});
            framed_stream in(pipe.second());
            co_await write_frame(pipe.first(), crlf, "hello");
            co_await write_frame(pipe.first(), two_bytes, "a\r\n");
            co_await write_frame(pipe.first(), test::chunks(), "chunk");
            co_await pipe.first().write("tail");
            frame const line = co_await in.read_frame(crlf);
            CHECK(line.payload() == bytes("hello"));
            frame const binary = co_await in.read_frame(two_bytes);
            CHECK(binary.payload() == bytes("a\r\n"));
            frame const chunk = co_await in.read_frame(test::chunks());
            CHECK(chunk.payload() == bytes("chunk"));
            auto const late = co_await as_result(in.read_frame(crlf, deadline_in(1s)));
            CHECK(late.error() == errc::timed_out);
            for (char const expected : {'t', 'a', 'i', 'l'}) {
                frame const byte = co_await in.read_frame(framing::fixed_length(1));
                CHECK(byte.payload().text()[0] == expected);
            }
        }
    });
}

TEST_CASE("what follows the last frame is the stream's again") {
    byte_pipe pipe;
    run([&]() -> task<> {
        co_await write_frame(pipe.first(), crlf, "hello");
        co_await pipe.first().write("raw bytes");
        pipe.first().finish();
        owned_frame const greeting = co_await read_frame(pipe.second(), crlf);
        CHECK(greeting.payload() == bytes("hello"));
        auto const rest = co_await test::read_all(pipe.second());
        CHECK(rest == "raw bytes");
        owned_frame const end = co_await read_frame(pipe.second(), crlf);
        CHECK_FALSE(end);
    });
}

TEST_CASE("a cancelled or losing read loses no frame, whole or in part") {
    for (std::size_t const piece : {0u, 1u, 5u}) {
        byte_pipe pipe({.piece_bytes = piece});
        std::vector<std::string> sent;
        std::vector<std::string> got;
        run([&]() -> task<> {
            framed_stream in(pipe.second());
            auto reading = [&]() -> task<> {
                frame const one = co_await in.read_frame(two_bytes);
                got.emplace_back(one.payload().text());
            };
            for (int i = 0; i != 200; ++i) {
                sent.push_back("frame " + std::to_string(i));
                if (i % 3 == 0) {
                    // Loses as an operation that has completed, in the turn that the write ends.
                    co_await when_any(write_frame(pipe.first(), two_bytes, sent.back()),
                                      in.read_frame(two_bytes));
                } else if (i % 3 == 1) {
                    co_await when_any(write_frame(pipe.first(), two_bytes, sent.back()), reading());
                } else {
                    co_await write_frame(pipe.first(), two_bytes, sent.back());
                }
            }
            pipe.first().finish();
            for (;;) {
                frame const one = co_await in.read_frame(two_bytes);
                if (!one) break;
                got.emplace_back(one.payload().text());
            }
        });
        CHECK(got == sent);
    }
}

TEST_CASE("reading and writing frames can be cancelled at every suspension") {
    int const points = test::cancel_sweep([](test::sweep_world& world) -> task<> {
        test::counted const held(world);
        byte_pipe pipe({.capacity_bytes = 5, .piece_bytes = 1});
        auto writing = [&]() -> task<> {
            test::counted const mine(world);
            co_await write_frame(pipe.first(), two_bytes, "first");
            co_await world.pause();
            co_await write_frame(pipe.first(), two_bytes, "second frame");
        };
        auto reading = [&]() -> task<> {
            test::counted const mine(world);
            framed_stream in(pipe.second());
            frame const first = co_await in.read_frame(two_bytes);
            CHECK(first.payload() == bytes("first"));
            frame const second = co_await in.read_frame(two_bytes);
            CHECK(second.payload() == bytes("second frame"));
        };
        co_await when_all(writing(), reading());
    });
    CHECK(points > 6);
}

}  // namespace rill
