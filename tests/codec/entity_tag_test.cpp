// Entity tags. RFC 9110 section 8.8.3.
#include "rill/codec/entity_tag.hpp"

#include <doctest/doctest.h>

using namespace rill::codec;
using enum tag_comparison;

TEST_CASE("an entity tag is what stands between quotes, strong or weak") {
    auto const strong_tag = parse_entity_tag("\"xyzzy\"");
    REQUIRE(strong_tag);
    CHECK(strong_tag->opaque == "xyzzy");
    CHECK_FALSE(strong_tag->weak);
    auto const weak_tag = parse_entity_tag("W/\"xyzzy\"");
    REQUIRE(weak_tag);
    CHECK(weak_tag->weak);
    CHECK(parse_entity_tag("\"\"")->opaque.empty());
    CHECK(parse_entity_tag("\"a,b\\\"")->opaque == "a,b\\");
    CHECK(parse_entity_tag("\"\xe4\"")->opaque == "\xe4");
}

TEST_CASE("anything else is no entity tag") {
    for (std::string_view const text :
         {"", "a", "\"", "\"a", "a\"", "w/\"a\"", "W/", "W/a", "W \"a\"", "\"a b\"", "\"a\" ",
          " \"a\"", "\"a\"\"b\"", "\"a\x7f\"", "\"a\tb\"", "*"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_entity_tag(text));
    }
}

TEST_CASE("tags compare strongly and weakly as in the table of RFC 9110 section 8.8.3.2") {
    entity_tag const weak_1{.opaque = "1", .weak = true};
    entity_tag const weak_2{.opaque = "2", .weak = true};
    entity_tag const one{.opaque = "1"};
    CHECK_FALSE(same_tag(weak_1, weak_1, strong));
    CHECK(same_tag(weak_1, weak_1, weak));
    CHECK_FALSE(same_tag(weak_1, weak_2, strong));
    CHECK_FALSE(same_tag(weak_1, weak_2, weak));
    CHECK_FALSE(same_tag(weak_1, one, strong));
    CHECK(same_tag(weak_1, one, weak));
    CHECK(same_tag(one, one, strong));
    CHECK(same_tag(one, one, weak));
}

TEST_CASE("a list is searched tag by tag, commas and backslashes inside of tags included") {
    entity_tag const mine{.opaque = "b"};
    CHECK(list_has_tag("\"b\"", mine, strong));
    CHECK(list_has_tag("\"a\", \"b\"", mine, strong));
    CHECK(list_has_tag("\"a\\\",\"b\"", mine, strong));
    CHECK(list_has_tag(" ,, \"a,c\" ,\t\"b\" ,", mine, strong));
    CHECK(list_has_tag("\"a\",W/\"b\"", mine, weak));
    CHECK_FALSE(list_has_tag("\"a\",W/\"b\"", mine, strong));
    CHECK_FALSE(list_has_tag("\"a,b\"", mine, weak));
    CHECK_FALSE(list_has_tag("\"a\" \"b\"", mine, weak));
    CHECK_FALSE(list_has_tag("\"b\" x", mine, weak));
    CHECK_FALSE(list_has_tag("a, \"b\"", mine, weak));
    CHECK_FALSE(list_has_tag("", mine, weak));
    CHECK_FALSE(list_has_tag("*", mine, weak));
}
