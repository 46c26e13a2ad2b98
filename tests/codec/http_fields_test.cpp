// Tokens, values, lists and quoted strings (RFC 9110 section 5).
#include "rill/codec/http_fields.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "rill/codec/http_method.hpp"

using namespace std::literals;
using namespace rill::http1;

namespace {

std::vector<std::string> elements(std::string_view list) {
    std::vector<std::string> found;
    list_reader reader(list);
    while (auto const element = reader.next()) found.emplace_back(*element);
    return found;
}

}  // namespace

TEST_CASE("every known field is found by its name in any case, and by no other") {
    for (std::size_t i = 0; i < known_field_count; ++i) {
        auto const which = static_cast<known_field>(i);
        std::string name(name_of(which));
        CAPTURE(name);
        CHECK(find_known_field(name) == which);
        std::string upper = name;
        for (char& c : upper) {
            if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
        }
        CHECK(find_known_field(upper) == which);
        CHECK(find_known_field(name + "x") != which);
        CHECK(find_known_field(name.substr(1)) != which);
        for (char& c : name) {
            char const kept = c;
            c = kept == '-' ? '_' : '-';
            CHECK(find_known_field(name) != which);
            c = static_cast<char>(kept ^ 0x40);
            CHECK(find_known_field(name) != which);
            c = kept;
        }
    }
    CHECK(find_known_field("") == known_field::none);
    CHECK(find_known_field("a") == known_field::none);
    CHECK(find_known_field("ho\0t"sv) == known_field::none);
    CHECK(name_of(known_field::none).empty());
}

TEST_CASE("letters compare without case and nothing else does") {
    CHECK(equal_ignoring_case("aBz-1", "AbZ-1"));
    CHECK_FALSE(equal_ignoring_case("a", "ab"));
    CHECK_FALSE(equal_ignoring_case("[", "{"));
    CHECK_FALSE(equal_ignoring_case("@", "`"));
    CHECK(equal_ignoring_case("", ""));
}

TEST_CASE("a list gives its elements, without empty ones, and splits no quoted string") {
    // RFC 9110 section 5.6.1.2.
    using strings = std::vector<std::string>;
    CHECK(elements("a, b ,\tc") == strings{"a", "b", "c"});
    CHECK(elements(" , ,a,, ") == strings{"a"});
    CHECK(elements("").empty());
    CHECK(elements("a=\"b, c\", d") == strings{"a=\"b, c\"", "d"});
    CHECK(elements("\"a\\\", b\", c") == strings{"\"a\\\", b\"", "c"});
    CHECK(elements("\"a, b") == strings{"\"a, b"});
    CHECK(elements("\"a\\") == strings{"\"a\\"});
    CHECK(list_contains("keep-alive, Upgrade", "upgrade"));
    CHECK_FALSE(list_contains("upgraded", "upgrade"));
}

TEST_CASE("a quoted string gives its text, and a malformed one nothing") {
    // RFC 9110 section 5.6.4.
    CHECK(unquote("\"a b\"") == "a b");
    CHECK(unquote("\"\"") == "");
    CHECK(unquote("\"a\\\"\\\\b\"") == "a\"\\b");
    for (std::string_view const bad : {""sv, "a"sv, "\""sv, "\"a"sv, "a\""sv, "\"a\"b\""sv,
                                       "\"a\\\""sv, "\"\n\""sv, "\"\\\n\""sv}) {
        CAPTURE(bad);
        CHECK_FALSE(unquote(bad));
    }
}

TEST_CASE("tokens and values hold only the characters that their grammar names") {
    // RFC 9110 sections 5.5 and 5.6.2.
    for (unsigned c = 0; c < 256; ++c) {
        std::string const text(1, static_cast<char>(c));
        CAPTURE(c);
        bool const alphanumeric =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool const mark = c != 0 && "!#$%&'*+-.^_`|~"sv.find(text[0]) != ""sv.npos;
        CHECK(is_token(text) == (alphanumeric || mark));
        bool const value = (c >= 0x20 && c != 0x7f) || c == '\t';
        CHECK(is_field_value(text) == value);
        for (std::size_t const place :
             {std::size_t{0}, std::size_t{15}, std::size_t{16}, std::size_t{20}}) {
            std::string longer(21, 'a');
            longer[place] = text[0];
            CHECK(is_field_value(longer) == value);
        }
    }
    CHECK(is_field_value(""));
    CHECK_FALSE(is_token(""));
}

