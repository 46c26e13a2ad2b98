// Promises of descriptor_stream: pipes and files of the kernel as byte streams.
#include "rill/io/descriptor_stream.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/file.hpp"
#include "rill/io/lines.hpp"
#include "rt/simulated_world.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

using test::read_all;
using test::settle;

/// An unnamed file with `content`, at its start.
int temporary_file(std::string_view content) {
    std::string name = "/tmp/rill_test_XXXXXX";
    int const made = ::mkstemp(name.data());
    REQUIRE(made >= 0);
    ::unlink(name.c_str());
    REQUIRE(::write(made, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
    ::lseek(made, 0, SEEK_SET);
    return made;
}

std::string content_of(int file) {
    std::string all(1 << 20, '\0');
    ssize_t const size = ::pread(file, all.data(), all.size(), 0);
    all.resize(static_cast<std::size_t>(size));
    return all;
}

}  // namespace

RILL_IO_TEST("what is written to a pipe comes out, and finishing is the end") {
    auto [reader, writer] = make_pipe();
    co_await writer.write("ping");
    auto const part = co_await reader.receive();
    CHECK(part.view().text() == "ping");
    writer.finish();
    CHECK(writer.native() == -1);
    auto const end = co_await reader.receive();
    CHECK_FALSE(end);
    auto const again = co_await reader.receive();
    CHECK_FALSE(again);
    auto const late = co_await as_result(writer.write("x"));
    CHECK(late.error() == errc::closed);
}

RILL_IO_TEST("a megabyte goes through a pipe with a slow reader, in order") {
    auto ends = make_pipe();
    std::string text(1 << 20, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7 % 251);
    auto const writing = [&]() -> task<> {
        std::array<bytes, 3> const pieces{bytes(text).first(100'000), bytes(),
                                          bytes(text).without_first(100'000)};
        co_await ends.writer.write(pieces);
        ends.writer.finish();
    };
    auto const reading = [&]() -> task<std::string> {
        std::string all;
        for (;;) {
            auto const part = co_await ends.reader.receive();
            if (!part) break;
            all += part.view().text();
            if (all.size() % 5 == 0) co_await settle(1);
        }
        co_return all;
    };
    auto const both = co_await when_all(writing(), reading());
    CHECK(std::get<1>(both) == text);
}

RILL_IO_TEST("writing to a pipe without a reader is an error and no signal") {
    auto ends = make_pipe();
    ends.reader.close();
    co_await settle();
    auto const wrote = co_await as_result(ends.writer.write("x"));
    CHECK(wrote.error() == std::errc::broken_pipe);
    auto const again = co_await as_result(ends.writer.write("x"));
    CHECK(again.error() == std::errc::broken_pipe);
    sigset_t pending;
    ::sigpending(&pending);
    CHECK(::sigismember(&pending, SIGPIPE) == 0);
}

RILL_IO_TEST("a write that waits for the reader ends when that closes") {
    auto ends = make_pipe();
    std::string const much(1 << 20, 'x');
    auto const writing = [&]() -> task<std::error_code> {
        auto const wrote = co_await as_result(ends.writer.write(much));
        co_return wrote.error();
    };
    auto const closing = [&]() -> task<> {
        co_await settle();
        ends.reader.close();
    };
    auto const both = co_await when_all(writing(), closing());
    CHECK(std::get<0>(both) == std::errc::broken_pipe);
}

RILL_IO_TEST("a write that is cut by a cancellation breaks the stream") {
    auto ends = make_pipe();
    std::string const much(1 << 20, 'x');
    co_await when_any(ends.writer.write(much), settle());
    auto const after = co_await as_result(ends.writer.write("y"));
    CHECK(after.error() == errc::write_broken);
}

RILL_IO_TEST("closing ends a wait for input, and a deadline does") {
    auto ends = make_pipe();
    auto const late = co_await as_result(ends.reader.receive(deadline_in(1ms)));
    CHECK(late.error() == errc::timed_out);
    auto const waiting = [&]() -> task<std::error_code> {
        auto const got = co_await as_result(ends.reader.receive());
        co_return got.error();
    };
    auto const closing = [&]() -> task<> {
        co_await settle();
        ends.reader.close();
    };
    auto const both = co_await when_all(waiting(), closing());
    CHECK(std::get<0>(both) == errc::closed);
}

RILL_IO_TEST("input that a losing branch had received is there for the next reader") {
    auto ends = make_pipe();
    for (int i = 0; i < 20; ++i) {
        co_await ends.writer.write("one");
        auto const ready = []() -> task<> { co_return; };
        co_await when_any(ready(), ends.reader.receive());
        auto const got = co_await ends.reader.receive();
        CHECK(got.view().text() == "one");
    }
}

RILL_IO_TEST("sixteen leases may be out; receiving goes on when one comes back") {
    auto ends = make_pipe();
    co_await ends.writer.write(std::string(4096 * 16, 'x'));  // all that a pipe holds
    std::vector<lease> held;
    for (int i = 0; i < 16; ++i) held.push_back(co_await ends.reader.receive());
    co_await ends.writer.write(std::string(4096, 'y'));
    auto const none = co_await as_result(ends.reader.receive(deadline_in(1ms)));
    CHECK(none.error() == errc::timed_out);
    auto const receiving = [&]() -> task<std::size_t> {
        auto const got = co_await ends.reader.receive();
        co_return got.size();
    };
    auto const releasing = [&]() -> task<> {
        co_await settle();
        held.pop_back();
    };
    auto const both = co_await when_all(receiving(), releasing());
    CHECK(std::get<0>(both) == 4096);
}

RILL_IO_TEST("a stream that ends with leases out lives until the last comes back") {
    lease last;
    {
        auto ends = make_pipe();
        co_await ends.writer.write("bytes");
        last = co_await ends.reader.receive();
    }
    co_await settle();
    CHECK(last.view().text() == "bytes");
}

RILL_KERNEL_TEST("a borrowed descriptor stays open, in its mode, and is not read ahead") {
    std::array<int, 2> raw{};
    REQUIRE(::pipe(raw.data()) == 0);
    REQUIRE(::write(raw[1], "12", 2) == 2);
    {
        auto input = descriptor_stream::borrow(raw[0]);
        std::array<char, 1> one{};
        auto const count = co_await input.read(one);
        CHECK(count == 1);
        CHECK(one[0] == '1');
        // What was asked for in a smaller piece than was there waits in the stream.
        auto const rest = co_await input.receive();
        CHECK(rest.view().text() == "2");
        REQUIRE(::write(raw[1], "3", 1) == 1);
        CHECK((::fcntl(raw[0], F_GETFL) & O_NONBLOCK) == 0);
        auto output = descriptor_stream::borrow(raw[1]);
        co_await output.write(std::string(100, 'y'));
        output.finish();
    }
    co_await settle();
    std::array<char, 200> rest{};
    CHECK(::read(raw[0], rest.data(), rest.size()) == 101);
    CHECK(rest[0] == '3');
    ::close(raw[0]);
    ::close(raw[1]);
}

RILL_KERNEL_TEST("a long write to a blocking pipe does not hold the core") {
    std::array<int, 2> raw{};
    REQUIRE(::pipe(raw.data()) == 0);
    auto output = descriptor_stream::own(raw[1]);
    auto input = descriptor_stream::own(raw[0]);
    std::string const much(300'000, 'z');
    auto const writing = [&]() -> task<> {
        co_await output.write(much);
        output.finish();
    };
    auto const both = co_await when_all(writing(), read_all(input));
    CHECK(std::get<1>(both) == much);
}

RILL_KERNEL_TEST("a redirected file is read from where it stands, and appended to") {
    int const file = temporary_file("first\nsecond\nthird");
    ::lseek(file, 6, SEEK_SET);
    {
        lines input(descriptor_stream::borrow(file));
        std::vector<std::string> got;
        while (auto line = co_await input.next()) got.emplace_back(*line);
        CHECK(got == std::vector<std::string>{"second", "third"});
        // Reading has moved the position that other processes share: writing goes on there.
        auto output = descriptor_stream::borrow(file);
        std::array<bytes, 2> const pieces{"\nfourth", "\nfifth"};
        co_await output.write(pieces);
    }
    co_await settle();
    CHECK(content_of(file) == "first\nsecond\nthird\nfourth\nfifth");
    ::close(file);
}

RILL_KERNEL_TEST("what is no open descriptor is refused") {
    for (int const wrong : {-1, 100'000}) {
        std::error_code why;
        try {
            auto const made = descriptor_stream::own(wrong);
        } catch (error const& failure) {
            why = failure.code();
        }
        CHECK(why == std::errc::bad_file_descriptor);
    }
    co_return;
}

RILL_IO_TEST("cancelling at any moment leaves no descriptor and no lease behind") {
    for (int turns = 0; turns < 12; ++turns) {
        CAPTURE(turns);
        auto ends = make_pipe();
        auto const writing = [&]() -> task<> {
            std::string const much(200'000, 'x');
            for (;;) co_await ends.writer.write(much);
        };
        auto const reading = [&]() -> task<> {
            lines input(ends.reader.bytes_of(), {.most_bytes = 10'000'000});
            co_await input.next();
        };
        auto const both = [&]() -> task<> { co_await when_all(writing(), reading()); };
        co_await when_any(both(), settle(turns));
    }
}

TEST_CASE("a simulated file is read from where it stands, and standard input is outside") {
    auto const body = []() -> task<> {
        simulated_world::of_thread()->files().add("/text", "first\nsecond");
        {
            auto const opened = co_await file::open("/text", {.access = file::access::read_write});
            lines input(descriptor_stream::borrow(opened.descriptor()));
            auto const first = co_await input.next();
            CHECK(first == "first");
            auto output = descriptor_stream::borrow(opened.descriptor());
            co_await output.write("\nthird");
            auto const all = co_await file::read_all(opened);
            CHECK(all == "first\nsecond\nthird");
        }
        std::error_code why;
        try {
            auto const input = standard_input();
        } catch (error const& failure) {
            why = failure.code();
        }
        CHECK(why == errc::unsupported);
    };
    test::simulate(body);
}

}  // namespace rill
