// Promises of byte_pipe: the waits of a byte_stream without a socket, a port or a driver.
#include "rill/io/pipe.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "support/manual_executor.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

using test::read_all;

/// Runs `body()` on an executor that has no driver and no clock.
template <class Body>
void run(Body const& body) {
    test::manual_executor home;
    test::root root(home, body);
    home.drain();
    root.take();
}

}  // namespace

TEST_CASE("a pipe carries bytes both ways, in order, and each way ends by itself") {
    byte_pipe pipe;
    run([&]() -> task<> {
        co_await pipe.first().write("ping");
        pipe.first().finish();
        auto const asked = co_await read_all(pipe.second());
        CHECK(asked == "ping");
        co_await pipe.second().write("pong");
        pipe.second().finish();
        auto const answer = co_await read_all(pipe.first());
        CHECK(answer == "pong");
        auto const again = co_await pipe.first().receive();
        CHECK_FALSE(again);
        CHECK(pipe.first().remote_address() == address());
    });
}

TEST_CASE("a pipe in one-byte pieces gives one byte at a time") {
    byte_pipe pipe({.piece_bytes = 1});
    run([&]() -> task<> {
        co_await pipe.first().write("abc");
        pipe.first().finish();
        for (char const expected : {'a', 'b', 'c'}) {
            auto const part = co_await pipe.second().receive();
            CHECK(part.size() == 1);
            CHECK(part.view().text()[0] == expected);
        }
        auto const end = co_await pipe.second().receive();
        CHECK_FALSE(end);
    });
}

