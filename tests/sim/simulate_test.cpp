// rill/test.hpp: simulated worlds, from the outside.
#include "rill/test.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/io/file.hpp"
#include "rill/io/tcp.hpp"
#include "rill/rt/blocking.hpp"
#include "rill/rt/per_core.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/run_on.hpp"
#include "rill/rt/signals.hpp"
#include "rill/rt/sleep.hpp"

using namespace rill;

namespace {

task<> echo_until_end(tcp::stream& peer) {
    for (;;) {
        auto const part = co_await peer.receive();
        if (!part) break;
        std::string const copy(part.view().text());
        co_await peer.write(copy);
    }
}

/// A client sends `text`, a server sends it back; true when the client got it whole.
task<bool> echo_once(std::string const& text) {
    tcp::listener at("10.0.0.1:7");
    bool whole = false;
    auto const serve = [](tcp::listener& from) -> task<> {
        tcp::stream peer = co_await from.accept();
        co_await echo_until_end(peer);
    };
    auto const ask = [](std::string const& sent, bool& got_it) -> task<> {
        tcp::stream peer = co_await tcp::connect("10.0.0.1:7");
        co_await peer.write(sent);
        peer.finish();
        std::string got;
        for (;;) {
            auto const part = co_await peer.receive();
            if (!part) break;
            got += part.view().text();
        }
        got_it = got == sent;
    };
    co_await when_all(serve(at), ask(text, whole));
    co_return whole;
}

task<> echo_program() {
    std::string const text(10'000, 'x');
    bool const whole = co_await echo_once(text);
    test::expect(whole, "the echo came back whole");
}

}  // namespace

TEST_CASE("a program of a server and a client runs in one thread") {
    auto const done = test::simulate(1, echo_program);
    CHECK(done.seed == 1);
    CHECK(done.took == 0s);
}

TEST_CASE("an hour costs no time: nothing but waiting moves the clock") {
    auto const program = []() -> task<> {
        co_await rill::sleep(1h);
        test::expect(test::elapsed() == 1h, "an hour has passed");
    };
    CHECK(test::simulate(1, program).took == 1h);
}

TEST_CASE("the same seed does the same twice, line for line; another one something else") {
    auto const trace_of = [](std::uint64_t seed) {
        std::string trace;
        test::settings with;
        with.faults = test::faults::slow();
        with.faults.swarm = false;
        with.trace = &trace;
        static_cast<void>(test::simulate(seed, echo_program, with));
        return trace;
    };
    std::string const first = trace_of(7);
    CHECK(!first.empty());
    CHECK(first == trace_of(7));
    CHECK(first != trace_of(8));
}

TEST_CASE("streams go over paths and abstract names, which leave no file behind") {
    for (char const* const where : {"unix:/run/a", "unix:@a"}) {
        CAPTURE(where);
        auto const program = [where]() -> task<> {
            tcp::listener at(where);
            auto const server = [](tcp::listener& from) -> task<> {
                tcp::stream peer = co_await from.accept();
                co_await peer.write("hello");
            };
            auto const client = [](char const* to) -> task<> {
                tcp::stream peer = co_await tcp::connect(to);
                test::expect(peer.remote_address().text() == to, "its name");
                std::string text;
                for (;;) {
                    auto const part = co_await peer.receive();
                    if (!part) break;
                    text += part.view().text();
                }
                test::expect(text == "hello", "whole");
            };
            co_await when_all(server(at), client(where));
        };
        test::settings with;
        with.faults = test::faults::slow();
        static_cast<void>(test::seeds(100, program, with));
        CHECK_FALSE(std::filesystem::exists("/run/a"));
    }
}

TEST_CASE("streams are whole in every slow world") {
    test::settings with;
    with.faults = test::faults::slow();
    with.window_bytes = 3000;
    static_cast<void>(test::seeds(200, echo_program, with));
}

TEST_CASE("a plain program calls run and run_per_core, whose cores are the simulation's") {
    test::settings with;
    with.cores = 3;
    auto const program = [] {
        std::vector<std::uint32_t> order;
        per_core<int> visits;
        auto const body = [&]() -> task<> {
            co_await rill::sleep(1s);
            ++visits.local();
            order.push_back(core::current().index());
            auto const add = [&] { return ++visits.local(); };
            int const there = co_await run_on((core::current().index() + 1) % core_count(), add);
            test::expect(there >= 1, "the neighbour counted");
        };
        run_per_core(body);
        test::expect(order.size() == 3, "each core came once");
        int sum = 0;
        visits.for_each([&](int each) { sum += each; });
        test::expect(sum == 6, "every core was visited twice");
        auto const alone = []() -> task<int> {
            co_await rill::sleep(1s);
            co_return 5;
        };
        test::expect(run(alone()) == 5, "run gives the value");
        test::expect(test::elapsed() == 2s, "both waits took their time");
    };
    static_cast<void>(test::seeds(50, program, with));
}

TEST_CASE("cores take turns in an order that the seed chooses") {
    std::vector<std::string> orders;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        std::string order;
        test::settings with;
        with.cores = 3;
        auto const program = [&] {
            auto const body = [&]() -> task<> {
                for (int i = 0; i < 5; ++i) {
                    order += static_cast<char>('0' + core::current().index());
                    co_await rill::yield();
                }
            };
            run_per_core(body);
        };
        static_cast<void>(test::simulate(seed, program, with));
        CHECK(order.size() == 15);
        orders.push_back(order);
    }
    std::size_t different = 0;
    for (std::string const& each : orders) {
        if (each != orders.front()) ++different;
    }
    CHECK(different > 10);
}

