// Forwarded and hops. RFC 7239 sections 4 and 6.
#include "rill/codec/forwarded.hpp"

#include <doctest/doctest.h>

using namespace rill;
using codec::parse_forwarded;
using codec::parse_hop;

TEST_CASE("an element of Forwarded is read in any case and order, its quotes resolved") {
    auto const all = parse_forwarded(
        "For=\"[2001:db8:cafe::17]:4711\";PROTO=https; by=203.0.113.43;host=\"a:80\";x=y");
    REQUIRE(all);
    CHECK(all->client == "[2001:db8:cafe::17]:4711");
    CHECK(all->scheme == "https");
    CHECK(all->host == "a:80");
    CHECK(parse_forwarded("by=_hidden")->client.empty());
    CHECK(parse_forwarded("for=unknown")->client == "unknown");
    for (std::string_view const bad : {"for", "for=", "for=a;for=b", "for=[::1]", "for=\"a",
                                       "for=1.2.3.4:80", "=a", "for=a b"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_forwarded(bad));
    }
}

TEST_CASE("a hop is an address, with or without a port, and nothing else") {
    auto const text = [](std::string_view hop) {
        auto const found = parse_hop(hop);
        return found ? found->text() : "none";
    };
    CHECK(text("192.0.2.43") == "192.0.2.43:0");
    CHECK(text(" 192.0.2.43:47011 ") == "192.0.2.43:47011");
    CHECK(text("2001:db8::17") == "[2001:db8::17]:0");
    CHECK(text("[2001:db8::17]") == "[2001:db8::17]:0");
    CHECK(text("[2001:db8::17]:80") == "[2001:db8::17]:80");
    CHECK(text("::ffff:1.2.3.4") == "1.2.3.4:0");
    CHECK(text("1.2.3.4:_port") == "1.2.3.4:0");
    for (std::string_view const bad :
         {"", "unknown", "_secret", "localhost", "localhost:80", ":80", "1.2.3", "1.2.3.4:x",
          "1.2.3.4:70000", "[::1", "::1]", "[::1]x", "[1.2.3.4]", "fe80::1%eth0", "unix:/x",
          "1.2.3.4,5.6.7.8", "\"::1\""}) {
        CAPTURE(bad);
        CHECK(text(bad) == "none");
    }
}
