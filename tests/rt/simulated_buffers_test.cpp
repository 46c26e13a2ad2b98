// A simulated world without receive buffers: by chance it goes on, by plan it says why it does not.
#include <doctest/doctest.h>

#include <string>

#include "rill/coro/when_all.hpp"
#include "rill/io/tcp.hpp"
#include "rill/io/udp.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/test.hpp"

namespace rill {

namespace {

constexpr char const* here = "10.0.0.1:7";

task<> send_all(std::size_t size) {
    tcp::stream peer = co_await tcp::connect(here);
    std::string const text(size, 'x');
    co_await peer.write(text);
}

task<> receive_all(tcp::listener& at, std::size_t size) {
    tcp::stream peer = co_await at.accept();
    std::size_t have = 0;
    while (auto const part = co_await peer.receive()) have += part.size();
    test::expect(have == size, "all of it");
}

task<> receive_one(udp::socket& at) {
    auto const got = co_await at.receive();
    test::expect(got.view() == bytes("datagram"), "it came");
}

task<> converse() {
    tcp::listener at(here);
    udp::socket hears = udp::socket::bind(here);
    udp::socket tells = udp::socket::bind("10.0.0.2:7");
    address const to = hears.local_address();
    constexpr std::size_t size = 10'000;
    co_await when_all(send_all(size), receive_all(at, size), receive_one(hears),
                      tells.send_to("datagram", to));
}

}  // namespace

TEST_CASE("a world in which every receive finds no buffer goes on") {
    test::settings with;
    with.faults = {.no_buffers = 1000, .swarm = false};
    static_cast<void>(test::seeds(20, converse, with));
}

TEST_CASE("a receive whose buffers never come back ends the simulation, which says so") {
    auto const program = []() -> task<> {
        test::inject({.what = test::fault::no_buffers});
        co_await rill::sleep(1s);
        co_await converse();
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

}  // namespace rill
