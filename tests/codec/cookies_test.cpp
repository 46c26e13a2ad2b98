// Cookie fields and the texts of cookies. RFC 6265 sections 4.1.1 and 4.2.1.
#include "rill/codec/cookies.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace rill::codec;

namespace {

std::string read(std::string_view field) {
    std::string all;
    cookie_reader cookies(field);
    while (auto const one = cookies.next()) {
        all.append(one->name).append("=").append(one->value) += '|';
    }
    return all;
}

}  // namespace

TEST_CASE("a Cookie field is pairs with semicolons between them, in order") {
    CHECK(read("a=1; b=2; a=3") == "a=1|b=2|a=3|");
    CHECK(read("a=1;b=2;;  c = 3 ; ") == "a=1|b=2|c=3|");
    CHECK(read("a=b=c; d=") == "a=b=c|d=|");
    CHECK(read("").empty());
    CHECK(read(";;=;").empty());
}

TEST_CASE("quotes around a value are not part of it, and quote no semicolon") {
    // A reader that takes the quotes of RFC 2109 for more finds the second cookie inside the first.
    CHECK(read("a=\"1\"; b=\"\"; c=\"") == "a=1|b=|c=\"|");
    CHECK(read("$Version=1; a=\"x; session=secret; b=y\"") ==
          "$Version=1|a=\"x|session=secret|b=y\"|");
}

TEST_CASE("what has no name, or one that is no token, is left out") {
    CHECK(read("lonely; =value; a b=1; a,b=2; \"q\"=3; ok=4") == "ok=4|");
    // Only space and tab are white space: this is not the name __Host-id.
    CHECK(read("\xe2\x80\x80__Host-id=1; \x85__Host-id=2; \t__Host-id=3") == "__Host-id=3|");
}

TEST_CASE("values of cookies are what any browser keeps unchanged") {
    CHECK(is_cookie_value(""));
    CHECK(is_cookie_value("aZ09!#$%&'()*+-./:<=>?@[]^_`{|}~"));
    for (std::string_view const bad :
         {" ", "a b", "a,b", "a;b", "a\"b", "\"a\"", "a\\b", "a\r\nb", "\x7f", "\xc3\xa4"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_cookie_value(bad));
    }
    CHECK_FALSE(is_cookie_value({"\0", 1}));
}

TEST_CASE("paths and domains of cookies have nothing that begins another attribute") {
    CHECK(is_cookie_path("/"));
    CHECK(is_cookie_path("/a b/%41"));
    for (std::string_view const bad : {"", "a", "/;Domain=x", "/\r\n", "/\x7f", "/\xc3\xa4"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_cookie_path(bad));
    }
    CHECK(is_cookie_domain("example.org"));
    CHECK(is_cookie_domain("a-1.b"));
    for (std::string_view const bad :
         {"", ".", ".a", "a.", "a..b", "a b", "a;b", "a:80", "\xc3\xa4"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_cookie_domain(bad));
    }
}
