// W3C Trace Context, section 3.2.
#include "rill/codec/trace_context.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace rill;

TEST_CASE("a traceparent has a version, two ids in lower case that are not zero, and flags") {
    std::string const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    auto const read = codec::parse_trace_parent(good);
    REQUIRE(read);
    CHECK(read->trace_id == "4bf92f3577b34da6a3ce929d0e0e4736");
    CHECK(read->parent_id == "00f067aa0ba902b7");
    CHECK(read->flags == 1);
    CHECK_FALSE(codec::parse_trace_parent(good + "-x"));
    CHECK(codec::parse_trace_parent("cc" + good.substr(2) + "-what-the-future-brings"));
    CHECK(codec::parse_trace_parent("cc" + good.substr(2)));
    CHECK_FALSE(codec::parse_trace_parent("cc" + good.substr(2) + ".x"));
    CHECK_FALSE(codec::parse_trace_parent("ff" + good.substr(2)));
    for (std::size_t i = 0; i < good.size(); ++i) {
        CAPTURE(i);
        std::string bad = good;
        bad[i] = 'X';
        CHECK_FALSE(codec::parse_trace_parent(bad));
        CHECK_FALSE(codec::parse_trace_parent(good.substr(0, i)));
    }
    std::string zero = good;
    zero.replace(3, 32, 32, '0');
    CHECK_FALSE(codec::parse_trace_parent(zero));
    zero = good;
    zero.replace(36, 16, 16, '0');
    CHECK_FALSE(codec::parse_trace_parent(zero));
}
