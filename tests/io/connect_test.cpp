// Promises of tcp::connect by name: RFC 8305, happy eyeballs, in virtual time.
#include <memory>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/resolver.hpp"
#include "rill/io/tcp.hpp"
#include "support/sim.hpp"

namespace rill {

namespace {

using test::settle;
using test::simulate;

address v4(std::uint8_t last) {
    return address::v4({192, 0, 2, last}, 80);
}
address v6(std::uint8_t last) {
    std::array<std::uint8_t, 16> ip{0x20, 0x01, 0x0d, 0xb8};
    ip.back() = last;
    return address::v6(ip, 80);
}

test::world_options named(std::vector<address> addresses, duration delay = duration::zero()) {
    test::world_options options;
    options.names = {{.host = "site.example", .addresses = std::move(addresses), .delay = delay}};
    options.latency = 1ms;
    return options;
}

/// An address that never answers: its listener takes one connection, which it has.
class black_hole {
public:
    explicit black_hole(address const& at) : listener_(at, {.backlog = 1}), at_(at) {}
    task<> fill() {
        // The first goes to the queue of the listener's own socket; nobody accepts it.
        first_ = co_await tcp::connect(at_);
    }

private:
    tcp::listener listener_;
    address at_;
    tcp::stream first_;
};

duration since(time_point start) {
    return core::current().now() - start;
}

task<std::string> failure_text(std::string_view to, tcp::connect_options with = {}) {
    std::string text;
    try {
        auto const made = co_await tcp::connect(to, with);
    } catch (error const& failure) {
        text = failure.what();
    }
    co_return text;
}

}  // namespace

TEST_CASE("a name is looked up and connected to, as host:port and as host and port") {
    auto const body = []() -> task<> {
        tcp::listener at(v4(1));
        auto const one = co_await tcp::connect("site.example:80");
        CHECK(one.remote_address() == v4(1));
        auto const two = co_await tcp::connect("SITE.example", 80);
        CHECK(two.remote_address() == v4(1));
        auto const plain = co_await tcp::connect("192.0.2.1:80");
        CHECK(plain.remote_address() == v4(1));
        auto const with = co_await tcp::connect("site.example:80", {.no_delay = false});
        CHECK(with.remote_address() == v4(1));
        CHECK(resolver::of_core().now().asked == 1);
    };
    simulate(body, named({v4(1)}));
}

TEST_CASE("the first address is preferred as long as it answers within the delay") {
    auto const body = []() -> task<> {
        tcp::listener six(v6(1));
        tcp::listener four(v4(1));
        auto const made = co_await tcp::connect("site.example:80");
        CHECK(made.remote_address() == v6(1));
        co_await rill::sleep(10s);
        auto const none = co_await as_result(timeout(1s, four.accept()));
        CHECK(none.error() == errc::timed_out);
    };
    simulate(body, named({v6(1), v4(1)}));
}

TEST_CASE("RFC 8305 section 5: after 250 ms without an answer the next address is tried as well") {
    auto const body = []() -> task<> {
        black_hole silent(v6(1));
        co_await silent.fill();
        tcp::listener four(v4(1));
        time_point const start = core::current().now();
        auto const made = co_await tcp::connect("site.example:80");
        CHECK(made.remote_address() == v4(1));
        CHECK(since(start) == 252ms);  // and one round trip
        tcp::connect_options quick;
        quick.attempt_delay = 1ms;  // 10 ms is the least
        time_point const again = core::current().now();
        auto const sooner = co_await tcp::connect("site.example:80", quick);
        CHECK(since(again) == 12ms);
    };
    simulate(body, named({v6(1), v4(1)}));
}

TEST_CASE("RFC 8305 section 5: an attempt that fails lets the next begin at once") {
    auto const body = []() -> task<> {
        tcp::listener four(v4(3));
        time_point const start = core::current().now();
        auto const made = co_await tcp::connect("site.example:80");
        CHECK(made.remote_address() == v4(3));
        CHECK(since(start) == 6ms);  // two refusals and a connection, a round trip each
    };
    simulate(body, named({v4(1), v4(2), v4(3)}));
}

TEST_CASE("RFC 8305 section 4: the families take turns") {
    auto const body = []() -> task<> {
        auto const text = co_await failure_text("site.example:80");
        CHECK(text ==
              "connect to site.example:80: Connection refused (tried "
              "[2001:db8::1]:80: Connection refused; 192.0.2.1:80: Connection refused; "
              "[2001:db8::2]:80: Connection refused; 192.0.2.2:80: Connection refused; "
              "[2001:db8::3]:80: Connection refused)");
    };
    simulate(body, named({v6(1), v6(2), v6(3), v4(1), v4(2)}));
}

TEST_CASE("a slow first address still wins where the second one is slower or fails") {
    auto const body = []() -> task<> {
        black_hole silent(v6(1));
        co_await silent.fill();
        // Refused after 250 ms; the first is waited for all the same, until the whole is over.
        tcp::connect_options with;
        with.longest = 3s;
        time_point const start = core::current().now();
        auto const text = co_await failure_text("site.example:80", with);
        CHECK(text ==
              "connect to site.example:80: deadline passed (tried "
              "[2001:db8::1]:80: no answer yet; 192.0.2.1:80: Connection refused)");
        CHECK(since(start) == 3s);
    };
    simulate(body, named({v6(1), v4(1)}));
}

TEST_CASE("the deadline holds for the look-up, too") {
    auto const body = []() -> task<> {
        time_point const start = core::current().now();
        auto const text = co_await failure_text("site.example:80");
        CHECK(text == "look up site.example:80: deadline passed");
        CHECK(since(start) == 30s);
        auto const shorter = co_await as_result(timeout(1s, tcp::connect("site.example:80")));
        CHECK(shorter.error() == errc::timed_out);
        CHECK(since(start) == 31s);
    };
    simulate(body, named({v4(1)}, 1h));
}

TEST_CASE("a name without an address says so") {
    auto const body = []() -> task<> {
        auto const text = co_await failure_text("other.example:80");
        CHECK(text == "look up other.example:80: no such name");
        for (char const* const wrong :
             {"nonsense", ":", "a:b", "site.example:", "site.example:65536", "site.example:-1",
              "a b:80", "a/b:80", ""}) {
            CAPTURE(wrong);
            auto const why = co_await as_result(tcp::connect(wrong));
            CHECK(why.error() == errc::bad_address);
        }
    };
    simulate(body, named({v4(1)}));
}

TEST_CASE("of a name with very many addresses 16 are tried") {
    std::vector<address> many;
    for (std::uint8_t i = 1; i <= 40; ++i) many.push_back(v4(i));
    auto const body = []() -> task<> {
        auto const text = co_await failure_text("site.example:80");
        CHECK(text.find("192.0.2.16:80") != std::string::npos);
        CHECK(text.find("192.0.2.17:80") == std::string::npos);
    };
    simulate(body, named(many));
}

TEST_CASE("localhost is reached over either family") {
    auto const body = []() -> task<> {
        tcp::listener four("127.0.0.1:0");
        auto const port = std::to_string(four.local_address().port());
        auto const made = co_await tcp::connect("localhost:" + port);
        CHECK(made.remote_address() == four.local_address());
        tcp::listener six("[::1]:0");
        auto const other = co_await tcp::connect("localhost", six.local_address().port());
        CHECK(other.remote_address() == six.local_address());
    };
    test::run_in(test::kernel_world(), body);
    simulate(body);
}

TEST_CASE("losers are closed, whichever moment the winner comes at, and whatever the seed") {
    // The simulation counts descriptors at its end.
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        auto options = named({v6(1), v4(1), v6(2), v4(2)});
        options.seed = seed;
        options.latency = duration(std::chrono::microseconds(seed % 7 * 2500));
        auto const body = []() -> task<> {
            tcp::listener six(v6(1));
            tcp::listener four(v4(1));
            tcp::connect_options eager;
            eager.attempt_delay = 10ms;
            auto const made = co_await tcp::connect("site.example:80", eager);
            CHECK(made);
        };
        simulate(body, options);
    }
}

TEST_CASE("connecting that is cancelled at any moment leaves no descriptor behind") {
    for (int point = 0; point < 60; ++point) {
        CAPTURE(point);
        auto const body = [point]() -> task<> {
            black_hole silent(v6(1));
            co_await silent.fill();
            tcp::listener four(v4(2));
            co_await when_any(tcp::connect("site.example:80"), rill::sleep(point * 1ms * 10));
        };
        simulate(body, named({v6(1), v4(1), v4(2)}, 20ms));
    }
}

}  // namespace rill
