// What a client takes. RFC 9110 sections 12.5.1, 12.5.4, 12.5.5 and 15.5.7.
#include <doctest/doctest.h>

#include "rill/base/error.hpp"
#include "rill/http/problem.hpp"
#include "rill/http/response.hpp"
#include "support/request_maker.hpp"

using namespace rill;
using test::request_maker;

TEST_CASE(
    "of the types that an answer has, the client's favourite is chosen, of equals the first") {
    auto const best = [](std::string_view accept) {
        request_maker made(http::method::get, "/", {{"Host", "a"}, {"Accept", accept}});
        return std::string(made.req.accepts({"text/html", "application/json"}).value_or("none"));
    };
    CHECK(best("text/html") == "text/html");
    CHECK(best("application/json") == "application/json");
    CHECK(best("*/*") == "text/html");
    CHECK(best("text/*;q=0.5, application/json;q=0.6") == "application/json");
    CHECK(best("text/html;q=0, */*") == "application/json");
    CHECK(best("image/png") == "none");
    CHECK(best("*/*;q=0") == "none");
    CHECK(http::request().accepts({"a/b"}) == "a/b");
    CHECK_FALSE(http::request().accepts({}));
}

TEST_CASE("several Accept fields are one list") {
    request_maker made(
        http::method::get, "/",
        {{"Host", "a"}, {"Accept", "text/html;q=0.1"}, {"accept", "a/b, c/d;q=0.5"}});
    CHECK(made.req.accepts({"text/html", "c/d", "a/b"}) == "a/b");
    CHECK(made.req.accepts({"text/html", "c/d"}) == "c/d");
}

TEST_CASE("an answer that must be accepted and is not is a 406 that says what there is") {
    request_maker made(http::method::get, "/", {{"Host", "a"}, {"Accept", "image/*"}});
    CHECK(made.req.must_accept({"text/html", "image/png"}) == "image/png");
    try {
        static_cast<void>(made.req.must_accept({"text/html", "application/json"}));
        FAIL("it was accepted");
    } catch (http::problem const& why) {
        CHECK(why.status() == http::status::not_acceptable);
        CHECK(why.detail() == "the answer is there as text/html, application/json");
    }
}

TEST_CASE("languages are chosen by the longest range that fits") {
    auto const best = [](std::string_view accepted) {
        request_maker made(http::method::get, "/", {{"Host", "a"}, {"Accept-Language", accepted}});
        return std::string(made.req.accepts_language({"en", "de-CH", "fr"}).value_or("none"));
    };
    CHECK(best("de") == "de-CH");
    CHECK(best("DE-ch;q=0.5, fr;q=0.6") == "fr");
    CHECK(best("de-AT, en-GB;q=0.9") == "en");
    CHECK(best("en-US") == "en");
    CHECK(best("*;q=0.1, fr;q=0.2") == "fr");
    CHECK(best("en;q=0, *") == "de-CH");
    CHECK(best("it, e, de-C") == "none");
}

TEST_CASE("Vary lists each field once, and a star is everything") {
    http::response answer;
    answer.vary("Accept");
    answer.vary("accept");
    answer.vary("Accept-Language");
    CHECK(answer.headers().get("vary") == "Accept, Accept-Language");
    answer.headers().add("Vary", "Origin");
    answer.vary("origin");
    answer.vary("Cookie");
    CHECK(answer.headers().get("vary") == "Accept, Accept-Language, Origin, Cookie");
    answer.headers().set("vary", "*");
    answer.vary("Accept");
    CHECK(answer.headers().get("vary") == "*");
    CHECK_THROWS_AS(http::response().vary("a\r\nb"), error);
}
