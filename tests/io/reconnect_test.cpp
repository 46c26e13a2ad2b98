// Promises of reconnecting<T>: when it tries again, what it tells, and that it leaves nothing open.
#include "rill/io/reconnect.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/event.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/tcp.hpp"
#include "support/frames.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

using kind = reconnect_event::kind;

/// A connection that counts how many there are.
class link {
public:
    explicit link(int& alive) : alive_(&alive) { ++alive; }
    link(link&& other) noexcept : alive_(std::exchange(other.alive_, nullptr)) {}
    link& operator=(link&&) = delete;
    ~link() {
        if (alive_ != nullptr) --*alive_;
    }

private:
    int* alive_;
};

std::error_code const refused = std::make_error_code(std::errc::connection_refused);

/// Gives a connection at once.
auto connect_to(int& alive) {
    return [&alive]() -> task<link> { co_return link(alive); };
}

reconnect_options plain() {
    return {.spread = jitter::none, .first_delay = 1s, .longest_delay = 10s};
}

/// Keeps all events of what it watches.
struct record {
    std::vector<reconnect_event> events;
    template <class T>
    void watch(reconnecting<T>& of) {
        of.on_event([this](reconnect_event const& what) { events.push_back(what); });
    }
    [[nodiscard]] std::vector<duration> delays() const {
        std::vector<duration> all;
        for (auto const& each : events)
            if (each.what == kind::failed || each.what == kind::lost) all.push_back(each.delay);
        return all;
    }
    [[nodiscard]] std::string letters() const {
        std::string all;
        for (auto const& each : events) all += "tcflg"[static_cast<std::size_t>(each.what)];
        return all;
    }
};

}  // namespace

