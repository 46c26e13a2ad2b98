// Streams that keep to rates: exact in a simulated world, where time is virtual; shared over
// streams and cores; and what deadlines, cancellations and closing mean while a stream holds back.
#include "rill/io/throttle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/pipe.hpp"
#include "rill/io/tcp.hpp"
#include "rill/rt/sleep.hpp"
#include "support/rate_meter.hpp"
#include "support/sim.hpp"

using namespace rill;
using test::check_near;
using test::now;
using test::rate_meter;

namespace {

task<> drain(byte_stream& from, rate_meter& into) {
    for (;;) {
        lease const piece = co_await from.receive();
        if (!piece) co_return;
        into.add(piece.size());
    }
}

task<> send(byte_stream& to, std::size_t size) {
    std::string const text(size, 'x');
    co_await to.write(text);
    to.finish();
}

}  // namespace

TEST_CASE("bookings of threads follow each other without a gap and without an overlap") {
    constexpr std::size_t size = 1000;
    byte_rate rate(1'000'000);  // a millisecond for each booking
    time_point const begin = time_point() + 1h;
    std::vector<std::vector<time_point>> booked(4);
    std::vector<std::thread> threads;
    for (auto& mine : booked) {
        threads.emplace_back([&rate, &mine, begin] {
            for (int i = 0; i < 5'000; ++i) mine.push_back(rate.book(size, begin));
        });
    }
    for (auto& each : threads) each.join();
    std::vector<time_point> all;
    for (auto const& mine : booked) {
        CHECK(std::is_sorted(mine.begin(), mine.end()));
        all.insert(all.end(), mine.begin(), mine.end());
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 1; i < all.size(); ++i) REQUIRE(all[i] - all[i - 1] == 1ms);
}

TEST_CASE("nothing is saved up while nobody sends") {
    byte_rate rate(64'000);  // 1000 bytes a portion
    CHECK(rate.portion_bytes() == 1000);
    time_point const begin = time_point() + 1h;
    static_cast<void>(rate.book(1000, begin));
    time_point const later_on = begin + 1h;
    int at_once = 0;
    while (rate.book(1000, later_on) <= later_on) ++at_once;
    CHECK(at_once == 2);
    byte_rate endless(0);
    CHECK(endless.book(1'000'000, begin) == begin);
    CHECK(byte_rate(10).portion_bytes() == 1);
    CHECK(byte_rate(1ULL << 40).portion_bytes() == byte_rate::most_portion_bytes);
}

TEST_CASE("a write keeps to the rate in every second") {
    test::simulate([]() -> task<> {
        byte_pipe pipe;
        throttled_stream slow(pipe.first());
        byte_rate rate(100'000);
        slow.set_write_rate(0, &rate);
        rate_meter got;
        time_point const begin = now();
        co_await when_all(send(slow, 1'000'000), drain(pipe.second(), got));
        CHECK(got.total == 1'000'000);
        duration const took = now() - begin;
        CHECK(took >= 9900ms);
        CHECK(took <= 10s);
        check_near(got.most(begin, begin + 9s), 100'000);
        check_near(got.least(begin, begin + 9s), 100'000);
        slow.close();
    });
}

TEST_CASE("what is received keeps to the rate in every second") {
    test::simulate([]() -> task<> {
        byte_pipe pipe({.piece_bytes = 500});
        throttled_stream slow(pipe.second());
        byte_rate rate(100'000);
        slow.set_read_rate(0, &rate);
        rate_meter got;
        time_point const begin = now();
        co_await when_all(send(pipe.first(), 1'000'000), drain(slow, got));
        CHECK(got.total == 1'000'000);
        check_near(got.most(begin, begin + 9s), 100'000);
        check_near(got.least(begin, begin + 9s), 100'000);
        CHECK(slow.held_back_reads() >= 9s);
        slow.close();
    });
}

TEST_CASE("streams share a rate fairly, and one has all of it once the others have ended") {
    test::simulate([]() -> task<> {
        byte_rate rate(300'000);
        byte_pipe pipes[3];
        throttled_stream slow[3] = {throttled_stream(pipes[0].first()),
                                    throttled_stream(pipes[1].first()),
                                    throttled_stream(pipes[2].first())};
        for (auto& each : slow) each.set_write_rate(2, &rate);
        rate_meter got[3];
        time_point const begin = now();
        co_await when_all(send(slow[0], 500'000), send(slow[1], 500'000), send(slow[2], 2'000'000),
                          drain(pipes[0].second(), got[0]), drain(pipes[1].second(), got[1]),
                          drain(pipes[2].second(), got[2]));
        for (auto const& each : got) {
            check_near(each.most(begin, begin + 4500ms), 100'000);
            check_near(each.least(begin, begin + 4500ms), 100'000);
        }
        check_near(got[2].least(begin + 5500ms, begin + 9s), 300'000);
        check_near(got[2].most(begin + 5500ms, begin + 9s), 300'000);
        for (auto& each : slow) each.close();
    });
}

TEST_CASE("of several rates the slowest counts") {
    test::simulate([]() -> task<> {
        byte_pipe pipe;
        throttled_stream slow(pipe.first());
        byte_rate own(50'000);
        byte_rate all(1'000'000);
        slow.set_write_rate(0, &own);
        slow.set_write_rate(2, &all);
        rate_meter got;
        time_point const begin = now();
        co_await when_all(send(slow, 200'000), drain(pipe.second(), got));
        check_near(got.most(begin, begin + 3900ms), 50'000);
        check_near(got.least(begin, begin + 3900ms), 50'000);
        slow.close();
    });
}

TEST_CASE("the deadline of a write does not count what the stream itself holds back") {
    test::simulate([]() -> task<> {
        byte_pipe pipe({.capacity_bytes = 16 * 1024});
        throttled_stream slow(pipe.first());
        byte_rate rate(10'000);
        slow.set_write_rate(0, &rate);
        std::string const text(100'000, 'x');
        rate_meter got;
        auto const write = [&]() -> task<> {
            // Ten seconds by the rate, with one second of patience for the peer.
            auto const sent = co_await as_result(slow.write(text, now() + 1s));
            CHECK(sent.has_value());
            slow.finish();
        };
        co_await when_all(write(), drain(pipe.second(), got));
        CHECK(got.total == 100'000);
        slow.close();
    });
}

TEST_CASE("a peer that takes nothing is found in time although the stream holds back, too") {
    test::simulate([]() -> task<> {
        byte_pipe pipe({.capacity_bytes = 4096});
        throttled_stream slow(pipe.first());
        byte_rate rate(4096);
        slow.set_write_rate(0, &rate);
        std::string const text(100'000, 'x');
        time_point const begin = now();
        auto const sent = co_await as_result(slow.write(text, now() + 5s));
        CHECK(sent.error() == errc::timed_out);
        // A second until the pipe is full, and then the peer has its five.
        CHECK(now() - begin >= 5s);
        CHECK(now() - begin <= 7s);
        auto const next = co_await as_result(slow.write("more"));
        CHECK(next.error() == errc::write_broken);
        slow.close();
    });
}

TEST_CASE("the deadline of a read is for the peer alone") {
    test::simulate([]() -> task<> {
        byte_pipe pipe({.piece_bytes = 1000});
        throttled_stream slow(pipe.second());
        byte_rate rate(100);  // ten seconds for each piece
        slow.set_read_rate(0, &rate);
        co_await pipe.first().write(std::string_view(std::string(3000, 'x')));
        for (int i = 0; i < 3; ++i) {
            auto const piece = co_await as_result(slow.receive(now() + 1s));
            REQUIRE(piece.has_value());
            CHECK(piece->size() == 1000);
        }
        time_point const begin = now();
        auto const none = co_await as_result(slow.receive(now() + 1s));
        CHECK(none.error() == errc::timed_out);
        CHECK(now() - begin == 1s);
        slow.close();
    });
}

TEST_CASE("input whose receive was cancelled is received by the next one, and paid for once") {
    test::simulate([]() -> task<> {
        byte_pipe pipe({.piece_bytes = 100});
        throttled_stream slow(pipe.second());
        byte_rate rate(100);
        slow.set_read_rate(0, &rate);
        co_await pipe.first().write(std::string_view(std::string(300, 'x')));
        std::size_t total = 0;
        time_point const begin = now();
        while (total != 300) {
            auto const piece = co_await as_result(timeout(70ms, slow.receive()));
            if (piece) total += piece->size();
        }
        // Two of the three had to wait for a second each.
        CHECK(now() - begin >= 2s - 50ms);
        CHECK(now() - begin <= 2100ms);
        slow.close();
    });
}

TEST_CASE("what was put back is not paid for again") {
    test::simulate([]() -> task<> {
        byte_pipe pipe;
        throttled_stream slow(pipe.second());
        byte_rate rate(10);
        slow.set_read_rate(0, &rate);
        co_await pipe.first().write("0123456789");
        time_point const begin = now();
        std::string text;
        while (text.size() != 10) {
            char one = 0;
            std::size_t const got = co_await slow.read(mutable_bytes(&one, 1));
            REQUIRE(got == 1);
            text += one;
        }
        CHECK(text == "0123456789");
        CHECK(now() - begin == 0s);
        slow.close();
    });
}

TEST_CASE("closing ends what is held back both ways") {
    test::simulate([]() -> task<> {
        byte_pipe pipe;
        throttled_stream slow(pipe.first());
        byte_rate rate(10);
        slow.set_write_rate(0, &rate);
        slow.set_read_rate(0, &rate);
        co_await pipe.second().write(std::string_view(std::string(100, 'x')));
        auto const write = [&]() -> task<> {
            auto const sent = co_await as_result(slow.write("a text that takes four seconds"));
            CHECK(sent.error() == errc::closed);
        };
        auto const next = [&]() -> task<> {
            auto const sent = co_await as_result(slow.write("another"));
            CHECK(sent.error() == errc::closed);
        };
        auto const read = [&]() -> task<> {
            auto const first = co_await as_result(slow.receive());
            CHECK(first.has_value());
            co_await pipe.second().write("more");
            auto const second = co_await as_result(slow.receive());
            CHECK(second.error() == errc::closed);
        };
        auto const close = [&]() -> task<> {
            // lint: allow(banned) the clock is virtual
            co_await rill::sleep(1s);
            slow.close();
        };
        co_await when_all(write(), next(), read(), close());
    });
}

TEST_CASE("a throttled exchange may be cancelled at any moment") {
    auto const exchange = []() -> task<> {
        byte_pipe pipe({.capacity_bytes = 512, .piece_bytes = 100});
        throttled_stream slow(pipe.first());
        byte_rate rate(6400);
        slow.set_write_rate(0, &rate);
        slow.set_read_rate(0, &rate);
        std::string const text(700, 'x');
        bytes const pieces[] = {bytes(text), bytes("abc"), bytes(text)};
        auto const write = [&]() -> task<> {
            co_await slow.write(std::span<bytes const>(pieces), now() + 1s);
            slow.finish();
        };
        auto const echo = [&]() -> task<> {
            while (auto piece = co_await pipe.second().receive()) {
                std::string const copy(piece.view().text());
                piece.reset();
                co_await pipe.second().write(copy);
            }
            pipe.second().finish();
        };
        rate_meter got;
        co_await when_all(write(), echo(), drain(slow, got));
        CHECK(got.total == 1403);
        slow.close();
    };
    test::simulate([&]() -> task<> {
        duration longest = 0s;
        for (bool over = false; !over; longest += 2ms) {
            REQUIRE(longest < 10s);
            auto const outcome = co_await as_result(timeout(longest, exchange()));
            over = outcome.has_value();
        }
        CHECK(longest > 400ms);
    });
}

RILL_IO_TEST("bytes pass a throttled TCP stream unchanged, with files and pieces of every size") {
    tcp::listener listener("127.0.0.1:0");
    tcp::stream client = co_await tcp::connect(listener.local_address().text());
    tcp::stream server = co_await listener.accept();
    byte_rate rate(4'000'000);
    std::string wanted;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < 60; ++i) {
        parts.push_back(std::string(1 + i * i * 7, static_cast<char>('a' + i % 26)));
        wanted += parts.back();
    }
    auto const write = [&]() -> task<> {
        throttled_stream slow(server);
        slow.set_write_rate(1, &rate);
        for (std::size_t i = 0; i < parts.size(); i += 3) {
            bytes const pieces[] = {bytes(parts[i]), bytes(), bytes(parts[i + 1]),
                                    bytes(parts[i + 2])};
            co_await slow.write(std::span<bytes const>(pieces));
        }
        slow.finish();
        auto const end = co_await as_result(slow.receive());
        CHECK(end.has_value());
        slow.close();
    };
    std::string got;
    auto const read = [&]() -> task<> {
        throttled_stream slow(client);
        slow.set_read_rate(0, &rate);
        for (;;) {
            lease const piece = co_await slow.receive();
            if (!piece) break;
            got += piece.view().text();
        }
        slow.close();
    };
    co_await when_all(write(), read());
    CHECK(got == wanted);
}
