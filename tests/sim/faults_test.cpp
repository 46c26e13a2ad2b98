// What can go wrong in a simulated world does, each kind by itself: by plan and by chance.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/io/file.hpp"
#include "rill/io/tcp.hpp"
#include "rill/io/udp.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/test.hpp"

using namespace rill;

namespace {

constexpr char const* here = "10.0.0.1:7";

/// Sends back what it gets, to `connections` clients one after the other.
task<> echo_server(tcp::listener& at, int connections) {
    for (int i = 0; i < connections; ++i) {
        tcp::stream peer = co_await at.accept();
        for (;;) {
            auto const part = co_await as_result(peer.receive());
            if (!part || !*part) break;
            std::string const copy(part->view().text());
            auto const sent = co_await as_result(peer.write(copy));
            if (!sent) break;
        }
    }
}

/// One byte there and back; why not, where it does not come back.
task<std::error_code> ping(tcp::stream& peer) {
    auto const sent = co_await as_result(peer.write("x"));
    if (!sent) co_return sent.error();
    auto const got = co_await as_result(peer.receive());
    if (!got) co_return got.error();
    co_return *got ? std::error_code() : make_error_code(errc::end_of_stream);
}

char letter(std::size_t at) {
    return static_cast<char>('a' + at % 26);
}

task<> write_letters(std::size_t size) {
    tcp::stream peer = co_await tcp::connect(here);
    for (std::size_t at = 0; at < size;) {
        std::string part(std::min<std::size_t>(size - at, 1 + test::choose(9'000)), '\0');
        for (char& each : part) each = letter(at++);
        co_await peer.write(part);
        co_await rill::sleep(std::chrono::milliseconds(test::choose(300)));
    }
}

/// Reads to the end; `have` is how many came, in order.
task<> read_letters(tcp::listener& at, std::size_t& have) {
    tcp::stream peer = co_await at.accept();
    for (;;) {
        auto const part = co_await peer.receive();
        if (!part) break;
        for (char const each : part.view().text()) {
            test::expect(each == letter(have++), "every byte, in order");
        }
    }
}

/// Sends numbers, fewer than a socket holds unread.
task<> send_numbers(int count, address const& to) {
    udp::socket from = udp::socket::bind("10.0.0.2:0");
    for (int i = 0; i < count; ++i) {
        std::string const number = std::to_string(i);
        co_await from.send_to(number, to);
        co_await rill::sleep(std::chrono::milliseconds(test::choose(50)));
    }
}

task<> receive_numbers(udp::socket& at, int count) {
    std::vector<bool> seen(static_cast<std::size_t>(count), false);
    for (int i = 0; i < count; ++i) {
        udp::datagram const got = co_await at.receive();
        auto const number = static_cast<std::size_t>(std::stoi(std::string(got.view().text())));
        test::expect(!seen.at(number), "once");
        seen[number] = true;
    }
}

/// How often `program` gives true with one kind of fault, at this chance in a thousand.
template <class Program>
int count_seeds(std::uint32_t test::faults::* kind, std::uint32_t chance, Program program) {
    int count = 0;
    test::settings with;
    with.faults.*kind = chance;
    with.faults.swarm = false;
    auto const counted = [&]() -> task<> {
        bool const happened = co_await program();
        if (happened) ++count;
    };
    static_cast<void>(test::seeds(100, counted, with));
    return count;
}

/// A program of a client beside three echo servers.
template <class Client>
task<bool> beside_echo(Client client) {
    tcp::listener at(here);
    bool happened = false;
    auto const both = [&](task_group& group) -> task<> {
        for (int i = 0; i < 3; ++i) group.spawn(echo_server, std::ref(at), 100);
        happened = co_await client();
        group.cancel();
    };
    co_await with_task_group(both);
    co_return happened;
}

}  // namespace

TEST_CASE("a partition holds everything back until it heals, and loses nothing") {
    auto const program = []() -> task<> {
        static_cast<void>(co_await beside_echo([]() -> task<bool> {
            tcp::stream peer = co_await tcp::connect(here);
            std::error_code const before = co_await ping(peer);
            test::expect(!before, "it works before");
            test::inject({.what = test::fault::partition, .where = here, .length = 10s});
            co_await rill::sleep(1ms);
            std::error_code const during = co_await ping(peer);
            test::expect(!during, "it works after");
            test::expect(test::elapsed() == 10s, "when the partition has healed");
            co_return true;
        }));
    };
    static_cast<void>(test::simulate(1, program));
}

TEST_CASE("a partition that stays ends a connect after 127 s and a connection after 924 s") {
    auto const program = []() -> task<> {
        static_cast<void>(co_await beside_echo([]() -> task<bool> {
            tcp::stream peer = co_await tcp::connect(here);
            test::inject({.what = test::fault::partition, .where = "10.0.0.1:0"});
            co_await rill::sleep(1s);
            // To an address: by text a connect has a deadline of its own.
            address const there = *address::parse(here);
            auto const late = co_await as_result(tcp::connect(there));
            test::expect(!late && late.error() == system_error(ETIMEDOUT), "no connection");
            test::expect(test::elapsed() == 128s, "as Linux gives up");
            std::error_code const lost = co_await ping(peer);
            test::expect(lost == system_error(ETIMEDOUT), "the old one is lost");
            test::expect(test::elapsed() == 128s + 924s, "as Linux gives up");
            test::heal();
            tcp::stream again = co_await tcp::connect(here);
            std::error_code const after = co_await ping(again);
            test::expect(!after, "a new one works");
            co_return true;
        }));
    };
    static_cast<void>(test::simulate(1, program));
}

TEST_CASE("a planned reset and a planned refusal hit in their time") {
    constexpr std::array plan = {
        test::planned_fault{.what = test::fault::reset, .after = 5s},
        test::planned_fault{.what = test::fault::refuse, .after = 5s, .where = here, .length = 5s},
    };
    auto const program = []() -> task<> {
        static_cast<void>(co_await beside_echo([]() -> task<bool> {
            tcp::stream peer = co_await tcp::connect(here);
            auto const got = co_await as_result(peer.receive());
            test::expect(!got && got.error() == system_error(ECONNRESET), "a reset");
            test::expect(test::elapsed() == 5s, "in its time");
            auto const refused = co_await as_result(tcp::connect(here));
            test::expect(!refused && refused.error() == system_error(ECONNREFUSED), "refused");
            co_await rill::sleep(6s);
            tcp::stream again = co_await tcp::connect(here);
            std::error_code const after = co_await ping(again);
            test::expect(!after, "it works after");
            co_return true;
        }));
    };
    test::settings with;
    with.plan = plan;
    static_cast<void>(test::simulate(1, program, with));
}

TEST_CASE("without descriptors a connect fails at once and an accept comes later") {
    auto const program = []() -> task<> {
        static_cast<void>(co_await beside_echo([]() -> task<bool> {
            test::inject({.what = test::fault::no_descriptors, .length = 3s});
            co_await rill::sleep(1s);
            auto const none = co_await as_result(tcp::connect(here));
            test::expect(!none && none.error() == system_error(EMFILE), "no descriptor");
            co_await rill::sleep(2s);
            tcp::stream peer = co_await tcp::connect(here);
            std::error_code const after = co_await ping(peer);
            test::expect(!after, "it works after");
            co_return true;
        }));
    };
    static_cast<void>(test::simulate(1, program));
}

TEST_CASE("without receive buffers what arrives waits, and comes when there are some again") {
    auto const program = []() -> task<> {
        tcp::listener at(here);
        udp::socket hears = udp::socket::bind(here);
        std::size_t have = 0;
        auto const outage = [&]() -> task<> {
            test::inject({.what = test::fault::no_buffers, .after = 1s, .length = 1h});
            co_await rill::sleep(2s);
            std::size_t const before = have;
            test::expect(before > 0, "something came");
            co_await rill::sleep(30min);
            test::expect(have == before, "and nothing more");
            test::expect(hears.counters().dropped == 0, "nor is anything dropped");
        };
        constexpr std::size_t size = 300'000;  // more than a window
        address const to = hears.local_address();
        co_await when_all(write_letters(size), read_letters(at, have), outage(),
                          send_numbers(100, to), receive_numbers(hears, 100));
        test::expect(have == size, "all of it");
        test::expect(test::elapsed() >= 1h, "after the hour");
    };
    static_cast<void>(test::simulate(1, program));
}

TEST_CASE("a world in which every receive finds no buffer goes on") {
    auto const program = []() -> task<> {
        tcp::listener at(here);
        udp::socket hears = udp::socket::bind(here);
        address const to = hears.local_address();
        std::size_t have = 0;
        co_await when_all(write_letters(10'000), read_letters(at, have), send_numbers(100, to),
                          receive_numbers(hears, 100));
        test::expect(have == 10'000, "all of it");
    };
    test::settings with;
    with.faults = {.no_buffers = 1000, .swarm = false};
    static_cast<void>(test::seeds(20, program, with));
}

TEST_CASE("a receive whose buffers never come back ends the simulation with its place") {
    auto const program = []() -> task<> {
        static_cast<void>(co_await beside_echo([]() -> task<bool> {
            tcp::stream peer = co_await tcp::connect(here);
            test::inject({.what = test::fault::no_buffers});
            co_await rill::sleep(1s);
            static_cast<void>(co_await ping(peer));
            co_return true;
        }));
    };
    std::string told;
    try {
        static_cast<void>(test::simulate(1, program));
    } catch (test::failure const& failed) {
        told = failed.what();
    }
    CHECK(told.find("every task waits for something that nobody will do") != std::string::npos);
    CHECK(told.find("no receive buffer can be had") != std::string::npos);
}

TEST_CASE("whenever there are no receive buffers, nothing is lost, for 10,000 seeds") {
    auto const program = []() -> task<> {
        tcp::listener at(here);
        udp::socket hears = udp::socket::bind(here);
        std::size_t have = 0;
        std::size_t const size = 1 + test::choose(20'000);
        auto const outages = []() -> task<> {
            for (std::uint64_t i = test::choose(4); i > 0; --i) {
                test::inject({.what = test::fault::no_buffers,
                              .length = 1ms + std::chrono::milliseconds(test::choose(1'000))});
                co_await rill::sleep(std::chrono::milliseconds(test::choose(1'000)));
                if (test::choose(4) == 0) test::heal();
            }
        };
        int const count = static_cast<int>(test::choose(20));
        address const to = hears.local_address();
        co_await when_all(write_letters(size), read_letters(at, have), outages(),
                          send_numbers(count, to), receive_numbers(hears, count));
        test::expect(have == size, "all of it");
    };
    test::settings with;
    with.faults = test::faults::slow();
    with.faults.no_buffers = 200;
    with.receive_buffers = 4;
    with.receive_copies = 2;
    static_cast<void>(test::seeds(10'000, program, with));
}

TEST_CASE("a disk that fails says EIO, and works again after its time") {
    auto const program = []() -> task<> {
        test::add_file("/a", "content");
        file::root const top("/");
        test::inject({.what = test::fault::disk_error, .length = 1s});
        co_await rill::sleep(1ms);
        auto const failed = co_await as_result(file::open_beneath(top, "a"));
        test::expect(!failed && failed.error() == system_error(EIO), "EIO");
        co_await rill::sleep(2s);
        file::handle const opened = co_await file::open_beneath(top, "a");
        test::expect(static_cast<bool>(opened), "opened");
    };
    static_cast<void>(test::simulate(1, program));
}

TEST_CASE("a clock jump moves the time of day and no timer") {
    auto const program = []() -> task<> {
        auto const before = core::current().wall_now();
        test::inject({.what = test::fault::clock_jump, .after = 1s, .length = -2h});
        co_await rill::sleep(10s);
        test::expect(test::elapsed() == 10s, "timers go by the other clock");
        test::expect(core::current().wall_now() == before + 10s - 2h, "two hours back");
    };
    static_cast<void>(test::simulate(1, program));
}

TEST_CASE("each fault of streams by chance happens in some worlds and not in all") {
    auto const broken = []() -> task<bool> {
        return beside_echo([]() -> task<bool> {
            auto connected = co_await as_result(tcp::connect(here));
            if (!connected) co_return true;
            std::error_code const failed = co_await ping(*connected);
            co_return static_cast<bool>(failed);
        });
    };
    for (auto const kind : {&test::faults::resets, &test::faults::refusals}) {
        int const count = count_seeds(kind, 300, broken);
        CHECK(count > 10);
        CHECK(count < 90);
    }
    CHECK(count_seeds(&test::faults::no_descriptors, 300, broken) > 10);
    // These delay and cut to pieces, and lose nothing.
    for (auto const kind :
         {&test::faults::short_reads, &test::faults::short_writes, &test::faults::ended_streams,
          &test::faults::reorders, &test::faults::partitions, &test::faults::no_buffers,
          &test::faults::stalls, &test::faults::clock_jumps}) {
        CHECK(count_seeds(kind, 300, broken) == 0);
    }
}

TEST_CASE("a swarm of seeds leaves out kinds of faults, and calms down when it is told to") {
    auto const program = []() -> task<bool> {
        return beside_echo([]() -> task<bool> {
            co_await rill::sleep(1min);
            tcp::stream peer = co_await tcp::connect(here);
            std::error_code const failed = co_await ping(peer);
            test::expect(!failed, "nothing goes wrong after the first minute");
            co_return true;
        });
    };
    test::settings with;
    with.faults.refusals = 1'000;
    with.faults.calm_after = 1min;
    with.faults.swarm = false;
    static_cast<void>(test::seeds(100, program, with));

    int refused = 0;
    auto const at_once = [&]() -> task<> {
        auto const attempt = co_await as_result(tcp::connect(here));
        if (attempt.error() == system_error(ECONNREFUSED)) ++refused;
    };
    auto const with_listener = [&]() -> task<> {
        tcp::listener at(here);
        co_await at_once();
    };
    with.faults.calm_after = 0s;
    with.faults.swarm = true;
    static_cast<void>(test::seeds(200, with_listener, with));
    // One half of the worlds is without, one quarter has a quarter of it.
    CHECK(refused > 20);
    CHECK(refused < 130);
}
