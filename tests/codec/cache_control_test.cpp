// RFC 9111 sections 1.2.2, 4.2.1 and 5.2.
#include "rill/codec/cache_control.hpp"

#include <doctest/doctest.h>

using rill::codec::cache_control;

namespace {

cache_control read(std::string_view line) {
    cache_control all;
    all.take(line);
    return all;
}

}  // namespace

TEST_CASE("directives are read without case, from several lines, and others are let be") {
    cache_control all = read("Max-Age=60 , S-MAXAGE=\"30\", x=y, public");
    CHECK(all.max_age == 60U);
    CHECK(all.shared_max_age == 30U);
    CHECK_FALSE(all.no_store);
    all.take("no-store, private=\"set-cookie, x\", No-Cache, only-if-cached, min-fresh=5");
    CHECK(all.no_store);
    CHECK(all.is_private);
    CHECK(all.no_cache);
    CHECK(all.only_if_cached);
    CHECK_FALSE(all.no_transform);
    all.take("No-Transform");
    CHECK(all.no_transform);
    CHECK(all.min_fresh == 5U);
    // What stands in a quoted string is no directive.
    CHECK_FALSE(read("x=\"a, no-store\"").no_store);
}

TEST_CASE("an age that is malformed or comes in two ways makes an answer stale") {
    CHECK(read("max-age").max_age == 0U);
    CHECK(read("max-age=-1").max_age == 0U);
    CHECK(read("max-age=1.5").max_age == 0U);
    CHECK(read("max-age=5, max-age=6").max_age == 0U);
    CHECK(read("max-age=5, max-age=5").max_age == 5U);
    CHECK(read("max-age=99999999999999999999999").max_age == 1U << 31);
}
