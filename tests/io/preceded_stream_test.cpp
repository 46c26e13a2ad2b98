// A stream with bytes before it: nothing of them is lost, and they come once.
#include "io/preceded_stream.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "rill/coro/as_result.hpp"
#include "rill/coro/event.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/pipe.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/sleep.hpp"

using namespace rill;

namespace {

buffer holding(std::string_view text) {
    buffer made;
    CHECK(made.append(text));
    return made;
}

}  // namespace

TEST_CASE("the first bytes come before those of the stream, in pieces of any size") {
    auto const test = []() -> task<> {
        byte_pipe pipe;
        preceded_stream both(holding("first"), pipe.second());
        co_await pipe.first().write(" second");
        std::string all;
        while (all.size() < 12) {
            std::array<char, 2> memory;
            std::size_t const size = co_await both.read(memory);
            all.append(memory.data(), size);
        }
        CHECK(all == "first second");
        co_await both.write("answer");
        auto const answer = co_await pipe.first().receive();
        CHECK(answer.view().text() == "answer");
        both.finish();
        auto const end = co_await pipe.first().receive();
        CHECK(end.size() == 0);
    };
    run(test());
}

TEST_CASE("what a cancelled wait had won is received by the next one") {
    auto const test = []() -> task<> {
        byte_pipe pipe;
        preceded_stream both(holding("first"), pipe.second());
        event set(true);
        for (int i = 0; i < 3; ++i) {
            auto const won = co_await when_any(set.wait(), both.receive());
            CHECK(won.index == 0);
        }
        auto piece = co_await both.receive();
        piece.consume(2);
        CHECK(piece.view().text() == "rst");
        piece.reset();
        co_await pipe.first().write("second");
        for (int i = 0; i < 3; ++i) {
            auto const won = co_await when_any(set.wait(), both.receive());
            CHECK(won.index == 0);
        }
        auto const second = co_await both.receive();
        CHECK(second.view().text() == "second");
    };
    run(test());
}

TEST_CASE("a deadline and an end are those of the stream") {
    auto const test = []() -> task<> {
        byte_pipe pipe;
        preceded_stream both(holding(""), pipe.second());
        auto const late = co_await as_result(both.receive(deadline_in(1ms)));
        CHECK(late.error() == errc::timed_out);
        pipe.first().finish();
        auto const end = co_await both.receive();
        CHECK(end.size() == 0);
        both.close();
        auto const closed = co_await as_result(both.receive());
        CHECK(closed.error() == errc::closed);
    };
    run(test());
}
