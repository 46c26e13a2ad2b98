// network_set: which addresses are in which networks. RFC 4632, RFC 4291.
#include "rill/base/network_set.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "rill/base/error.hpp"

using namespace rill;

namespace {

bool holds(network_set const& networks, std::string_view at) {
    return networks.contains(address::parse(at).value());
}

}  // namespace

TEST_CASE("a network holds the addresses that begin with its prefix, to the bit") {
    network_set const some{"10.0.0.0/8", "192.168.4.0/22", "127.0.0.1", "2001:db8::/33", "::1"};
    CHECK(holds(some, "10.255.255.255:1"));
    CHECK_FALSE(holds(some, "11.0.0.0:1"));
    CHECK_FALSE(holds(some, "9.255.255.255:1"));
    CHECK(holds(some, "192.168.7.255:1"));
    CHECK_FALSE(holds(some, "192.168.8.0:1"));
    CHECK(holds(some, "127.0.0.1:80"));
    CHECK_FALSE(holds(some, "127.0.0.2:80"));
    CHECK(holds(some, "[2001:db8:7fff::1]:1"));
    CHECK_FALSE(holds(some, "[2001:db8:8000::]:1"));
    CHECK(holds(some, "[::1]:1"));
    CHECK_FALSE(holds(some, "[::2]:1"));
    CHECK_FALSE(holds(some, "unix:/x"));
    CHECK_FALSE(some.contains(address()));
}

TEST_CASE("IPv4 in IPv6 is IPv4, and the families are apart") {
    network_set const v4{"0.0.0.0/0"};
    CHECK(holds(v4, "1.2.3.4:1"));
    CHECK(holds(v4, "[::ffff:1.2.3.4]:1"));
    CHECK_FALSE(holds(v4, "[::1]:1"));
    network_set const v6{"::/0"};
    CHECK(holds(v6, "[::1]:1"));
    CHECK_FALSE(holds(v6, "[::ffff:1.2.3.4]:1"));
    CHECK_FALSE(holds(v6, "1.2.3.4:1"));
    CHECK(holds(network_set{"unix:"}, "unix:/x"));
}

TEST_CASE("what is no network is refused, a host with a short prefix included") {
    for (std::string_view const bad :
         {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0.1/8", "10.0.0/8",
          "::/129", "2001:db8::1/32", "localhost", "10.0.0.0:80", "[::1]", "/8", "unix:/x",
          " ::1"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(network_set{bad}, error);
    }
    std::vector<std::string_view> many(256, "10.0.0.0/8");
    CHECK_NOTHROW(network_set(std::span<std::string_view const>(many)));
    many.emplace_back("::1");
    CHECK_THROWS_AS(network_set(std::span<std::string_view const>(many)), error);
    CHECK_FALSE(network_set(std::span<std::string_view const>()).contains(address()));
}