TEST_CASE("a length is digits below 2^63") {
    CHECK(parse_length("0") == 0);
    CHECK(parse_length("9223372036854775807") == 9223372036854775807U);
    for (std::string_view const bad : {"", "9223372036854775808", "-1", "+1", " 1", "1 ", "0x1"}) {
        CHECK_FALSE(parse_length(bad));
    }
}

TEST_CASE("a host is a name or an address and perhaps a port") {
    // RFC 3986 section 3.2, RFC 9110 section 7.2.
    for (std::string_view const good :
         {"", "a", "a.b-c_d~", "a:80", "a:", "1.2.3.4:65535", "[::1]", "[::1]:80", "[v1.a:b]",
          "a!$&'()*+,;=b", "%41", "very-long-name-of-a-host.example.org:8080"}) {
        CAPTURE(good);
        CHECK(is_host(good));
    }
    for (std::string_view const bad :
         {":",     ":80",  "a:b", "a:80:80", "a:65536", "a:123456", "::1",    "[",       "[]",
          "[]:80", "[::1", "[a]", "[::1]80", "[::g]",   "[v.a]",    "[vg.a]", "[v1.]",   "a]",
          "a/b",   "a@b",  "a b", "a%4",     "a%zz",    "a#",       "a?",     "\xc3\xa4"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_host(bad));
    }
}

TEST_CASE("fields of framing, routing and authentication are forbidden in trailers") {
    // RFC 9110 section 6.5.1.
    for (std::string_view const name :
         {"Content-Length", "transfer-encoding", "HOST", "Authorization", "Set-Cookie", "TE",
          "Content-Type", "Trailer", "Connection", "Cookie", "Expect", "www-authenticate"}) {
        CAPTURE(name);
        CHECK(is_forbidden_trailer(name));
    }
    CHECK_FALSE(is_forbidden_trailer("etag"));
    CHECK_FALSE(is_forbidden_trailer("grpc-status"));
    CHECK_FALSE(is_forbidden_trailer("t"));
}

TEST_CASE("methods are found by their exact names") {
    for (std::string_view const name :
         {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}) {
        CHECK(name_of(find_method(name)) == name);
    }
    CHECK(find_method("get") == method::other);
    CHECK(find_method("") == method::other);
    CHECK(name_of(method::other).empty());
}

TEST_CASE("parameters are names and values between semicolons, quoted ones with their quotes") {
    // RFC 9110 section 5.6.6.
    auto const read = [](std::string_view text) {
        std::string all;
        parameter_reader parameters(text);
        while (auto const one = parameters.next())
            all.append(one->name).append("->").append(one->value) += '|';
        return all + (parameters.failed() ? "failed" : "");
    };
    CHECK(read("").empty());
    CHECK(read(" ; ;; ").empty());
    CHECK(read("a=b") == "a->b|");
    CHECK(read("a=b; C=\"d;e\\\"=\" ;;f=g") == "a->b|C->\"d;e\\\"=\"|f->g|");
    CHECK(read("a=\"\"") == "a->\"\"|");
    for (std::string_view const bad :
         {"a", "a=", "=b", "a =b", "a= b", "a=b c", "a=\"b", "a=\"b\\\"", "a=\"", "a=\"b\"c",
          "a=b,c=d", "a=/", "\"a\"=b", "a=b;\xff=1"}) {
        CAPTURE(bad);
        CHECK(read(bad).ends_with("failed"));
    }
    CHECK(read("ok=1;bad") == "ok->1|failed");
}

TEST_CASE("a media type is two tokens with a slash, without its parameters") {
    // RFC 9110 section 8.3.1.
    CHECK(media_type_of("text/html") == "text/html");
    CHECK(media_type_of(" application/json ; charset=utf-8") == "application/json");
    for (std::string_view const bad :
         {"", "text", "text/", "/html", "text/ html", "a/b/c", ";", "a b/c"}) {
        CAPTURE(bad);
        CHECK(media_type_of(bad).empty());
    }
}
