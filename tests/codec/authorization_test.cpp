// Credentials in Authorization. RFC 9110 section 11, RFC 7617 section 2.
#include "rill/codec/authorization.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace rill;

TEST_CASE("credentials are a scheme and what follows it") {
    auto const basic = codec::parse_credentials(" Basic   abc== ");
    REQUIRE(basic);
    CHECK(basic->is("basic"));
    CHECK(basic->rest == "abc==");
    CHECK(codec::parse_credentials("Negotiate")->rest.empty());
    CHECK_FALSE(codec::parse_credentials(""));
    CHECK_FALSE(codec::parse_credentials("a=b c"));
}

TEST_CASE("a token68 is letters, digits and a few signs, and only at its end '='") {
    CHECK(codec::is_token68("mF_9.B5f-4.1JqM"));
    CHECK(codec::is_token68("a+/~=="));
    for (auto const* bad : {"", "=", "a=b", "a b", "a,b", "a\"", "a:b"}) {
        CAPTURE(bad);
        CHECK_FALSE(codec::is_token68(bad));
    }
}

TEST_CASE("a name and a password are base64 of a text with a colon, in one spelling") {
    auto const aladdin = codec::parse_basic("QWxhZGRpbjpvcGVuIHNlc2FtZQ==");  // RFC 7617
    REQUIRE(aladdin);
    CHECK(aladdin->user == "Aladdin");
    CHECK(aladdin->password == "open sesame");
    auto const umlaut = codec::parse_basic("dGVzdDoxMjPCow==");
    REQUIRE(umlaut);
    CHECK(umlaut->password == "123\xc2\xa3");
    CHECK(codec::parse_basic("Og==")->user.empty());           // ":"
    CHECK(codec::parse_basic("YTpiOmM=")->password == "b:c");  // "a:b:c"
    for (auto const* bad : {"", "YWJj", "QWxhZGRpbjpvcGVuIHNlc2FtZQ",
                            "Og=", "Oh==", "O===", "YTp\nYg==", "YTpi=", "YToA", "YTp_"}) {
        CAPTURE(bad);
        CHECK_FALSE(codec::parse_basic(bad));
    }
}

TEST_CASE("parameters are names with tokens or quoted strings, and end at what is none") {
    codec::auth_parameter_reader all(R"(a=b, C = "x, \"y\"" ,, d="")");
    auto const first = all.next();
    REQUIRE(first);
    CHECK(first->value == "b");
    auto const second = all.next();
    REQUIRE(second);
    CHECK(second->name == "C");
    CHECK(http1::unquote(second->value) == "x, \"y\"");
    CHECK(all.next()->value == "\"\"");
    CHECK_FALSE(all.next());
    CHECK_FALSE(all.failed());
    for (auto const* bad : {"a", "a=", "=b", "a=\"", "a=\"b\"c", "a=\"\\\"", "a=b c"}) {
        CAPTURE(bad);
        codec::auth_parameter_reader one(bad);
        CHECK_FALSE(one.next());
        CHECK(one.failed());
    }
}
