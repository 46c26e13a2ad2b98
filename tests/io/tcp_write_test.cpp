// Promises of writes to byte_stream and tcp::stream, on the ring and in a simulation. RFC 9293.
#include <fcntl.h>

#include <array>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/file.hpp"
#include "rill/io/tcp.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

using test::make_pair;
using test::pair;
using test::read_all;
using test::settle;

// More than the kernel's buffers of both ends grow to, which differs by a machine's settings.
std::size_t beyond_buffers() {
    return test::simulated() ? 4'000'000 : 64'000'000;
}

}  // namespace

RILL_IO_TEST("what was written is received, and the end of the stream after it") {
    pair ends;
    co_await make_pair(ends);
    co_await ends.client.write("hello");
    ends.client.finish();
    auto const text = co_await read_all(ends.server);
    CHECK(text == "hello");
    auto const again = co_await ends.server.receive();
    CHECK_FALSE(again);
    auto const and_again = co_await ends.server.receive();
    CHECK_FALSE(and_again);
}

RILL_IO_TEST("finish waits for the writes before it; a write after it fails with closed") {
    pair ends;
    co_await make_pair(ends);
    std::string const large(1'000'000, 'x');
    auto writing = [&]() -> task<> { co_await ends.client.write(large); };
    auto reading = [&]() -> task<std::size_t> {
        co_await settle();
        ends.client.finish();
        auto const late = co_await as_result(ends.client.write("late"));
        CHECK(late.error() == errc::closed);
        auto const all = co_await read_all(ends.server);
        co_return all.size();
    };
    auto const both = co_await when_all(writing(), reading());
    CHECK(std::get<1>(both) == large.size());
}

RILL_IO_TEST("many writers wait each for their turn, and their bytes never interleave") {
    pair ends;
    co_await make_pair(ends);
    constexpr int writers = 20;
    constexpr std::size_t size = 50'000;
    std::string got;
    co_await with_task_group([&](task_group& group) -> task<> {
        auto const write_one = [&ends](int i) -> task<> {
            std::string const text(size, static_cast<char>('a' + i));
            co_await ends.client.write(text);
        };
        for (int i = 0; i < writers; ++i) group.spawn(write_one, i);
        co_await settle();
        std::string const all = co_await test::read_exactly(ends.server, writers * size);
        got = all;
    });
    std::string expected;
    for (int i = 0; i < writers; ++i) expected += std::string(size, static_cast<char>('a' + i));
    CHECK(got == expected);
}

