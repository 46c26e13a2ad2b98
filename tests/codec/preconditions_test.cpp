// Conditional requests. RFC 9110 section 13.
#include "rill/codec/preconditions.hpp"

#include <doctest/doctest.h>

#include <chrono>

using namespace rill::codec;
using namespace std::chrono_literals;
using enum preconditions::verdict;

namespace {

constexpr std::string_view before = "Sun, 06 Nov 1994 08:49:36 GMT";
constexpr std::string_view same = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::string_view later = "Sun, 06 Nov 1994 08:49:38 GMT";
constexpr std::chrono::sys_seconds changed{784111777s};
constexpr std::chrono::sys_seconds now = changed + 1h;

preconditions against_tag() {
    return {{.tag = entity_tag{.opaque = "a"}, .modified = changed}, now};
}

}  // namespace

TEST_CASE("without a condition a request is carried out") {
    CHECK(against_tag().judge(true) == proceed);
    CHECK(against_tag().judge(false) == proceed);
    CHECK(against_tag().range_counts());
}

TEST_CASE("If-None-Match compares weakly: 304 for reading, 412 for anything else") {
    for (std::string_view const list : {"\"a\"", "W/\"a\"", "\"b\", \"a\"", "*", " * "}) {
        CAPTURE(list);
        auto asked = against_tag();
        asked.if_none_match(list);
        CHECK(asked.judge(true) == not_modified);
        CHECK(asked.judge(false) == failed);
    }
    auto asked = against_tag();
    asked.if_none_match("\"b\", \"c\"");
    CHECK(asked.judge(true) == proceed);
    asked.if_none_match("\"a\"");  // a second line of the same list
    CHECK(asked.judge(true) == not_modified);
}

TEST_CASE("If-Match compares strongly: 412 when nothing matches") {
    for (std::string_view const list : {"\"a\"", "\"b\", \"a\"", "*"}) {
        CAPTURE(list);
        auto asked = against_tag();
        asked.if_match(list);
        CHECK(asked.judge(true) == proceed);
        CHECK(asked.judge(false) == proceed);
    }
    for (std::string_view const list : {"W/\"a\"", "\"b\"", "a", ""}) {
        CAPTURE(list);
        auto asked = against_tag();
        asked.if_match(list);
        CHECK(asked.judge(true) == failed);
        asked.if_match("\"a\"");
        CHECK(asked.judge(true) == proceed);
    }
}

TEST_CASE("dates are compared by the second, and a text that is no date is ignored") {
    auto since = [](std::string_view date) {
        auto asked = against_tag();
        asked.if_modified_since(date);
        return asked.judge(true);
    };
    CHECK(since(before) == proceed);
    CHECK(since(same) == not_modified);
    CHECK(since(later) == not_modified);
    CHECK(since("yesterday") == proceed);
    auto until = [](std::string_view date) {
        auto asked = against_tag();
        asked.if_unmodified_since(date);
        return asked.judge(true);
    };
    CHECK(until(before) == failed);
    CHECK(until(same) == proceed);
    CHECK(until(later) == proceed);
    CHECK(until("yesterday") == proceed);
    auto writing = against_tag();
    writing.if_modified_since(same);
    CHECK(writing.judge(false) == proceed);
    auto twice = against_tag();
    twice.if_modified_since(same);
    twice.if_modified_since(same);
    CHECK(twice.judge(true) == proceed);
}

TEST_CASE("a tag goes before a date (RFC 9110 section 13.2.2)") {
    auto asked = against_tag();
    asked.if_none_match("\"b\"");
    asked.if_modified_since(same);
    CHECK(asked.judge(true) == proceed);
    asked = against_tag();
    asked.if_none_match("\"a\"");
    asked.if_modified_since(before);
    CHECK(asked.judge(true) == not_modified);
    asked = against_tag();
    asked.if_match("\"a\"");
    asked.if_unmodified_since(before);
    CHECK(asked.judge(true) == proceed);
    asked = against_tag();
    asked.if_match("\"b\"");
    asked.if_none_match("\"a\"");
    CHECK(asked.judge(true) == failed);
}

TEST_CASE("without validators only the star matches") {
    preconditions asked({}, now);
    asked.if_none_match("\"a\"");
    asked.if_modified_since(later);
    asked.if_unmodified_since(before);
    CHECK(asked.judge(true) == proceed);
    asked.if_none_match("*");
    CHECK(asked.judge(true) == not_modified);
}

TEST_CASE("If-Range holds for the same strong tag or the exact date, once, and for nothing else") {
    for (std::string_view const value : {std::string_view("\"a\""), same}) {
        CAPTURE(value);
        auto asked = against_tag();
        asked.if_range(value);
        CHECK(asked.range_counts());
        asked.if_range(value);
        CHECK_FALSE(asked.range_counts());
    }
    for (std::string_view const value :
         {std::string_view("W/\"a\""), std::string_view("\"b\""), std::string_view("\"a\", \"b\""),
          std::string_view("*"), std::string_view(""), before, later}) {
        CAPTURE(value);
        auto asked = against_tag();
        asked.if_range(value);
        CHECK_FALSE(asked.range_counts());
    }
    preconditions fresh({.modified = changed}, changed);
    fresh.if_range(same);
    CHECK_FALSE(fresh.range_counts());
}
