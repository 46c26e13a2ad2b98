// Promises of frames over TCP on both drivers, and for random codecs over pipes.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/io/framing.hpp"
#include "rill/io/pipe.hpp"
#include "support/frames.hpp"
#include "support/manual_executor.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

using namespace std::string_literals;
using framing::length_encoding;
using framing::length_field;

constexpr length_field two_bytes({.width = 2});

}  // namespace

RILL_IO_TEST("frames over TCP are whole and in order, however large, with many writers") {
    test::pair ends;
    co_await test::make_pair(ends);
    constexpr int writers = 4;
    int const each_writes = test::rounds(200, 50);
    length_field const codec({.width = 3, .maximum_bytes = 100'000});
    auto writing = [&](int who) -> task<> {
        test::dice random(static_cast<std::uint64_t>(who));
        for (int i = 0; i != each_writes; ++i) {
            std::size_t const size = random.up_to(random.coin() ? 40 : 20'000);
            std::string const text(size, static_cast<char>('a' + who));
            co_await write_frame(ends.client, codec, text);
        }
    };
    auto reading = [&]() -> task<std::size_t> {
        framed_stream in(ends.server);
        std::vector<test::dice> random;
        for (int who = 0; who != writers; ++who)
            random.emplace_back(static_cast<std::uint64_t>(who));
        std::size_t count = 0;
        for (int left = writers * each_writes; left != 0; --left) {
            frame const got = co_await in.read_frame(codec);
            REQUIRE(got);
            ++count;
            if (got.payload().empty()) continue;
            std::string_view const text = got.payload().text();
            CHECK(text.find_first_not_of(text[0]) == std::string_view::npos);
        }
        co_return count;
    };
    auto const all = co_await when_all(writing(0), writing(1), writing(2), writing(3), reading());
    CHECK(std::get<4>(all) == static_cast<std::size_t>(writers * each_writes));
}

RILL_IO_TEST("a reader that waits inside a frame holds no receive buffer, and its deadline holds") {
    test::pair ends;
    co_await test::make_pair(ends);
    framed_stream in(ends.server);
    co_await ends.client.write("\0\5ab"s);
    auto const early = co_await as_result(in.read_frame(two_bytes, deadline_in(20ms)));
    CHECK(early.error() == errc::timed_out);
    CHECK(core::current().buffers().held() == 0);
    co_await ends.client.write("cde\0\0"s);
    frame const got = co_await in.read_frame(two_bytes, deadline_in(1h));
    CHECK(got.payload() == bytes("abcde"));
    frame const empty = co_await in.read_frame(two_bytes);
    CHECK(empty);
}

RILL_IO_TEST("a reset inside a frame is the stream's error, and says what was tried") {
    test::pair ends;
    co_await test::make_pair(ends);
    framed_stream in(ends.server);
    co_await ends.client.write("\0\5ab"s);
    auto resetting = [&]() -> task<> {
        co_await test::settle();
        ends.client.reset();
    };
    auto reading = [&]() -> task<std::string> {
        std::string text;
        try {
            static_cast<void>(co_await in.read_frame(two_bytes));
        } catch (error const& failure) {
            CHECK(failure.code() == std::errc::connection_reset);
            text = failure.what();
        }
        co_return text;
    };
    auto const both = co_await when_all(resetting(), reading());
    CHECK(std::get<1>(both).starts_with("read a frame from"));
}

namespace {

/// Sends random payloads through a pipe of random pieces and reads them back.
template <class Codec>
void check_random(Codec const& codec, test::dice& random, std::size_t prefix_size) {
    byte_pipe pipe({.capacity_bytes = 1 + random.up_to(600),
                    .piece_bytes = random.coin() ? 1 + random.up_to(7) : 1 + random.up_to(300)});
    std::vector<std::string> sent;
    std::string const prefix = random.text(prefix_size);
    auto writing = [&]() -> task<> {
        for (int i = 0; i != 12; ++i) {
            std::string const payload =
                random.text(random.up_to(random.coin() ? 6 : 200), random.coin() ? 3 : 256);
            std::size_t const cut = random.up_to(payload.size());
            std::array<bytes, 2> const pieces{bytes(payload).first(cut),
                                              bytes(payload).without_first(cut)};
            auto const outcome =
                co_await as_result(write_frame(pipe.first(), codec, pieces, prefix));
            if (outcome) sent.push_back(payload);
        }
        pipe.first().finish();
    };
    auto reading = [&]() -> task<> {
        framed_stream in(pipe.second(), {.keep_bytes = random.up_to(100)});
        std::size_t count = 0;
        for (;; ++count) {
            frame const got = co_await in.read_frame(codec);
            if (!got) break;
            CHECK(got.prefix() == bytes(prefix));
            REQUIRE(count < sent.size() + 1);
            // A write returns once all is in the pipe, so the last may not be noted yet.
            if (count < sent.size()) REQUIRE(got.payload() == bytes(sent[count]));
        }
        CHECK(count == sent.size());
    };
    auto both = [&]() -> task<> { co_await when_all(writing(), reading()); };
    test::manual_executor home;
    test::root root(home, both);
    home.drain();
    root.take();
}

}  // namespace

TEST_CASE("what is written is read back, for random codecs, payloads and pieces (C121)") {
    constexpr std::array encodings{length_encoding::big_endian, length_encoding::little_endian,
                                   length_encoding::varint, length_encoding::ber};
    for (std::uint64_t seed = 0; seed != 10'000; ++seed) {
        CAPTURE(seed);
        test::dice random(seed);
        std::size_t const offset = random.up_to(3);
        length_field const field({.encoding = encodings[random.up_to(3)],
                                  .width = 1 + random.up_to(7),
                                  .offset = offset,
                                  .adjustment = static_cast<std::int64_t>(random.up_to(8)) - 4,
                                  .header_included = random.coin(),
                                  .maximum_bytes = 20 + random.up_to(300)});
        switch (random.up_to(4)) {
            case 0:
                check_random(field, random, offset);
                break;
            case 1:
                check_random(framing::checked(field, framing::crc32()), random, offset);
                break;
            case 2:
                check_random(framing::delimited(random.text(1 + random.up_to(2), 3)), random, 0);
                break;
            case 3:
                check_random(framing::lines(), random, 0);
                break;
            default:
                check_random(test::chunks(), random, 0);
        }
    }
}

}  // namespace rill
