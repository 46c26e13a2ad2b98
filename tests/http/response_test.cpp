// response: how values become answers, and what that costs.
#include "rill/http/response.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "rill/base/error.hpp"
#include "support/allocation_count.hpp"

using namespace rill;

namespace shop {

struct order {
    int id;
};

http::response to_response(order const& value) {
    return http::text("order " + std::to_string(value.id), http::status::created);
}

}  // namespace shop

TEST_CASE("a string literal becomes a 200 of plain text without a copy or an allocation") {
    static constexpr char text[] = "Hello, World! This is longer than a short string.";
    std::size_t const before = test::allocation_count();
    {
        http::response answer = http::to_response(text);
        http::response const moved(std::move(answer));
        CHECK(moved.text().data() == text);
        CHECK(moved.text().size() == sizeof(text) - 1);
        CHECK(moved.body_size() == sizeof(text) - 1);
        CHECK(moved.status() == http::status::ok);
        CHECK(moved.content_type() == "text/plain; charset=utf-8");
        CHECK(moved.headers().empty());
    }
    CHECK(test::allocation_count() == before);
    CHECK(http::to_response(http::literal("x")).text() == "x");
}

TEST_CASE("strings, statuses, answers and types of one's own become answers") {
    using http::to_response;
    CHECK(to_response(std::string("abc")).text() == "abc");
    CHECK(to_response(http::status::created).status() == http::status::created);
    CHECK(to_response(http::status::created).content_type().empty());
    CHECK(to_response(http::html("<p>")).content_type() == "text/html; charset=utf-8");
    CHECK(to_response(shop::order{7}).text() == "order 7");
    CHECK(to_response(shop::order{7}).status() == http::status::created);
}

TEST_CASE("a field for the content type goes before the body's own") {
    http::response answer = http::text("a,b");
    answer.headers().set("Content-Type", "text/csv");
    CHECK(answer.content_type() == "text/csv");
    CHECK(answer.default_content_type().view() == "text/plain; charset=utf-8");
}

TEST_CASE("a redirect says where to go and refuses a line break") {
    // RFC 9110 section 10.2.2; case C023.
    http::response const answer = http::redirect("/x");
    CHECK(answer.status() == http::status::found);
    CHECK(answer.headers().get("location") == "/x");
    CHECK(http::redirect("/x", http::status::see_other).status() == http::status::see_other);
    CHECK_THROWS_AS(static_cast<void>(http::redirect("/x\r\nSet-Cookie: a=b")), error);
}

TEST_CASE("a problem becomes a JSON document with its status") {
    // RFC 9457 section 3.
    http::problem const p(404, "no such user");
    CHECK(std::string_view(p.what()) == "404 Not Found: no such user");
    http::response const answer = http::to_response(p);
    CHECK(answer.status() == http::status::not_found);
    CHECK(answer.content_type() == "application/problem+json");
    CHECK(answer.text() ==
          "{\"title\":\"Not Found\",\"status\":404,\"detail\":\"no such user\"}\n");
    CHECK(http::problem(http::status::conflict).json() ==
          "{\"title\":\"Conflict\",\"status\":409}\n");
    CHECK(http::problem(499, "x").json() == "{\"status\":499,\"detail\":\"x\"}\n");
}

TEST_CASE("a problem has the members of RFC 9457 and some of its own") {
    // RFC 9457 sections 3.1, 3.2 and 4.2.1.
    auto const throw_it = [] {
        throw http::problem(403, "the account holds 30")
            .set_type("https://example.com/no-credit")
            .set_title("Not enough \"credit\"")
            .set_instance("/account/12345/msgs/abc")
            .set_member("balance", 30)
            .set_member("rate", 0.5)
            .set_member("none", 0.0 / 0.0)
            .set_member("is_open", true)
            .set_member("account", "/account/\n12345");
    };
    try {
        throw_it();
    } catch (http::problem const& p) {
        CHECK(p.json() ==
              "{\"type\":\"https://example.com/no-credit\",\"title\":\"Not enough \\\"credit\\\"\","
              "\"status\":403,\"detail\":\"the account holds 30\","
              "\"instance\":\"/account/12345/msgs/abc\",\"balance\":30,\"rate\":0.5,\"none\":null,"
              "\"is_open\":true,\"account\":\"/account/\\u000a12345\"}\n");
    }
    http::problem numbers(400);
    numbers.set_member("most", std::numeric_limits<std::uint64_t>::max())
        .set_member("least", std::numeric_limits<std::int64_t>::min());
    CHECK(numbers.json().find("\"most\":18446744073709551615,\"least\":-9223372036854775808}") !=
          std::string::npos);
    CHECK(http::problem(499).set_instance("/x").json() == "{\"status\":499,\"instance\":\"/x\"}\n");
    for (char const* name : {"status", "detail", "ab", "1ab", "a-b", "", "a\"b"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(http::problem(400).set_member(name, 1), error);
    }
}

TEST_CASE("a content type is looked at when it is set (C023)") {
    // RFC 9110 section 5.5.
    using http::content;
    CHECK_THROWS_AS(
        static_cast<void>(content(std::string("x"), http::literal("text/plain\r\nInjected: yes"))),
        error);
    CHECK_THROWS_AS(static_cast<void>(content(std::string("x"), http::literal("text/\0plain"))),
                    error);
    static char at_run_time[] = "text/plain\nInjected: yes";
    http::literal const type{http::detail::program_text{at_run_time}};
    CHECK_THROWS_AS(static_cast<void>(content(std::string("x"), type)), error);
    http::response answer = http::text("x");
    CHECK_THROWS_AS(answer.set_body(std::string("y"), type), error);
    CHECK(answer.text() == "x");
    at_run_time[10] = ';';
    CHECK(content(std::string("x"), type).content_type() == "text/plain;Injected: yes");
}

TEST_CASE("text from a client cannot break a problem's JSON") {
    // RFC 8259 sections 7 and 8.1.
    std::string const detail = std::string("a\"b\\c\n") + '\0' + "\xff\xe4\xb8\xad\xed\xa0\x80";
    CHECK(http::problem(400, detail).json() ==
          "{\"title\":\"Bad Request\",\"status\":400,\"detail\":"
          "\"a\\\"b\\\\c\\u000a\\u0000\\ufffd\xe4\xb8\xad\\ufffd\\ufffd\\ufffd\"}\n");
}

TEST_CASE("a file is given back once, also when its answer is moved or replaced") {
    static int released = 0;
    static int last = -1;
    released = 0;
    auto const release = [](void*, int descriptor) noexcept {
        ++released;
        last = descriptor;
    };
    {
        http::response answer(http::status::ok, http::file_range(7, 10, 20, release),
                              http::content_types::binary);
        http::response moved(std::move(answer));
        http::response assigned;
        assigned = std::move(moved);
        CHECK(assigned.body_size() == 20);
        CHECK(assigned.text().empty());
        CHECK(std::get<http::file_range>(assigned.body()).offset() == 10);
        CHECK(released == 0);
        assigned.set_body(http::file_range(8, 0, 1, release), http::content_types::binary);
        CHECK(released == 1);
        CHECK(last == 7);
    }
    CHECK(released == 2);
    CHECK(last == 8);
}
