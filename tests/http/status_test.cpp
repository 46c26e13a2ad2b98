// Status codes and methods: names both ways.
#include "rill/http/status.hpp"

#include <doctest/doctest.h>

#include "rill/http/method.hpp"

using namespace rill;

TEST_CASE("a status knows its digits and its registered phrase") {
    CHECK(http::code_of(http::status::not_found) == 404);
    CHECK(http::reason(http::status::not_found) == "Not Found");
    CHECK(http::reason(static_cast<http::status>(413)) == "Content Too Large");
    CHECK(http::reason(static_cast<http::status>(299)).empty());
}

TEST_CASE("1xx, 204 and 304 forbid content, and nothing else does") {
    // RFC 9110 section 6.4.1.
    CHECK(http::forbids_content(http::status::continue_));
    CHECK(http::forbids_content(http::status::no_content));
    CHECK(http::forbids_content(http::status::not_modified));
    CHECK_FALSE(http::forbids_content(http::status::ok));
    CHECK_FALSE(http::forbids_content(http::status::not_found));
}

TEST_CASE("each method is found by its own name and case matters") {
    // RFC 9110 section 9.1.
    for (unsigned i = 0; i < static_cast<unsigned>(http::method::other); ++i) {
        auto const method = static_cast<http::method>(i);
        CHECK_FALSE(http::name_of(method).empty());
        CHECK(http::find_method(http::name_of(method)) == method);
    }
    CHECK(http::find_method("get") == http::method::other);
    CHECK(http::find_method("") == http::method::other);
    CHECK(http::name_of(http::method::other).empty());
    CHECK(http::name_of(http::method::delete_) == "DELETE");
    CHECK(http::name_of(http::method::m_search) == "M-SEARCH");
}
