// address: text both ways.
#include "rill/base/address.hpp"

#include <doctest/doctest.h>

#include <string>

using rill::address;

TEST_CASE("addresses come back as they were written") {
    for (std::string const text : {"127.0.0.1:80", "[::1]:8080", "[::]:1", "[2001:db8::1]:443",
                                   "[fe80::1%2]:80", "[1:2:3:4:5:6:7:8]:9", "[1:0:0:4::8]:9",
                                   "unix:/tmp/x.sock", "unix:@name", "[::ffff:1.2.3.4]:5"}) {
        auto const parsed = address::parse(text);
        REQUIRE_MESSAGE(parsed, text);
        CHECK(parsed->text() == text);
    }
}

TEST_CASE("a port alone means every address of both families") {
    auto const parsed = address::parse(":8080");
    REQUIRE(parsed);
    CHECK(parsed->any());
    CHECK(parsed->port() == 8080);
}

TEST_CASE("what is no address is refused") {
    for (std::string const text : {"",
                                   "80",
                                   "127.0.0.1",
                                   "1.2.3:80",
                                   "1.2.3.4.5:80",
                                   "01.2.3.4:80",
                                   "256.1.1.1:80",
                                   "::1:80",
                                   "[::1]80",
                                   "[::1:80",
                                   "[:::1]:80",
                                   "[1:2:3:4:5:6:7:8:9]:80",
                                   "[1::2::3]:80",
                                   "[1:]:80",
                                   "[12345::]:80",
                                   "x:80",
                                   "127.0.0.1:65536",
                                   "127.0.0.1:-1",
                                   "127.0.0.1: 80",
                                   "unix:",
                                   "[::1%x]:80",
                                   "127.0.0.1:80x"}) {
        CHECK_MESSAGE(!address::parse(text), text);
    }
    CHECK_FALSE(address::parse("unix:" + std::string(108, 'x')));
    CHECK(address::parse("unix:" + std::string(107, 'x')));
}

TEST_CASE("an IPv4-mapped address is shown as the IPv4 address it stands for") {
    auto const parsed = address::parse("[::ffff:1.2.3.4]:5");
    REQUIRE(parsed);
    CHECK(parsed->unmapped().text() == "1.2.3.4:5");
}
