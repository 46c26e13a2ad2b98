// Local sockets and pipes in a simulated world: what the seeds are let loose on.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/descriptor_stream.hpp"
#include "rill/io/lines.hpp"
#include "rill/io/local.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/test.hpp"

namespace rill::sim {

inline constexpr char const* at_server = "unix:/run/server";

inline task<> a_moment() {
    co_await rill::sleep(std::chrono::milliseconds(test::choose(20)));
}

/// Sends its numbers, some of them with a deadline that may be too short: those are sent again.
inline task<> send_numbers(int count) {
    auto from = local::socket::connect(at_server);
    for (int i = 0; i < count;) {
        std::string const text = std::to_string(i);
        time_point const until = test::choose(3) == 0 ? deadline_in(1ms) : never;
        auto const sent = co_await as_result(from.send(text, until));
        test::expect(sent || sent.error() == errc::timed_out, "there is a receiver");
        if (sent) ++i;
    }
}

inline task<> datagrams() {
    int const count = static_cast<int>(test::choose(60));
    auto server = local::socket::bind(at_server, {.most_unread = 2});
    auto const receiving = [&]() -> task<> {
        for (int i = 0; i < count; ++i) {
            auto const got = co_await server.receive();
            test::expect(got.view().text() == std::to_string(i), "in order, each once");
            if (test::choose(8) == 0) co_await a_moment();
        }
    };
    co_await when_all(send_numbers(count), receiving());
}

/// Is given the end of a pipe over a local stream, and writes a text of two lines there.
inline task<> write_to_given_pipes(int count) {
    auto connected = co_await tcp::connect(at_server);
    auto from = local::socket::over(std::move(connected));
    for (int i = 0; i < count; ++i) {
        auto order = co_await from.receive();
        auto ends = order.take_descriptors();
        test::expect(ends.size() == 1, "one comes with each order");
        auto answer = descriptor_stream::own(ends[0].release());
        if (test::choose(3) == 0) co_await a_moment();
        std::string const text =
            "line " + std::to_string(i) + "\n" + std::string(test::choose(100'000), 'x') + "\n";
        co_await answer.write(text);
        answer.finish();
    }
}

inline task<> read_from_own_pipes(tcp::listener& at, int count) {
    auto accepted = co_await at.accept();
    auto to = local::socket::over(std::move(accepted));
    for (int i = 0; i < count; ++i) {
        auto pipe = make_pipe();
        std::array<file::handle, 1> lent{file::handle(pipe.writer.native())};
        co_await to.send("x", lent);
        static_cast<void>(lent[0].release());
        pipe.writer.close();
        lines answer(pipe.reader.bytes_of(), {.most_bytes = 100'000});
        auto const first = co_await answer.next();
        test::expect(first == "line " + std::to_string(i), "the answer to this order");
        auto const second = co_await answer.next();
        test::expect(second.has_value(), "whole");
        auto const end = co_await answer.next();
        test::expect(!end, "the one who wrote was the last to have it open");
    }
}

inline task<> pipes_that_travel() {
    int const count = static_cast<int>(test::choose(5));
    tcp::listener at(at_server);
    co_await when_all(write_to_given_pipes(count), read_from_own_pipes(at, count));
}

/// Messages with descriptors, at whose ends somebody gives up at any moment.
inline task<> given_up() {
    auto ends = test::choose(2) == 0 ? local::make_pair() : local::make_stream_pair();
    auto pipe = make_pipe();
    auto const sending = [&]() -> task<> {
        std::array<file::handle, 2> lent{file::handle(pipe.reader.native()),
                                         file::handle(pipe.writer.native())};
        for (;;) {
            auto const sent = co_await as_result(ends.first.send("two", lent, deadline_in(50ms)));
            static_cast<void>(sent);
            if (test::choose(4) == 0) break;
        }
        for (file::handle& each : lent) static_cast<void>(each.release());
        co_await rill::sleep(1h);
    };
    auto const receiving = [&]() -> task<> {
        for (;;) {
            auto got = co_await ends.second.receive();
            if (test::choose(2) == 0) static_cast<void>(got.take_descriptors());
            co_await a_moment();
        }
    };
    co_await when_any(sending(), receiving(),
                      rill::sleep(std::chrono::milliseconds(100 + test::choose(200))));
}

}  // namespace rill::sim
