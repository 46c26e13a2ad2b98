// handler: functions of every allowed shape behind one pointer.
#include "rill/http/handler.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "support/allocation_count.hpp"
#include "support/manual_executor.hpp"

using namespace rill;

namespace {

http::response call(http::handler h, http::request& req) {
    REQUIRE(h.is_plain());
    CHECK_FALSE(h.is_coroutine());
    return h.plain(h.object, req);
}

char const* greet() {
    return "hi";
}

}  // namespace

TEST_CASE("a handler takes a request or nothing and returns any answer") {
    http::request req;
    auto const literal = [] { return "Hello"; };
    auto const path = [](http::request& r) { return std::string(r.path()); };
    auto const constant = [](http::request const& r) { return http::text(std::string(r.path())); };
    auto const status = [] { return http::status::no_content; };
    CHECK(call(http::handler_for(literal), req).text() == "Hello");
    CHECK(call(http::handler_for(path), req).text() == "/");
    CHECK(call(http::handler_for(constant), req).text() == "/");
    CHECK(call(http::handler_for(status), req).status() == http::status::no_content);
    auto* const function = &greet;
    CHECK(call(http::handler_for(function), req).text() == "hi");
}

TEST_CASE("a handler keeps its captures and answers a literal without an allocation") {
    http::request req;
    int calls = 0;
    auto const counting = [&calls] {
        ++calls;
        return "a literal that is longer than a short string would be";
    };
    http::handler const h = http::handler_for(counting);
    std::size_t const before = test::allocation_count();
    for (int i = 0; i < 100; ++i) CHECK(call(h, req).body_size() == 53);
    CHECK(test::allocation_count() == before);
    CHECK(calls == 100);
}

TEST_CASE("a function that returns a task becomes a coroutine handler") {
    test::manual_executor home;
    http::request req;
    auto const whole = [](http::request& r) -> task<http::response> {
        co_return http::text(std::string(r.path()), http::status::accepted);
    };
    auto const converted = []() -> task<std::string> { co_return std::string("later"); };
    auto const literal = []() -> task<char const*> { co_return "literal"; };
    for (http::handler const h :
         {http::handler_for(whole), http::handler_for(converted), http::handler_for(literal)}) {
        REQUIRE(h.is_coroutine());
        CHECK_FALSE(h.is_plain());
        test::root line(home, [&] { return h.coroutine(h.object, req); });
        home.drain();
        http::response const answer = line.take();
        bool const is_whole = answer.status() == http::status::accepted;
        CHECK(answer.text() == (is_whole ? "/" : answer.body_size() == 5 ? "later" : "literal"));
    }
}

namespace {

// Waits for nothing but "/slow".
struct seldom_waits {
    [[nodiscard]] std::optional<http::response> ready(http::request& req) const {
        if (req.path() == "/") return http::text("at once");
        return std::nullopt;
    }
    task<http::response> operator()(http::request& req) const {
        co_return http::text(std::string(req.path()));
    }
};

}  // namespace

TEST_CASE("a handler that seldom waits is asked first whether it has to") {
    http::request req;
    seldom_waits const what;
    http::handler const h = http::handler_for(what);
    bool const asked_first = h.ready != nullptr;
    REQUIRE(asked_first);
    CHECK(h.is_coroutine());
    http::response answer;
    CHECK(h.ready(h.object, req, answer));
    CHECK(answer.text() == "at once");
    auto const other = [](http::request&) -> task<http::response> { co_return http::response(); };
    bool const has_none = http::handler_for(other).ready == nullptr;
    CHECK(has_none);
}

TEST_CASE("what a coroutine handler throws reaches its caller") {
    test::manual_executor home;
    http::request req;
    auto const failing = []() -> task<std::string> {
        throw http::problem(409, "taken");
        co_return std::string();
    };
    http::handler const h = http::handler_for(failing);
    test::root line(home, [&] { return h.coroutine(h.object, req); });
    home.drain();
    CHECK_THROWS_AS(line.take(), http::problem);
}
