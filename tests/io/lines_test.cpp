// Promises of lines: whole lines in any pieces, and the bound for their length.
#include "rill/io/lines.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/pipe.hpp"
#include "support/sim.hpp"

namespace rill {

namespace {

using all_lines = std::vector<std::string>;

/// The lines of `text` as they come in pieces of `piece` bytes; what it throws is the last line.
all_lines split(std::string const& text, std::size_t piece, line_options with = {}) {
    all_lines got;
    byte_pipe pipe({.piece_bytes = piece});
    auto const writing = [&]() -> task<> {
        auto const wrote = co_await as_result(pipe.first().write(text));
        if (wrote) pipe.first().finish();
    };
    auto const reading = [&]() -> task<> {
        lines input(pipe.second(), with);
        try {
            while (auto line = co_await input.next()) got.emplace_back(*line);
            auto const again = co_await input.next();
            CHECK_FALSE(again);
        } catch (error const& failure) {
            got.push_back("! " + failure.code().message());
        }
        pipe.second().close();
    };
    auto const both = [&]() -> task<> { co_await when_all(writing(), reading()); };
    test::simulate(both);
    return got;
}

}  // namespace

TEST_CASE("lines come whole, whatever the pieces, and without their ends") {
    std::string const text = "one\n\ntwo\r\n\r\nthree \r with CR\nlast";
    all_lines const wanted{"one", "", "two", "", "three \r with CR", "last"};
    for (std::size_t piece = 1; piece <= text.size() + 1; ++piece) {
        CAPTURE(piece);
        CHECK(split(text, piece) == wanted);
        CHECK(split(text + "\n", piece) == wanted);
    }
    CHECK(split("", 1) == all_lines{});
    CHECK(split("\n", 1) == all_lines{""});
    CHECK(split("\r", 1) == all_lines{"\r"});
}

TEST_CASE("a line of exactly the bound is given, and one byte more is refused") {
    std::string const fits(10, 'x');
    std::string const limit = "! " + make_error_code(errc::limit_exceeded).message();
    for (std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{100}}) {
        CAPTURE(piece);
        line_options const ten{.most_bytes = 10};
        CHECK(split(fits + "\n" + fits + "\r\n" + fits, piece, ten) == all_lines{fits, fits, fits});
        CHECK(split(fits + "\n" + fits + "x\n", piece, ten) == all_lines{fits, limit});
        CHECK(split(fits + "x\r\n", piece, ten) == all_lines{limit});
        CHECK(split(fits + "x", piece, ten) == all_lines{limit});
        CHECK(split("a\n" + std::string(100'000, 'y'), piece, ten) == all_lines{"a", limit});
    }
    CHECK(split("\nx\n", 1, {.most_bytes = 0}) == all_lines{"", limit});
}

TEST_CASE("after a line that is too long every call says so") {
    byte_pipe pipe;
    auto const body = [&]() -> task<> {
        co_await pipe.first().write("0123456789\nshort\n");
        lines input(pipe.second(), {.most_bytes = 5});
        for (int i = 0; i < 3; ++i) {
            auto const line = co_await as_result(input.next());
            CHECK(line.error() == errc::limit_exceeded);
        }
    };
    test::simulate(body);
}

TEST_CASE("a wait for a line that is given up loses nothing") {
    byte_pipe pipe;
    auto const body = [&]() -> task<> {
        lines input(pipe.second());
        co_await pipe.first().write("first half, ");
        co_await when_any(input.next(), rill::sleep(1s));
        auto const late = co_await as_result(input.next(deadline_in(1s)));
        CHECK(late.error() == errc::timed_out);
        co_await pipe.first().write("second half\nrest");
        auto const line = co_await input.next();
        REQUIRE(line);
        CHECK(*line == "first half, second half");
        CHECK(input.unread().text() == "rest");
    };
    test::simulate(body);
}

}  // namespace rill
