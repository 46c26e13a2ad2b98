// The limits of a request head, each at its bound and one past it (RFC 6585 section 5, RFC 9110
// section 15.5.15; C158).
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "codec/head_pieces.hpp"
#include "rill/codec/http1_request.hpp"

using namespace rill::http1;
using rill::testing::parse_in_every_way;

TEST_CASE("a target may be as long as its limit and not a byte longer") {
    request_limits limits;
    limits.target_bytes = 20;
    std::string const rest = " HTTP/1.1\r\nHost: a\r\n\r\n";
    CHECK(parse_in_every_way("GET /" + std::string(19, 'a') + rest, limits).status == 0);
    CHECK(parse_in_every_way("GET /" + std::string(20, 'a') + rest, limits).status == 414);
    CHECK(parse_in_every_way("GET /" + std::string(500, 'a'), limits).status == 414);
}

TEST_CASE("a head may be as long as its limit and not a byte longer") {
    request_limits limits;
    limits.head_bytes = 64;
    std::string const begin = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    auto const head = [&](std::size_t size) {
        return begin + std::string(size - begin.size() - 4, 'x') + "\r\n\r\n";
    };
    CHECK(parse_in_every_way(head(64), limits).status == 0);
    CHECK(parse_in_every_way(head(65), limits).status == 431);
    CHECK(parse_in_every_way(head(300), limits).status == 431);
    CHECK(parse_in_every_way("GET /" + std::string(200, 'a'), limits).status == 414);
    CHECK(parse_in_every_way(begin + std::string(200, 'a'), limits).status == 431);
    CHECK(parse_in_every_way(head(64) + std::string(500, 'b'), limits).size == 64);
}

TEST_CASE("a head may have as many fields as its limit and not one more") {
    auto const head = [](int count) {
        std::string text = "GET / HTTP/1.1\r\nHost: a\r\n";
        for (int i = 1; i < count; ++i) text += "a:" + std::to_string(i) + "\r\n";
        return text + "\r\n";
    };
    request_limits limits;
    limits.field_count = 3;
    CHECK(parse_in_every_way(head(3), limits).status == 0);
    CHECK(parse_in_every_way(head(4), limits).status == 431);
    limits.field_count = field_table::capacity;
    CHECK(parse_in_every_way(head(128), limits).status == 0);
    CHECK(parse_in_every_way(head(129), limits).status == 431);
    limits.field_count = 0;
    CHECK(parse_in_every_way("GET / HTTP/1.0\r\n\r\n", limits).status == 0);
    CHECK(parse_in_every_way("GET / HTTP/1.0\r\na: b\r\n\r\n", limits).status == 431);
}

TEST_CASE("the default limits are those that the documentation names") {
    request_parser parser;
    auto const parse = [&](std::string const& text) {
        parser.reset();
        return parser.parse(rill::bytes(text)).status;
    };
    std::string const rest = " HTTP/1.1\r\nHost: a\r\n\r\n";
    CHECK(parse("GET /" + std::string(8191, 'a') + rest) == 0);
    CHECK(parse("GET /" + std::string(8192, 'a') + rest) == 414);
    std::string const begin = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    CHECK(parse(begin + std::string(16384 - begin.size() - 4, 'a') + "\r\n\r\n") == 0);
    CHECK(parse(begin + std::string(16384 - begin.size() - 3, 'a') + "\r\n\r\n") == 431);
}

TEST_CASE("a head at the largest limit is placed rightly to its last byte") {
    request_limits limits;
    limits.head_bytes = 65535;
    request_parser parser(limits);
    std::string const begin = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    std::string const tail = "\r\nY: z\r\n\r\n";
    std::string const text = begin + std::string(65535 - begin.size() - tail.size(), 'a') + tail;
    REQUIRE(parser.parse(rill::bytes(text)).size == 65535);
    CHECK(parser.head().find("y") == "z");
    CHECK(parser.head().find("x").size() == text.size() - begin.size() - tail.size());
}

TEST_CASE("a method that never ends is refused early") {
    // RFC 9112 section 3: a method longer than any implemented one gets 501.
    std::string const rest = " / HTTP/1.1\r\nHost: a\r\n\r\n";
    CHECK(parse_in_every_way(std::string(32, 'M') + rest).status == 0);
    CHECK(parse_in_every_way(std::string(33, 'M') + rest).status == 501);
    CHECK(parse_in_every_way(std::string(100, 'M')).status == 501);
}
