// Names of requests and their traces. W3C Trace Context.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "rill/codec/trace_context.hpp"
#include "rill/web/middleware/request_id.hpp"
#include "rill/web/middleware/trace_context.hpp"
#include "rill/web/router.hpp"
#include "support/sim.hpp"

using namespace rill;
using http::method;
using web::call_request;

TEST_CASE("each request has a name of its own, and a client's where that is wanted and is one") {
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::request_id());
        auto& inner = app.group("/trusted");
        inner.use(web::request_id({.field = "x-trace", .from_client = true}));
        auto const name = [](http::request& req) { return std::string(web::request_id_of(req)); };
        app.get("/", name);
        inner.get("", name);
        auto const one =
            co_await app.call(call_request(method::get, "/").field("x-request-id", "a"));
        auto const two = co_await app.call(call_request(method::get, "/"));
        CHECK(one.text().size() == 32);
        CHECK(one.text() == one.headers().get("x-request-id"));
        CHECK(one.text() != two.text());
        auto const sent = [&](std::string const& id) -> task<std::string> {
            call_request of(method::get, "/trusted");
            of.field("x-trace", id);
            auto const answer = co_await app.call(of);
            co_return std::string(answer.text());
        };
        std::string const kept = co_await sent("abc-1_2.3");
        CHECK(kept == "abc-1_2.3");
        std::string const longest = co_await sent(std::string(128, 'a'));
        CHECK(longest == std::string(128, 'a'));
        std::string const too_long = co_await sent(std::string(129, 'a'));
        CHECK(too_long.size() == 32);
        std::string const malformed = co_await sent("a b");
        CHECK(malformed.size() == 32);
    });
    CHECK_THROWS(web::request_id({.field = "a b"}));
}

TEST_CASE("a request goes on with the trace of its caller, or begins one") {
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::trace_context());
        app.get("/", [](http::request& req) {
            web::trace const& of = *web::trace_of(req);
            CHECK(codec::parse_trace_parent(of.parent_header()));
            return std::string(of.trace_id) + " " + std::string(of.parent_id) + " " +
                   (of.sampled ? "sampled " : "") + std::string(of.state);
        });
        constexpr auto parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        auto const joined = co_await app.call(call_request(method::get, "/")
                                                  .field("traceparent", parent)
                                                  .field("tracestate", "a=1")
                                                  .field("tracestate", "b=2"));
        CHECK(joined.text() == "4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7 sampled a=1,b=2");
        std::string const longest(512, 'x');
        auto const whole = co_await app.call(call_request(method::get, "/")
                                                 .field("traceparent", parent)
                                                 .field("tracestate", longest));
        CHECK(whole.text().ends_with(" " + longest));
        auto const large = co_await app.call(call_request(method::get, "/")
                                                 .field("traceparent", parent)
                                                 .field("tracestate", std::string(513, 'x')));
        CHECK(large.text() == "4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7 sampled ");
        auto const begun = co_await app.call(call_request(method::get, "/"));
        CHECK(begun.text().size() == 34);
        auto const twice = co_await app.call(call_request(method::get, "/")
                                                 .field("traceparent", parent)
                                                 .field("traceparent", parent));
        CHECK(twice.text().size() == 34);
        auto const bad = co_await app.call(
            call_request(method::get, "/").field("traceparent", "00-x").field("tracestate", "a=1"));
        CHECK(bad.text().size() == 34);
    });
}