RILL_IO_TEST("a vectored write sends its pieces in order, empty ones included") {
    pair ends;
    co_await make_pair(ends);
    std::array<bytes, 6> const pieces{bytes(""),  bytes("ab"),  bytes(""),
                                      bytes("c"), bytes("def"), bytes("")};
    co_await ends.client.write(std::span<bytes const>(pieces));
    std::array<bytes, 2> const nothing{};
    co_await ends.client.write(std::span<bytes const>(nothing));
    co_await ends.client.write(bytes());
    std::string const large(300'000, 'z');
    std::vector<bytes> const many(7, bytes(large));
    auto writing = [&]() -> task<> {
        co_await ends.client.write(std::span<bytes const>(many));
        ends.client.finish();
    };
    auto const both = co_await when_all(read_all(ends.server), writing());
    auto const& text = std::get<0>(both);
    CHECK(text.size() == 6 + 7 * large.size());
    CHECK(text.substr(0, 7) == "abcdefz");
}

RILL_IO_TEST("a write cancelled before its turn sends nothing and breaks nothing") {
    pair ends;
    co_await make_pair(ends);
    std::string const large(beyond_buffers(), 'x');
    co_await with_task_group([&](task_group& group) -> task<> {
        auto const first = [&]() -> task<> { co_await ends.client.write(large); };
        group.spawn(first);
        co_await settle();
        auto second = [&]() -> task<> { co_await ends.client.write("never"); };
        co_await when_any(second(), settle(2));
        auto const third = [&]() -> task<> {
            co_await ends.client.write("end");
            ends.client.finish();
        };
        group.spawn(third);
        std::string const got = co_await read_all(ends.server);
        CHECK(got.size() == large.size() + 3);
        CHECK(got.substr(large.size()) == "end");
    });
}

RILL_IO_TEST("a write cancelled part way breaks the stream for writing: write_broken") {
    pair ends;
    co_await make_pair(ends);
    std::string const large(beyond_buffers(), 'x');
    auto writing = [&]() -> task<> { co_await ends.client.write(large); };
    // Once the peer has a part of it, some was sent, and the rest waits for the peer.
    auto const first = co_await when_any(writing(), ends.server.receive());
    CHECK(first.index == 1);
    auto const later_write = co_await as_result(ends.client.write("more"));
    CHECK(later_write.error() == errc::write_broken);
    // Receiving still works.
    co_await ends.server.write("pong");
    auto const got = co_await ends.client.receive();
    CHECK(got.view() == bytes("pong"));
}

RILL_IO_TEST("a deadline ends receive, read and write with timed_out") {
    pair ends;
    co_await make_pair(ends);
    auto const received = co_await as_result(ends.server.receive(deadline_in(5ms)));
    CHECK(received.error() == errc::timed_out);
    std::array<char, 4> room{};
    auto const count = co_await as_result(ends.server.read(room, deadline_in(5ms)));
    CHECK(count.error() == errc::timed_out);
    std::string const large(beyond_buffers(), 'x');
    auto const wrote = co_await as_result(ends.client.write(large, deadline_in(20ms)));
    CHECK(wrote.error() == errc::timed_out);
    auto const next = co_await as_result(ends.client.write("y"));
    CHECK(next.error() == errc::write_broken);
    // What came in time is given although the deadline had a value.
    co_await ends.server.write("in time");
    auto const in_time = co_await ends.client.receive(deadline_in(10s));
    CHECK(in_time.view() == bytes("in time"));
}

RILL_IO_TEST("closing ends writes that wait with closed") {
    pair ends;
    co_await make_pair(ends);
    std::string const large(beyond_buffers(), 'x');
    auto writing = [&]() -> task<std::error_code> {
        auto const wrote = co_await as_result(ends.client.write(large));
        co_return wrote.error();
    };
    auto closing = [&]() -> task<> {
        co_await settle(5);
        ends.client.close();
    };
    auto const all = co_await when_all(writing(), writing(), closing());
    CHECK(std::get<0>(all) == errc::closed);
    CHECK(std::get<1>(all) == errc::closed);
}

RILL_IO_TEST("a reset is an error of receive also where a waiting write hears of it first") {
    for (int i = 0; i < 20; ++i) {
        pair ends;
        co_await make_pair(ends);
        std::string const large(beyond_buffers(), 'x');
        auto writing = [&]() -> task<std::error_code> {
            auto const wrote = co_await as_result(ends.server.write(large));
            co_return wrote.error();
        };
        auto reading = [&]() -> task<std::error_code> {
            auto const got = co_await as_result(ends.server.receive());
            co_return got.error();
        };
        auto resetting = [&]() -> task<> {
            co_await settle(i);
            ends.client.reset();
        };
        if (i % 2 == 0) {
            auto const all = co_await when_all(writing(), reading(), resetting());
            CHECK(std::get<0>(all));
            CHECK(std::get<1>(all) == std::errc::connection_reset);
        } else {
            auto const all = co_await when_all(reading(), writing(), resetting());
            CHECK(std::get<0>(all) == std::errc::connection_reset);
            CHECK(std::get<1>(all));
        }
    }
}

RILL_IO_TEST("writing to a peer that has gone is an error, never a SIGPIPE (C098)") {
    pair ends;
    co_await make_pair(ends);
    ends.client.close();
    std::error_code why;
    for (int i = 0; i < 1000 && !why; ++i) {
        std::array<bytes, 2> const pieces{bytes("a"), bytes("b")};
        if (i % 2 == 0) {
            auto const wrote = co_await as_result(ends.server.write("ping"));
            why = wrote.error();
        } else {
            auto const wrote =
                co_await as_result(ends.server.write(std::span<bytes const>(pieces)));
            why = wrote.error();
        }
        co_await settle();
    }
    CHECK(why);
}

TEST_CASE("sending a file to a peer that has gone is an error, never a SIGPIPE (C098) [uring]") {
    test::run_in(test::kernel_world(), []() -> task<> {
        pair ends;
        co_await make_pair(ends);
        file::handle const program(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
        REQUIRE(program);
        file_piece const piece{.descriptor = program.descriptor(), .offset = 0, .size = 100'000};
        ends.client.close();
        std::error_code why;
        for (int i = 0; i < 1000 && !why; ++i) {
            auto const wrote = co_await as_result(ends.server.bytes_of().write(piece));
            why = wrote.error();
            co_await settle();
        }
        CHECK(why);
    });
}

RILL_IO_TEST("writing megabytes to a slow reader waits, and loses nothing (C099)") {
    pair ends;
    co_await make_pair(ends);
    constexpr std::size_t pieces = 20;
    std::string const piece(1'000'000, 'p');
    std::size_t written = 0;
    std::size_t written_before_reading = 0;
    auto writing = [&]() -> task<> {
        for (std::size_t i = 0; i < pieces; ++i) {
            co_await ends.client.write(piece);
            ++written;
        }
        ends.client.finish();
    };
    auto reading = [&]() -> task<std::size_t> {
        // Until the writer has come to rest: nothing further is accepted for many turns.
        for (int quiet = 0; quiet < 200; ++quiet) {
            std::size_t const before = written;
            co_await yield();
            if (written != before) quiet = 0;
        }
        written_before_reading = written;
        std::size_t got = 0;
        for (;;) {
            auto const part = co_await ends.server.receive();
            if (!part) break;
            got += part.size();
        }
        co_return got;
    };
    auto const both = co_await when_all(writing(), reading());
    CHECK(std::get<1>(both) == pieces * piece.size());
    CHECK(written_before_reading < pieces);
}

RILL_IO_TEST("a long row of writes to a fast reader keeps the stack flat (C100)") {
    pair ends;
    co_await make_pair(ends);
    int const count = test::rounds(1'000'000, 50'000);
    char* lowest = nullptr;
    char* highest = nullptr;
    auto writing = [&]() -> task<> {
        for (int i = 0; i < count; ++i) {
            co_await ends.client.write("m");
            // The frame is on the heap; this asks where the machine's stack is.
            char* const stack = static_cast<char*>(__builtin_frame_address(0));
            if (lowest == nullptr || stack < lowest) lowest = stack;
            if (stack > highest) highest = stack;
        }
        ends.client.finish();
    };
    auto reading = [&]() -> task<int> {
        int got = 0;
        for (;;) {
            auto const part = co_await ends.server.receive();
            if (!part) break;
            got += static_cast<int>(part.size());
        }
        co_return got;
    };
    auto const both = co_await when_all(writing(), reading());
    CHECK(std::get<1>(both) == count);
    CHECK(highest - lowest < 16 * 1024);
}

}  // namespace rill