TEST_CASE(
    "delays are fixed, linear or exponential, up to the longest, for any number of failures") {
    reconnect_options with = plain();
    auto const delays = [&with](delay_growth growth) {
        with.growth = growth;
        reconnect_delay const delay(with);
        std::vector<std::int64_t> seconds;
        for (std::uint32_t n : {1u, 2u, 3u, 4u, 5u, 9u, 10u, 11u, 64u, 65u, 4'000'000'000u})
            seconds.push_back(delay.whole(n) / 1s);
        return seconds;
    };
    using list = std::vector<std::int64_t>;
    CHECK(delays(delay_growth::fixed) == list{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    CHECK(delays(delay_growth::linear) == list{1, 2, 3, 4, 5, 9, 10, 10, 10, 10, 10});
    CHECK(delays(delay_growth::exponential) == list{1, 2, 4, 8, 10, 10, 10, 10, 10, 10, 10});
    with.longest_delay = duration::max();
    CHECK(delays(delay_growth::exponential).back() == duration::max() / 1s);
    CHECK(delays(delay_growth::linear).back() == 4'000'000'000);
    with.first_delay = 0s;
    CHECK(delays(delay_growth::exponential) == list(11, 0));
}

TEST_CASE("full jitter takes anything from nothing to the delay, evenly") {
    reconnect_options with = plain();
    with.spread = jitter::full;
    reconnect_delay const delay(with);
    test::dice random(1);
    std::vector<int> quarters(4);
    for (int i = 0; i != 4000; ++i) {
        duration const one = delay.spread(3, random.up_to(SIZE_MAX));
        REQUIRE(one >= 0s);
        REQUIRE(one <= 4s);
        ++quarters[static_cast<std::size_t>(std::min<std::int64_t>(one / 1s, 3))];
    }
    for (int const each : quarters) CHECK((each > 800 && each < 1200));
    CHECK(delay.spread(3, 0) == 0s);
    CHECK(delay.spread(3, 4'000'000'000) == 4s);
}

TEST_CASE("a connection that dies early does not reset the delay, one that was stable does") {
    test::simulate([]() -> task<> {
        int alive = 0;
        int number = 0;
        reconnecting<link> client(plain());
        record seen;
        seen.watch(client);
        auto session = [&](link&) -> task<after_session> {
            ++number;
            if (number == 4) co_await rill::sleep(9s + 999ms);
            if (number == 5) co_await rill::sleep(10s);
            if (number == 7) co_return after_session::stop;
            if (number % 2 == 0) throw error(refused, "talk");
            co_return after_session::reconnect;
        };
        co_await client.run(connect_to(alive), session);
        CHECK(seen.delays() == std::vector<duration>{1s, 2s, 4s, 8s, 1s, 2s});
        CHECK(seen.letters() == "tcltcltcltcltcltcltc");
        CHECK(seen.events[2].cause == errc::end_of_stream);
        CHECK(seen.events[5].cause == refused);
        CHECK(seen.events[14].lasted == 10s);
        CHECK(seen.events[14].failures == 1);
        CHECK(client.connects() == 7);
        CHECK(client.losses() == 6);
        CHECK(alive == 0);
    });
}

TEST_CASE(
    "with no time to be stable, a hook that succeeds resets the delay and one that fails not") {
    test::simulate([]() -> task<> {
        int alive = 0;
        int number = 0;
        reconnect_options with = plain();
        with.stable_after = 0s;
        reconnecting<link> client(with);
        record seen;
        seen.watch(client);
        auto hook = [&](link&) -> task<> {
            CHECK(client.connection() != nullptr);
            co_await rill::sleep(1s);
            if (++number <= 3) throw error(errc::protocol, "log in");
        };
        auto session = [&](link&) -> task<after_session> {
            CHECK(alive == 1);
            co_return number == 6 ? after_session::stop : after_session::reconnect;
        };
        co_await client.run(connect_to(alive), hook, session);
        CHECK(seen.letters() == "tftftftcltcltc");
        CHECK(seen.delays() == std::vector<duration>{1s, 2s, 4s, 1s, 1s});
        CHECK(client.connection() == nullptr);
    });
}

TEST_CASE("after the last failure in a row it gives up with that failure") {
    test::simulate([]() -> task<> {
        int tries = 0;
        reconnect_options with = plain();
        with.most_failures = 4;
        reconnecting<link> client(with);
        record seen;
        seen.watch(client);
        auto connect = [&]() -> task<link> {
            ++tries;
            throw error(refused, "connect to", "nowhere");
            co_return link(tries);
        };
        auto session = [](link&) -> task<> { co_return; };
        auto const begun = core::current().now();
        auto const outcome = co_await as_result(client.run(connect, session));
        CHECK(outcome.error() == refused);
        CHECK(tries == 4);
        CHECK(core::current().now() - begun == 7s);
        CHECK(seen.letters() == "tftftftfg");
        CHECK(seen.events.back().failures == 4);
        CHECK(seen.events.back().cause == refused);
        // Another run begins a row of its own.
        auto const again = co_await as_result(client.run(connect, session));
        CHECK(again.error() == refused);
        CHECK(tries == 8);
    });
}

TEST_CASE("one try has a bound, its hook included, and nothing is left of it") {
    test::simulate([]() -> task<> {
        int alive = 0;
        reconnect_options with = plain();
        with.connect_timeout = 5s;
        with.most_failures = 2;
        reconnecting<link> client(with);
        record seen;
        seen.watch(client);
        auto hook = [&](link&) -> task<> {
            CHECK(alive == 1);
            co_await rill::sleep(1h);
        };
        auto session = [](link&) -> task<> { co_return; };
        auto const begun = core::current().now();
        auto const outcome = co_await as_result(client.run(connect_to(alive), hook, session));
        CHECK(outcome.error() == errc::timed_out);
        CHECK(core::current().now() - begun == 11s);
        CHECK(alive == 0);
    });
}

TEST_CASE("what no further try can mend ends it at once") {
    test::simulate([]() -> task<> {
        reconnecting<tcp::stream> client;
        auto connect = []() -> task<tcp::stream> { co_return co_await tcp::connect("no address"); };
        auto session = [](tcp::stream&) -> task<> { co_return; };
        auto const outcome = co_await as_result(client.run(connect, session));
        CHECK(outcome.error() == errc::bad_address);

        int alive = 0;
        reconnecting<link> other(plain());
        auto bug = [](link&) -> task<> {
            throw std::logic_error("a bug");
            co_return;
        };
        bool thrown = false;
        try {
            co_await other.run(connect_to(alive), bug);
        } catch (std::logic_error const&) {
            thrown = true;
        }
        CHECK(thrown);
        CHECK(alive == 0);
        CHECK(other.connection() == nullptr);
    });
}

TEST_CASE("a deadline outside ends the try, the hook, the session or the delay") {
    for (int const where : {0, 1, 2, 3}) {
        CAPTURE(where);
        test::simulate([where]() -> task<> {
            int alive = 0;
            reconnect_options with = plain();
            with.connect_timeout = 0s;
            with.first_delay = with.longest_delay = where == 3 ? duration(2h) : duration(1s);
            reconnecting<link> client(with);
            auto connect = [&]() -> task<link> {
                link made(alive);
                if (where == 0) co_await rill::sleep(2h);
                co_return made;
            };
            auto hook = [&](link&) -> task<> {
                if (where == 1) co_await rill::sleep(2h);
            };
            auto session = [&](link&) -> task<> {
                if (where == 2) co_await rill::sleep(2h);
            };
            auto const outcome =
                co_await as_result(timeout(1h, client.run(connect, hook, session)));
            CHECK(outcome.error() == errc::timed_out);
            CHECK(alive == 0);
            CHECK(client.connection() == nullptr);
            // It can run again.
            auto stop = [](link&) -> task<after_session> { co_return after_session::stop; };
            co_await client.run(connect_to(alive), stop);
            CHECK(alive == 0);
        });
    }
}

TEST_CASE("it can be cancelled at every turn and leaves no connection") {
    bool completed = false;
    for (int turns = 0; !completed; ++turns) {
        CAPTURE(turns);
        REQUIRE(turns < 1000);
        test::simulate([&]() -> task<> {
            int alive = 0;
            {
                int number = 0;
                reconnecting<link> client({.first_delay = duration::zero()});
                auto connect = [&]() -> task<link> {
                    link made(alive);
                    co_await test::settle(1);
                    if (++number == 2) throw error(refused, "connect");
                    co_return made;
                };
                auto hook = [&](link&) -> task<> { co_await test::settle(1); };
                auto session = [&](link&) -> task<after_session> {
                    co_await test::settle(2);
                    co_return number == 3 ? after_session::stop : after_session::reconnect;
                };
                auto const first =
                    co_await when_any(client.run(connect, hook, session), test::settle(turns));
                completed = first.index == 0;
                CHECK(client.connection() == nullptr);
            }
            CHECK(alive == 0);
        });
    }
}

RILL_IO_TEST("a client finds its server again that went and came back") {
    tcp::listener probe("127.0.0.1:0");
    address const where = probe.local_address();
    probe.close();
    reconnecting<tcp::stream> client(
        {.growth = delay_growth::fixed, .spread = jitter::none, .first_delay = 2ms});
    event refused_often;
    int failures = 0;
    client.on_event([&](reconnect_event const& what) {
        if (what.what == kind::failed && ++failures % 3 == 0) refused_often.set();
    });
    std::string got;
    auto serving = [&]() -> task<> {
        for (int i = 0; i != 3; ++i) {
            // It is away until the client has failed three times more.
            refused_often.reset();
            co_await refused_often.wait();
            tcp::listener at(where);
            tcp::stream peer = co_await at.accept();
            got += co_await test::read_exactly(peer, 5);
            co_await peer.write("x");
        }
    };
    int answers = 0;
    auto connecting = [&]() -> task<> {
        auto connect = [&]() { return tcp::connect(where); };
        auto hello = [](tcp::stream& to) -> task<> { co_await to.write("hello"); };
        auto session = [&](tcp::stream& peer) -> task<after_session> {
            for (;;) {
                auto const input = co_await peer.receive();
                if (!input) break;
                ++answers;
            }
            co_return answers == 3 ? after_session::stop : after_session::reconnect;
        };
        co_await client.run(connect, hello, session);
    };
    co_await when_all(serving(), connecting());
    CHECK(got == "hellohellohello");
    CHECK(failures >= 9);
    CHECK(client.losses() >= 2);
}

TEST_CASE("the same seed waits the same delays, another seed others") {
    auto const delays_of = [](std::uint64_t seed) {
        auto body = []() -> task<std::vector<duration>> {
            reconnecting<link> client({.most_failures = 10});
            record seen;
            seen.watch(client);
            auto connect = []() -> task<link> {
                int none = 0;
                throw error(refused, "connect");
                co_return link(none);
            };
            auto session = [](link&) -> task<> { co_return; };
            static_cast<void>(co_await as_result(client.run(connect, session)));
            co_return seen.delays();
        };
        return test::simulate(body, {.seed = seed});
    };
    CHECK(delays_of(1) == delays_of(1));
    CHECK(delays_of(1) != delays_of(2));
}

TEST_CASE("whatever fails and whenever, events tell it in order and no connection is left") {
    for (std::uint64_t seed = 0; seed != 2'000; ++seed) {
        CAPTURE(seed);
        auto body = [seed]() -> task<> {
            int alive = 0;
            test::dice random(seed);
            reconnect_options const with{
                .growth = static_cast<delay_growth>(random.up_to(2)),
                .first_delay = std::chrono::milliseconds(random.up_to(500)),
                .longest_delay = 5s,
                .stable_after = std::chrono::seconds(random.up_to(10)),
                .connect_timeout = 3s,
                .most_failures = static_cast<std::uint32_t>(1 + random.up_to(30)),
            };
            reconnecting<link> client(with);
            record seen;
            seen.watch(client);
            auto may_fail = [&](std::size_t most_seconds) -> task<> {
                if (random.coin()) co_await sleep(std::chrono::seconds(random.up_to(most_seconds)));
                if (random.up_to(3) == 0) throw error(refused, "try");
            };
            auto connect = [&]() -> task<link> {
                link made(alive);
                co_await may_fail(6);
                co_return made;
            };
            auto hook = [&](link&) -> task<> { co_await may_fail(4); };
            auto session = [&](link&) -> task<after_session> {
                CHECK(alive == 1);
                co_await may_fail(20);
                co_return random.up_to(9) == 0 ? after_session::stop : after_session::reconnect;
            };
            auto const outcome =
                co_await as_result(timeout(10min, client.run(connect, hook, session)));
            CHECK(alive == 0);
            bool trying = false;
            bool up = false;
            for (reconnect_event const& each : seen.events) {
                CHECK(each.delay <= 5s);
                CHECK(each.failures <= with.most_failures);
                if (each.what == kind::connecting) CHECK(!std::exchange(trying, true));
                if (each.what == kind::connected) CHECK((trying && !std::exchange(up, true)));
                if (each.what == kind::failed) CHECK((std::exchange(trying, false) && !up));
                if (each.what == kind::lost)
                    CHECK((std::exchange(trying, false) && std::exchange(up, false)));
            }
            bool const gave_up = seen.events.back().what == kind::gave_up;
            if (outcome) CHECK((up && !gave_up));
            if (gave_up) CHECK_FALSE(outcome);
        };
        test::simulate(body, {.seed = seed});
    }
}

}  // namespace rill
