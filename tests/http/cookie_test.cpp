// Cookies: set, read, removed and signed. RFC 6265 sections 4, 5.3 and 5.4; case C023.
#include "rill/http/cookie.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "rill/base/error.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"
#include "support/request_maker.hpp"

using namespace rill;
using namespace std::chrono_literals;
using http::cookie;
using http::cookie_keys;
using test::request_maker;

namespace {

bool is_refused(cookie const& value) {
    try {
        static_cast<void>(http::text_of(value));
    } catch (error const& why) {
        return why.code() == std::errc::invalid_argument;
    }
    return false;
}

std::string all_set(http::response const& answer) {
    std::string all;
    for (http::field const each : answer.headers()) all.append(each.value) += '\n';
    return all;
}

constexpr std::string_view old_key = "0123456789abcdef0123456789abcdef";
constexpr std::string_view new_key = "fedcba9876543210fedcba9876543210";

}  // namespace

TEST_CASE("a cookie as it stands is for this host, for TLS, and not for scripts") {
    CHECK(http::text_of({.name = "id", .value = "7"}) ==
          "id=7; Path=/; Secure; HttpOnly; SameSite=Lax");
}

TEST_CASE("every attribute is written, in the form of RFC 6265") {
    CHECK(http::text_of({.name = "__Secure-a",
                         .value = "v/w=",
                         .path = "/shop",
                         .domain = "example.org",
                         .max_age = 3600s,
                         .expires = std::chrono::sys_seconds(784111777s),
                         .same_site = http::same_site::none,
                         .partitioned = true}) ==
          "__Secure-a=v/w=; Domain=example.org; Path=/shop; Max-Age=3600; "
          "Expires=Sun, 06 Nov 1994 08:49:37 GMT; Secure; HttpOnly; SameSite=None; Partitioned");
    CHECK(http::text_of({.name = "a",
                         .path = "",
                         .max_age = -5s,
                         .secure = false,
                         .http_only = false,
                         .same_site = http::same_site::strict}) ==
          "a=; Max-Age=0; SameSite=Strict");
}

TEST_CASE("what a browser would drop or take for something else is refused (C023)") {
    for (std::string_view const bad : {"a\r\nb: c", "a;b", "a b", "a,b", "\"a\"", "a\\b"}) {
        CAPTURE(bad);
        CHECK(is_refused({.name = "n", .value = bad}));
        CHECK(is_refused({.name = bad, .value = "v"}));
    }
    CHECK(is_refused({.name = "n", .value = std::string_view("a\0b", 3)}));
    CHECK(is_refused({.name = "", .value = "v"}));
    CHECK(is_refused({.name = "a=b"}));
    for (std::string_view const bad : {"a", "/;x", "/\r\nSet-Cookie: b=c"}) {
        CHECK(is_refused({.name = "n", .path = bad}));
    }
    for (std::string_view const bad : {".a", "a;b", "a b", "a\r\n"}) {
        CHECK(is_refused({.name = "n", .domain = bad}));
    }
    CHECK(is_refused({.name = "n", .expires = std::chrono::sys_days(1600y / 12 / 31)}));
    CHECK(is_refused({.name = "n", .expires = std::chrono::sys_days(10000y / 1 / 1)}));
    CHECK(is_refused({.name = "n", .secure = false, .same_site = http::same_site::none}));
    CHECK(is_refused({.name = "n", .secure = false, .partitioned = true}));
}

TEST_CASE("a name with a prefix keeps the prefix's promise, whatever its case") {
    CHECK_FALSE(is_refused({.name = "__Host-id"}));
    CHECK(is_refused({.name = "__Host-id", .secure = false}));
    CHECK(is_refused({.name = "__hOST-id", .path = "/a"}));
    CHECK(is_refused({.name = "__Host-id", .path = ""}));
    CHECK(is_refused({.name = "__Host-id", .domain = "example.org"}));
    CHECK_FALSE(is_refused({.name = "__Secure-id", .domain = "example.org"}));
    CHECK(is_refused({.name = "__SECURE-id", .secure = false}));
}

TEST_CASE("name and value share 4096 bytes") {
    std::string const most(4096 - 1, 'v');
    CHECK_FALSE(is_refused({.name = "n", .value = most}));
    CHECK(is_refused({.name = "nn", .value = most}));
    std::string const path = "/" + std::string(1023, 'p');
    CHECK_FALSE(is_refused({.name = "n", .path = path}));
    std::string const longer = path + "p";
    CHECK(is_refused({.name = "n", .path = longer}));
}

