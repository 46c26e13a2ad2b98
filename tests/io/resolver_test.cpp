// Promises of resolver: sharing, caching, bounds, cancelling, and what the system answers.
#include "rill/io/resolver.hpp"

#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/rt/blocking.hpp"
#include "rill/rt/run.hpp"
#include "support/sim.hpp"

namespace rill {

namespace {

using test::settle;
using test::simulate;

address v4(std::uint8_t last, std::uint16_t port = 0) {
    return address::v4({192, 0, 2, last}, port);
}

test::world_options names(std::vector<simulated_name> of) {
    test::world_options options;
    options.names = std::move(of);
    return options;
}

task<std::error_code> failure_of(resolver& with, std::string_view host) {
    auto const found = co_await as_result(with.look_up(host, 80));
    co_return found.error();
}

}  // namespace

TEST_CASE("a look-up gives the addresses of the name in their order, with the port asked for") {
    auto const body = []() -> task<> {
        auto const found = co_await look_up("Two.Example.", 443);
        REQUIRE(found.size() == 2);
        CHECK(found[0] == v4(1, 443));
        CHECK(found[1] == v4(2, 443));
        auto const again = co_await look_up("two.example", 80);
        CHECK(again[0] == v4(1, 80));
        CHECK(resolver::of_core().now().asked == 1);
        CHECK(resolver::of_core().now().answered == 1);
    };
    simulate(body, names({{.host = "two.example", .addresses = {v4(1), v4(2)}}}));
}

TEST_CASE("addresses as text and localhost are answered without a question") {
    auto const body = []() -> task<> {
        resolver mine;
        auto const four = co_await mine.look_up("192.0.2.7", 80);
        CHECK(four == std::vector{v4(7, 80)});
        auto const six = co_await mine.look_up("2001:db8::1", 80);
        CHECK(six[0].text() == "[2001:db8::1]:80");
        auto const bracketed = co_await mine.look_up("[::1]", 80);
        CHECK(bracketed[0].text() == "[::1]:80");
        auto const local = co_await mine.look_up("LocalHost", 80);
        REQUIRE(local.size() == 2);
        CHECK(local[0].text() == "[::1]:80");
        CHECK(local[1].text() == "127.0.0.1:80");
        auto const below = co_await mine.look_up("a.localhost", 80);
        CHECK(below == local);
        CHECK(mine.now().asked == 0);
    };
    simulate(body);
}

TEST_CASE("what can be no name is refused without a question") {
    auto const body = []() -> task<> {
        resolver mine;
        std::string const long_name(254, 'a');
        for (std::string_view const host : {"", ".", "..", "a..b", ".a", "a b", "a/b", "127.1",
                                            "0x7f.1", "2130706433", "1.2.3.4.5", "a.0x10",
                                            "b\xc3\xbc"
                                            "cher.example",
                                            "[::1", "::g", "unix:/x", "a\nb"}) {
            CAPTURE(host);
            auto const why = co_await failure_of(mine, host);
            CHECK(why == errc::bad_address);
        }
        auto const too_long = co_await failure_of(mine, long_name);
        CHECK(too_long == errc::bad_address);
        auto const longest = co_await failure_of(mine, std::string_view(long_name).substr(1));
        CHECK(longest == errc::no_such_name);
        CHECK(mine.now().asked == 1);
    };
    simulate(body);
}

TEST_CASE("any number of look-ups of one name share one question") {
    auto const body = []() -> task<> {
        resolver mine;
        int answers = 0;
        auto const one = [&]() -> task<> {
            auto const found = co_await mine.look_up("slow.example", 1);
            if (found.size() == 1) ++answers;
        };
        co_await with_task_group([&](task_group& group) -> task<> {
            for (int i = 0; i < 1000; ++i) group.spawn(one);
            co_return;
        });
        CHECK(answers == 1000);
        CHECK(mine.now().asked == 1);
        CHECK(mine.now().names == 1);
    };
    simulate(body, names({{.host = "slow.example", .addresses = {v4(1)}, .delay = 2s}}));
}

TEST_CASE("an answer is kept for its time and no longer, a missing name for another") {
    auto const body = []() -> task<> {
        resolver mine({.keep = 10s, .keep_missing = 2s});
        auto const ask = [&](std::string_view host) -> task<std::uint64_t> {
            auto const found = co_await as_result(mine.look_up(host, 1));
            (void)found;
            co_return mine.now().asked;
        };
        {
            auto const count = co_await ask("here.example");
            CHECK(count == 1);
        }
        {
            auto const count = co_await ask("gone.example");
            CHECK(count == 2);
        }
        co_await rill::sleep(1999ms);
        {
            auto const count = co_await ask("gone.example");
            CHECK(count == 2);
        }
        co_await rill::sleep(1ms);
        {
            auto const count = co_await ask("gone.example");
            CHECK(count == 3);
        }
        co_await rill::sleep(7999ms);
        {
            auto const count = co_await ask("here.example");
            CHECK(count == 3);
        }
        co_await rill::sleep(1ms);
        {
            auto const count = co_await ask("here.example");
            CHECK(count == 4);
        }
        mine.forget();
        CHECK(mine.now().names == 0);
        {
            auto const count = co_await ask("here.example");
            CHECK(count == 5);
        }
    };
    simulate(body, names({{.host = "here.example", .addresses = {v4(1)}}}));
}

TEST_CASE("that no name server answered is told and not remembered") {
    auto const body = []() -> task<> {
        resolver mine;
        auto const first = co_await failure_of(mine, "broken.example");
        CHECK(first == errc::names_failed);
        CHECK(mine.now().names == 0);
        auto const second = co_await failure_of(mine, "broken.example");
        CHECK(second == errc::names_failed);
        CHECK(mine.now().asked == 2);
    };
    simulate(body,
             names({{.host = "broken.example", .addresses = {}, .failure = errc::names_failed}}));
}

TEST_CASE("the cache holds so many names, and the oldest answer goes first") {
    auto const body = []() -> task<> {
        resolver mine({.cache_names = 2});
        for (char const* const host : {"a.example", "b.example", "c.example"}) {
            auto const found = co_await mine.look_up(host, 1);
            CHECK(found.size() == 1);
        }
        CHECK(mine.now().names == 2);
        auto const c = co_await mine.look_up("c.example", 1);
        auto const b = co_await mine.look_up("b.example", 1);
        CHECK(mine.now().asked == 3);
        auto const a = co_await mine.look_up("a.example", 1);
        CHECK(mine.now().asked == 4);
        mine.configure({.cache_names = 0});
        CHECK(mine.now().names == 0);
        auto const uncached = co_await mine.look_up("a.example", 1);
        CHECK(mine.now().names == 0);
        CHECK(c.size() + b.size() + a.size() + uncached.size() == 4);
    };
    simulate(body, names({{.host = "a.example", .addresses = {v4(1)}},
                          {.host = "b.example", .addresses = {v4(2)}},
                          {.host = "c.example", .addresses = {v4(3)}}}));
}

TEST_CASE("no more than most_questions are asked at once; the rest waits in line") {
    std::vector<simulated_name> hosts;
    for (int i = 0; i < 10; ++i) {
        hosts.push_back(
            {.host = "n" + std::to_string(i) + ".example", .addresses = {v4(1)}, .delay = 1s});
    }
    auto const body = []() -> task<> {
        resolver mine({.most_questions = 3});
        std::size_t most = 0;
        auto const one = [&](int number) -> task<> {
            auto const found = co_await mine.look_up("n" + std::to_string(number) + ".example", 1);
            most = std::max(most, mine.now().questions);
            CHECK(found.size() == 1);
        };
        time_point const start = core::current().now();
        auto const counting = [&]() -> task<> {
            co_await rill::sleep(1ms);
            CHECK(mine.now().questions == 3);
            CHECK(mine.now().waiting == 7);
        };
        co_await with_task_group([&](task_group& group) -> task<> {
            for (int i = 0; i < 10; ++i) group.spawn(one, i);
            group.spawn(counting);
            co_return;
        });
        CHECK(most <= 3);
        CHECK(core::current().now() - start == 4s);
    };
    simulate(body, names(hosts));
}

TEST_CASE("a look-up that is given up ends at once; who else waits gets the answer") {
    auto const body = []() -> task<> {
        resolver mine({.most_questions = 1});
        time_point const start = core::current().now();
        auto const first = [&]() -> task<> {
            auto const late = co_await as_result(mine.look_up("slow.example", 1, deadline_in(1s)));
            CHECK(late.error() == errc::timed_out);
            CHECK(core::current().now() - start == 1s);
        };
        auto const second = [&]() -> task<> {
            auto const found = co_await mine.look_up("slow.example", 1, deadline_in(1h));
            CHECK(found.size() == 1);
            CHECK(core::current().now() - start == 60s);
        };
        // In line behind the slow one, and given up there: never asked.
        auto const third = [&]() -> task<> {
            auto const found = co_await as_result(timeout(2s, mine.look_up("other.example", 1)));
            CHECK(found.error() == errc::timed_out);
        };
        co_await when_all(first(), second(), third());
        CHECK(mine.now().asked == 1);
        CHECK(mine.now().waiting == 0);
    };
    simulate(body, names({{.host = "slow.example", .addresses = {v4(1)}, .delay = 60s},
                          {.host = "other.example", .addresses = {v4(2)}}}));
}

TEST_CASE("the answer to a question that nobody waits for any more is kept") {
    auto const body = []() -> task<> {
        resolver mine;
        co_await when_any(mine.look_up("slow.example", 1), rill::sleep(1s));
        CHECK(mine.now().questions == 1);
        co_await rill::sleep(2s);
        CHECK(mine.now().questions == 0);
        auto const found = co_await mine.look_up("slow.example", 1);
        CHECK(found.size() == 1);
        CHECK(mine.now().asked == 1);
    };
    simulate(body, names({{.host = "slow.example", .addresses = {v4(1)}, .delay = 2s}}));
}

TEST_CASE("a resolver ends while a question is on its way") {
    auto const body = []() -> task<> {
        {
            resolver mine;
            co_await when_any(mine.look_up("slow.example", 1), rill::sleep(1s));
            CHECK(mine.now().questions == 1);
        }
        co_await rill::sleep(10s);
    };
    simulate(body, names({{.host = "slow.example", .addresses = {v4(1)}, .delay = 2s}}));
}

TEST_CASE("a look-up that is cancelled at any moment leaves nothing behind") {
    for (int point = 0; point < 12; ++point) {
        CAPTURE(point);
        auto const body = [point]() -> task<> {
            resolver mine({.most_questions = 1});
            auto const asks = [&]() -> task<> {
                auto const a = co_await mine.look_up("a.example", 1);
                auto const b = co_await mine.look_up("b.example", 1);
                CHECK(a.size() + b.size() == 2);
            };
            co_await when_any(asks(), rill::sleep(point * 500ms));
            auto const after = co_await mine.look_up("a.example", 1);
            CHECK(after.size() == 1);
        };
        simulate(body, names({{.host = "a.example", .addresses = {v4(1)}, .delay = 2s},
                              {.host = "b.example", .addresses = {v4(2)}, .delay = 2s}}));
    }
}

TEST_CASE("the system answers on another thread, and a name that cannot exist does not") {
    auto const body = []() -> task<> {
        resolver mine;
        // RFC 6761 section 6.4: this name never exists. Without a name server the answer is that
        // there is none; either way the core went on meanwhile.
        auto const found = co_await as_result(mine.look_up("nothing.invalid", 80));
        CHECK((found.error() == errc::no_such_name || found.error() == errc::names_failed));
        CHECK(mine.now().asked == 1);
        CHECK(mine.now().questions == 0);
    };
    test::run_in(test::kernel_world(), body);
}

TEST_CASE("a core that ends while the system is asked does not wait for the answer") {
    std::size_t const before = test::open_descriptors();
    for (int i = 0; i < 20; ++i) {
        core home(test::make_world(test::kernel_world(), {}, nullptr), 0);
        auto const body = []() -> task<> {
            auto const either =
                co_await when_any(as_result(look_up("nothing.invalid", 80)), settle(1));
            CHECK(either.index < 2);
        };
        home.run(body());
    }
    // What the threads of the pool find out is dropped, and so are their sockets.
    auto const until_quiet = []() -> task<> {
        while (blocking_now().idle != blocking_now().threads) co_await rill::sleep(1ms);
    };
    run(until_quiet());
    CHECK(test::open_descriptors() == before);
}

}  // namespace rill