TEST_CASE("an exception on one core stops the others and comes out of simulate") {
    test::settings with;
    with.cores = 2;
    auto const program = [] {
        auto const body = []() -> task<> {
            if (core::current().index() == 1) throw std::runtime_error("bad");
            co_await rill::sleep(100h);
        };
        run_per_core(body);
    };
    CHECK_THROWS_WITH_AS(static_cast<void>(test::simulate(1, program, with)), "bad",
                         std::runtime_error);
}

TEST_CASE("a program that waits for nobody fails with the place where it waits") {
    auto const program = []() -> task<> {
        tcp::listener at("10.0.0.1:7");
        tcp::stream const peer = co_await at.accept();
    };
    std::string what;
    try {
        static_cast<void>(test::simulate(3, program));
    } catch (test::failure const& failed) {
        what = failed.what();
    }
    CHECK(what.find("nobody will do") != std::string::npos);
    CHECK(what.find("accept") != std::string::npos);
    CHECK(what.find("simulate_test.cpp") != std::string::npos);
}

TEST_CASE("a program that does not end fails after its virtual time") {
    test::settings with;
    with.longest = 1h;
    auto const program = []() -> task<> {
        for (;;) co_await rill::sleep(1min);
    };
    CHECK_THROWS_AS(static_cast<void>(test::simulate(1, program, with)), test::failure);
}

TEST_CASE("a program that leaves a descriptor open fails") {
    auto const program = []() -> task<> {
        test::add_file("/data/a", "x");
        file::root const folder("/data");
        file::handle opened = co_await file::open_beneath(folder, "a");
        static_cast<void>(opened.release());
    };
    CHECK_THROWS_AS(static_cast<void>(test::simulate(1, program)), test::failure);
}

TEST_CASE("blocking work runs on no core, in the order that the seed gives it") {
    auto const program = []() -> task<> {
        auto const work = [](int value) {
            test::expect(core::current_or_null() == nullptr, "no core there");
            return value + 1;
        };
        int const got = co_await blocking(work, 4);
        test::expect(got == 5, "the value came back");
        // Cancelled, begun or not: the wait ends and the work is left behind.
        auto const slow = [](std::string text) { return text; };
        auto const waited = co_await as_result(timeout(0s, blocking(slow, std::string("late"))));
        if (waited) test::expect(*waited == "late", "a value or nothing");
    };
    test::settings with;
    with.faults.longest_delay = 1s;
    static_cast<void>(test::seeds(100, program, with));
}

TEST_CASE("files are in memory: opened, read, and never left by a path") {
    auto const program = []() -> task<> {
        test::add_file("/www/index.html", "hello");
        test::add_file("/secret", "no");
        file::root const www("/www");
        file::handle const page = co_await file::open_beneath(www, "index.html");
        auto const status = page.status();
        test::expect(status.has_value() && status->regular && status->size == 5, "a file of 5");
        std::string text(10, '\0');
        std::size_t have = 0;
        for (;;) {
            mutable_bytes const room(text.data() + have, text.size() - have);
            std::size_t const count = co_await file::read(page.descriptor(), room, have);
            if (count == 0) break;
            have += count;
        }
        test::expect(text.substr(0, have) == "hello", "its content");
        auto const out = co_await as_result(file::open_beneath(www, "../secret"));
        test::expect(!out && out.error() == system_error(EXDEV), "no way out");
        auto const missing = co_await as_result(file::open_beneath(www, "b"));
        test::expect(!missing && missing.error() == system_error(ENOENT), "not there");
        file::root const top("/");
        file::handle const folder = co_await file::open_beneath(top, "www");
        auto const found = co_await file::list(folder);
        test::expect(found && found->size() == 1 && found->front().name == "index.html", "listed");
    };
    test::settings with;
    with.faults.short_files = 500;
    with.faults.longest_delay = 10ms;
    static_cast<void>(test::seeds(50, program, with));
}

TEST_CASE("a signal that is raised inside arrives at once, on the core that waits for it") {
    test::settings with;
    with.cores = 2;
    auto const program = [] {
        auto const body = []() -> task<> {
            signal_watch signals(signal_set(SIGUSR1));
            if (core::current().index() == 0) {
                co_await rill::sleep(1s);
                ::raise(SIGUSR1);
            }
            int const number = co_await signals.next();
            test::expect(number == SIGUSR1, "the signal");
            test::expect(test::elapsed() == 1s, "when it was raised");
        };
        run_per_core(body);
    };
    static_cast<void>(test::seeds(20, program, with));
}
