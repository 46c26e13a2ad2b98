// Tags of answers, conditions, fields for browsers, and limits of many routes.
#include "rill/web/middleware/etag.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "rill/web/middleware/limits.hpp"
#include "rill/web/middleware/security_headers.hpp"
#include "rill/web/router.hpp"
#include "support/sim.hpp"

using namespace rill;
using http::method;
using web::call_request;

TEST_CASE("an answer in memory has a tag of its bytes, and who has it gets 304") {
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::etag({.most_bytes = 10}));
        app.get("/a", [] { return "text"; });
        app.get("/b", [] { return std::string("text"); });
        app.get("/large", [] { return "eleven byte"; });
        app.get("/own", [] {
            http::response answer = http::text("a longer text");
            answer.headers().set("etag", "\"v1\"");
            answer.headers().set("cache-control", "max-age=5");
            answer.headers().set("content-language", "en");
            return answer;
        });
        app.post("/a", [] { return "text"; });
        auto const a = co_await app.call(call_request(method::get, "/a"));
        std::string const tag(a.headers().get("etag"));
        CHECK(tag == "\"982d9e3eb996f559e633f4d194def376\"");  // sha256sum, its first half
        auto const b = co_await app.call(call_request(method::get, "/b"));
        CHECK(b.headers().get("etag") == tag);
        auto const large = co_await app.call(call_request(method::get, "/large"));
        CHECK_FALSE(large.headers().contains("etag"));
        auto const changed = co_await app.call(call_request(method::post, "/a"));
        CHECK_FALSE(changed.headers().contains("etag"));
        auto const again =
            co_await app.call(call_request(method::get, "/a").field("if-none-match", "W/" + tag));
        CHECK(again.status() == http::status::not_modified);
        CHECK(again.text().empty());
        CHECK(again.headers().get("etag") == tag);
        auto const own =
            co_await app.call(call_request(method::get, "/own").field("if-none-match", "\"v1\""));
        CHECK(own.status() == http::status::not_modified);
        CHECK(own.headers().get("cache-control") == "max-age=5");
        CHECK_FALSE(own.headers().contains("content-language"));
        auto const failed =
            co_await app.call(call_request(method::get, "/own").field("if-match", "\"v2\""));
        CHECK(failed.status() == http::status::precondition_failed);
    });
}

TEST_CASE("browsers are told to be careful, and a handler may say else") {
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::security_headers({.content_security_policy = "default-src 'self'",
                                       .transport_security = std::chrono::seconds(60)}));
        app.get("/x", [] {
            http::response answer = http::text("x");
            answer.headers().set("x-frame-options", "SAMEORIGIN");
            return answer;
        });
        auto const answer = co_await app.call(call_request(method::get, "/x"));
        CHECK(answer.headers().get("x-content-type-options") == "nosniff");
        CHECK(answer.headers().get("x-frame-options") == "SAMEORIGIN");
        CHECK(answer.headers().get("referrer-policy") == "strict-origin-when-cross-origin");
        CHECK(answer.headers().get("content-security-policy") == "default-src 'self'");
        // Never over plain text: RFC 6797 section 7.2.
        CHECK_FALSE(answer.headers().contains("strict-transport-security"));
    });
    CHECK_THROWS(web::security_headers({.referrer_policy = "a\nb"}));
}

TEST_CASE("the innermost limit counts, a route's own before all") {
    web::router app;
    app.use(web::body_limit{100}).use(web::deadline{2s});
    app.post("/outer", [] { return "x"; });
    auto& inner = app.group("/inner");
    inner.use(web::body_limit{50});
    inner.post("/a", [] { return "x"; });
    inner.post("/b", [] { return "x"; }, {.body_bytes = 10});
    app.freeze();
    test::simulate([&]() -> task<> {
        auto const largest = [&](std::string path) -> task<std::size_t> {
            constexpr std::array<std::size_t, 3> sizes = {100, 50, 10};
            for (std::size_t const size : sizes) {
                call_request of(method::post, path);
                of.body(std::string(size, 'x'));
                auto const answer = co_await app.call(of);
                if (answer.status() == http::status::ok) co_return size;
            }
            co_return 0;
        };
        std::size_t const outer = co_await largest("/outer");
        CHECK(outer == 100);
        std::size_t const in_group = co_await largest("/inner/a");
        CHECK(in_group == 50);
        std::size_t const own = co_await largest("/inner/b");
        CHECK(own == 10);
    });
}