TEST_CASE("writers of a pipe wait at its bound, leased bytes included, and go on in turn") {
    for (std::size_t const capacity : {std::size_t{1}, std::size_t{7}, std::size_t{10'000}}) {
        byte_pipe pipe({.capacity_bytes = capacity});
        std::string const one(30'000, '1');
        std::string const two(30'000, '2');
        std::size_t most = 0;
        std::size_t written = 0;
        run([&]() -> task<> {
            auto first = [&]() -> task<> {
                co_await pipe.first().write(one);
                written = one.size();
            };
            auto second = [&]() -> task<> {
                std::array<bytes, 3> const pieces{bytes(""), bytes(two), bytes("")};
                co_await pipe.first().write(std::span<bytes const>(pieces));
                pipe.first().finish();
            };
            auto reading = [&]() -> task<std::string> {
                std::string all;
                for (;;) {
                    auto const part = co_await pipe.second().receive();
                    if (!part) break;
                    CHECK(part.size() <= capacity);
                    most = std::max(most, part.size());
                    all += part.view().text();
                    if (all.size() < one.size() - capacity) CHECK(written == 0);
                }
                co_return all;
            };
            auto const all = co_await when_all(first(), second(), reading());
            CHECK(std::get<2>(all) == one + two);
        });
        CHECK(most <= 4096);
    }
}

TEST_CASE("a pipe gives back what a cancelled receive or read had got") {
    byte_pipe pipe;
    std::string sent;
    std::string got;
    run([&]() -> task<> {
        for (int i = 0; i < 100; ++i) {
            auto reading = [&]() -> task<> {
                std::array<char, 2> room{};
                auto const count = co_await pipe.second().read(room);
                got.append(room.data(), count);
            };
            auto receiving = [&]() -> task<> {
                auto const part = co_await pipe.second().receive();
                got += part.view().text();
            };
            auto const text = std::to_string(i) + ";";
            sent += text;
            if (i % 2 == 0) {
                co_await when_any(pipe.first().write(text), reading());
            } else {
                co_await when_any(receiving(), pipe.first().write(text));
            }
        }
        pipe.first().finish();
        auto const rest = co_await read_all(pipe.second());
        got += rest;
    });
    CHECK(got == sent);
}

TEST_CASE("input that is put back is received before anything else") {
    byte_pipe pipe;
    run([&]() -> task<> {
        co_await pipe.first().write("abcdef");
        std::array<char, 4> room{};
        auto const count = co_await pipe.second().read(room);
        CHECK(count == 4);
        co_await pipe.first().write("gh");
        pipe.first().finish();
        auto const rest = co_await read_all(pipe.second());
        CHECK(rest == "efgh");
    });
}

TEST_CASE("closing a pipe's end ends its own waits with closed and the other's writes with EPIPE") {
    byte_pipe pipe({.capacity_bytes = 8});
    run([&]() -> task<> {
        auto reading = [&]() -> task<std::error_code> {
            auto const got = co_await as_result(pipe.first().receive());
            co_return got.error();
        };
        auto writing = [&]() -> task<std::error_code> {
            auto const wrote = co_await as_result(pipe.second().write("more than eight"));
            co_return wrote.error();
        };
        auto closing = [&]() -> task<> {
            pipe.first().close();
            co_return;
        };
        auto const all = co_await when_all(reading(), writing(), closing());
        // The reader may have had eight bytes before the close came.
        CHECK((!std::get<0>(all) || std::get<0>(all) == errc::closed));
        CHECK(std::get<1>(all) == std::errc::broken_pipe);
        auto const after = co_await as_result(pipe.first().receive());
        CHECK(after.error() == errc::closed);
        auto const write = co_await as_result(pipe.first().write("x"));
        CHECK(write.error() == errc::closed);
        auto const end = co_await pipe.second().receive();
        CHECK_FALSE(end);
    });
}

TEST_CASE("a write that close cuts reads as a reset at the other end, after what came") {
    byte_pipe pipe({.capacity_bytes = 4});
    run([&]() -> task<> {
        auto writing = [&]() -> task<std::error_code> {
            auto const wrote = co_await as_result(pipe.first().write("12345678"));
            co_return wrote.error();
        };
        auto closing = [&]() -> task<> {
            pipe.first().close();
            co_return;
        };
        auto const all = co_await when_all(writing(), closing());
        CHECK(std::get<0>(all) == errc::closed);
        auto const part = co_await pipe.second().receive();
        CHECK(part.view() == bytes("1234"));
        auto const end = co_await as_result(pipe.second().receive());
        CHECK(end.error() == std::errc::connection_reset);
    });
}

TEST_CASE("a pipe's write cancelled part way leaves write_broken, before its turn nothing") {
    byte_pipe pipe({.capacity_bytes = 4});
    run([&]() -> task<> {
        auto ready = []() -> task<> { co_return; };
        co_await pipe.first().write("1234");
        // Nothing of this one fits: it leaves no trace.
        auto waiting = [&]() -> task<> { co_await pipe.first().write("never"); };
        co_await when_any(waiting(), ready());
        {
            auto const part = co_await pipe.second().receive();
            CHECK(part.view() == bytes("1234"));
        }
        co_await when_any(waiting(), ready());
        auto const broken = co_await as_result(pipe.first().write("x"));
        CHECK(broken.error() == errc::write_broken);
        auto const part = co_await pipe.second().receive();
        CHECK(part.view() == bytes("neve"));
    });
}

TEST_CASE("finish of a pipe waits for the writes before it") {
    byte_pipe pipe({.capacity_bytes = 16});
    std::string const text(1000, 't');
    run([&]() -> task<> {
        auto finishing = [&]() -> task<> {
            pipe.first().finish();
            auto const late = co_await as_result(pipe.first().write("late"));
            CHECK(late.error() == errc::closed);
        };
        auto const all =
            co_await when_all(pipe.first().write(text), finishing(), read_all(pipe.second()));
        CHECK(std::get<2>(all) == text);
    });
}

TEST_CASE("watch_end of a pipe cancels when the other end finishes or closes") {
    for (bool const closes : {true, false}) {
        byte_pipe pipe;
        run([&]() -> task<> {
            auto handler = [&]() -> task<> {
                auto const reason = co_await test::watch_until_cancelled(pipe.second());
                CHECK(reason == cancel_reason::client_gone);
            };
            auto leaving = [&]() -> task<> {
                if (closes) {
                    pipe.first().close();
                } else {
                    co_await pipe.first().write("unread");
                    pipe.first().finish();
                }
            };
            co_await when_all(handler(), leaving());
            // Watching what has ended already cancels at once.
            auto const reason = co_await test::watch_until_cancelled(pipe.second());
            CHECK(reason == cancel_reason::client_gone);
        });
    }
}

TEST_CASE("deadlines of a pipe work on a core") {
    test::simulate([]() -> task<> {
        byte_pipe pipe({.capacity_bytes = 4});
        auto const received = co_await as_result(pipe.first().receive(deadline_in(1h)));
        CHECK(received.error() == errc::timed_out);
        auto const wrote = co_await as_result(pipe.first().write("12345", deadline_in(1h)));
        CHECK(wrote.error() == errc::timed_out);
    });
}

TEST_CASE("a long row of writes through a pipe keeps the stack flat") {
    byte_pipe pipe({.capacity_bytes = 1});
    std::size_t const count = 200'000;
    run([&]() -> task<> {
        auto writing = [&]() -> task<> {
            for (std::size_t i = 0; i < count; ++i) co_await pipe.first().write("m");
            pipe.first().finish();
        };
        auto const all = co_await when_all(writing(), read_all(pipe.second()));
        CHECK(std::get<1>(all).size() == count);
    });
}

}  // namespace rill
