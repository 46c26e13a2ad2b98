// Datagrams in simulated worlds: lost, doubled, late, and what a program makes of it.
#include <doctest/doctest.h>

#include <cerrno>
#include <set>
#include <string>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/udp.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/test.hpp"

using namespace rill;

namespace {

constexpr std::uint64_t seed_count = 10'000;  // RILL_SEEDS sets another
constexpr char const* here = "10.0.0.1:9";

/// Receives what comes within ten seconds and says how many numbers, doubles and gaps that is.
struct seen {
    std::multiset<int> numbers;
    bool in_order = true;
};

task<> receive_all(udp::socket& at, seen& into) {
    for (;;) {
        auto const got = co_await as_result(at.receive(deadline_in(10s)));
        if (!got) break;
        int const number = std::stoi(std::string(got->view().text()));
        if (!into.numbers.empty() && number < *into.numbers.rbegin()) into.in_order = false;
        into.numbers.insert(number);
    }
}

/// Sends a hundred numbers; what of them arrives.
task<seen> send_hundred() {
    udp::socket server = udp::socket::bind(here);
    udp::socket client = udp::socket::bind("10.0.0.2:0");
    address const to = server.local_address();
    seen found;
    auto const both = [&](task_group& group) -> task<> {
        group.spawn(receive_all, std::ref(server), std::ref(found));
        for (int i = 0; i < 100; ++i) {
            std::string const text = std::to_string(i);
            co_await client.send_to(text, to);
            co_await rill::sleep(10ms);
        }
    };
    co_await with_task_group(both);
    co_return found;
}

/// A request with an answer over datagrams, sent again until it is answered: the way in which
/// programs deal with all of it. The server counts what it has not seen before.
task<> ask_until_answered() {
    udp::socket server = udp::socket::bind(here);
    std::set<std::string> known;
    auto const serve = [&]() -> task<> {
        for (;;) {
            auto const got = co_await server.receive();
            std::string const text(got.view().text());
            address const back = got.from();
            known.insert(text);
            static_cast<void>(co_await as_result(server.send_to(text, back)));
        }
    };
    auto const ask = [](std::string const& what) -> task<> {
        udp::socket client = udp::socket::connect(here);
        for (int tries = 0; tries < 1'000; ++tries) {
            static_cast<void>(co_await as_result(client.send(what)));
            auto const got = co_await as_result(client.receive(deadline_in(500ms)));
            if (got && got->view().text() == what) co_return;
        }
        test::expect(false, "an answer comes in the end");
    };
    auto const clients = [&]() -> task<> {
        for (int i = 0; i < 5; ++i) {
            std::string const what = std::to_string(i);
            co_await ask(what);
        }
    };
    static_cast<void>(co_await when_any(serve(), clients()));
    test::expect(known.size() == 5, "each request came");
}

test::settings exactly(std::uint32_t test::faults::* kind) {
    test::settings with;
    with.faults.*kind = 200;
    with.faults.swarm = false;
    return with;
}

}  // namespace

TEST_CASE("in a calm world every datagram arrives once and in order") {
    auto const program = []() -> task<> {
        seen const found = co_await send_hundred();
        test::expect(found.numbers.size() == 100 && found.in_order, "all of them");
    };
    static_cast<void>(test::simulate(1, program));
}

TEST_CASE("datagrams are lost, doubled and overtaken as the faults say") {
    auto const lost = []() -> task<> {
        seen const found = co_await send_hundred();
        test::expect(found.numbers.size() < 100 && found.in_order, "some are lost");
        test::expect(found.numbers.size() > 50, "and most are not");
    };
    static_cast<void>(test::seeds(20, lost, exactly(&test::faults::lost_datagrams)));
    auto const doubled = []() -> task<> {
        seen const found = co_await send_hundred();
        std::set<int> const different(found.numbers.begin(), found.numbers.end());
        test::expect(different.size() == 100 && found.numbers.size() > 100, "some come twice");
    };
    static_cast<void>(test::seeds(20, doubled, exactly(&test::faults::doubled_datagrams)));
    auto const late = []() -> task<> {
        seen const found = co_await send_hundred();
        test::expect(found.numbers.size() == 100 && !found.in_order, "in another order");
    };
    static_cast<void>(test::seeds(20, late, exactly(&test::faults::late_datagrams)));
}

TEST_CASE("where nobody listens ICMP says so, and a partition says nothing") {
    auto const program = []() -> task<> {
        udp::socket client = udp::socket::bind("10.0.0.2:0");
        address const nobody = *address::parse(here);
        co_await client.send_to("x", nobody);
        co_await rill::sleep(1s);
        auto const told = co_await as_result(client.send_to("x", nobody));
        test::expect(!told && told.error() == system_error(ECONNREFUSED), "refused");
        test::inject({.what = test::fault::partition, .where = here});
        co_await rill::sleep(1s);
        co_await client.send_to("x", nobody);
        co_await rill::sleep(1s);
        auto const silent = co_await as_result(client.send_to("x", nobody));
        test::expect(silent.has_value(), "nothing comes back");
    };
    static_cast<void>(test::simulate(1, program));
}

TEST_CASE("who sends again gets through any world") {
    test::settings with;
    with.faults = test::faults::hostile();
    with.faults.no_descriptors = 0;  // the program gives up where it has no socket
    static_cast<void>(test::seeds(seed_count, ask_until_answered, with));
}