TEST_CASE("an answer sets a cookie once, and cookies of other places beside it") {
    http::response answer;
    answer.set_cookie({.name = "a", .value = "1"});
    answer.set_cookie({.name = "ab", .value = "2"});
    answer.set_cookie({.name = "a", .value = "3", .path = "/x"});
    answer.set_cookie({.name = "a", .value = "4", .path = ""});
    answer.set_cookie({.name = "a", .value = "5", .domain = "b.c"});
    answer.set_cookie({.name = "a", .value = "6", .max_age = 1s, .http_only = false});
    CHECK(all_set(answer) ==
          "ab=2; Path=/; Secure; HttpOnly; SameSite=Lax\n"
          "a=3; Path=/x; Secure; HttpOnly; SameSite=Lax\n"
          "a=4; Secure; HttpOnly; SameSite=Lax\n"
          "a=5; Domain=b.c; Path=/; Secure; HttpOnly; SameSite=Lax\n"
          "a=6; Path=/; Max-Age=1; Secure; SameSite=Lax\n");
}

TEST_CASE("a cookie that is removed is empty, and past by both clocks") {
    http::response answer;
    answer.set_cookie({.name = "a", .value = "1", .max_age = 60s});
    answer.remove_cookie({.name = "a"});
    CHECK(all_set(answer) ==
          "a=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure; HttpOnly; "
          "SameSite=Lax\n");
}

TEST_CASE("a cookie that is refused leaves the answer as it was") {
    http::response answer;
    answer.set_cookie({.name = "a", .value = "1"});
    std::string const before = all_set(answer);
    CHECK_THROWS_AS(answer.set_cookie({.name = "a", .value = "1\r\nb: c"}), error);
    CHECK(all_set(answer) == before);
}

TEST_CASE("a request gives the first cookie of a name, from all of its fields") {
    request_maker made(
        http::method::get, "/",
        {{"Host", "a"}, {"Cookie", "a=1; b=\"two\"; a=2; A=3"}, {"cookie", "c=x=y; b=4; e="}});
    CHECK(made.req.cookie("a") == "1");
    CHECK(made.req.cookie("A") == "3");
    CHECK(made.req.cookie("b") == "two");
    CHECK(made.req.cookie("c") == "x=y");
    CHECK(made.req.cookie("e") == "");
    CHECK_FALSE(made.req.cookie("d"));
    CHECK_FALSE(made.req.cookie(""));
    CHECK_FALSE(http::request().cookie("a"));
}

TEST_CASE("a signed value comes back for its own name and key, and in no other way") {
    cookie_keys const keys(old_key);
    std::string const text = keys.sign("user", "7.x");
    CHECK(text.starts_with("7.x."));
    CHECK(text.size() == 3 + 44);
    CHECK(keys.verify("user", text) == "7.x");
    CHECK_FALSE(keys.verify("admin", text));
    CHECK_FALSE(keys.verify("use", "r=" + text));
    CHECK_FALSE(cookie_keys(new_key).verify("user", text));
    for (std::size_t i = 0; i < text.size(); ++i) {
        CAPTURE(i);
        std::string changed = text;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        CHECK_FALSE(keys.verify("user", changed));
        CHECK_FALSE(keys.verify("user", std::string_view(text).substr(0, i)));
        CHECK_FALSE(keys.verify("user", std::string_view(text).substr(i + 1)));
    }
    CHECK_FALSE(keys.verify("user", text + "="));
    CHECK(keys.verify("user", keys.sign("user", "")) == "");
}

TEST_CASE("keys are changed by putting a new one in front") {
    std::string const before = cookie_keys(old_key).sign("a", "1");
    std::array<std::string_view, 2> const both{new_key, old_key};
    cookie_keys const keys(both);
    CHECK(keys.verify("a", before) == "1");
    CHECK(keys.sign("a", "1") == cookie_keys(new_key).sign("a", "1"));
    CHECK_THROWS_AS(cookie_keys("fifteen bytes.."), error);
    CHECK_NOTHROW(cookie_keys("sixteen bytes..."));
    std::array<std::string_view, 9> many{};
    many.fill(old_key);
    CHECK_THROWS_AS(cookie_keys{many}, error);
    CHECK_NOTHROW(cookie_keys(std::span(many).first(8)));
    CHECK_THROWS_AS(cookie_keys(std::span(many).first(0)), error);
}

TEST_CASE("a signed cookie goes from an answer into a request") {
    cookie_keys const keys(old_key);
    http::response answer;
    answer.set_cookie({.name = "user", .value = "7"}, keys);
    answer.set_cookie({.name = "user", .value = "8"}, keys);
    std::string const set = all_set(answer);
    std::string const pair = set.substr(0, set.find(';'));
    request_maker made(http::method::get, "/", {{"Host", "a"}, {"Cookie", pair}});
    CHECK(made.req.cookie("user", keys) == "8");
    CHECK_FALSE(made.req.cookie("user", cookie_keys(new_key)));
    CHECK_FALSE(made.req.cookie("other", keys));
    CHECK_THROWS_AS(answer.set_cookie({.name = "user", .value = "a b"}, keys), error);
    std::string const most(4096 - 4 - 44, 'v');
    CHECK_NOTHROW(answer.set_cookie({.name = "user", .value = most}, keys));
    std::string const more = most + "v";
    CHECK_THROWS_AS(answer.set_cookie({.name = "user", .value = more}, keys), error);
}
