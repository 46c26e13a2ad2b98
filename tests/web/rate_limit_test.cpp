// How often somebody may ask. RFC 6585 section 4.
#include "rill/web/middleware/rate_limit.hpp"

#include <doctest/doctest.h>

#include <string>

#include "rill/rt/sleep.hpp"
#include "rill/web/router.hpp"
#include "support/sim.hpp"
#include "web/middleware/token_buckets.hpp"

using namespace rill;
using http::method;
using web::call_request;

TEST_CASE("who asks too often is told when to come back, and others are not disturbed") {
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::rate_limit({.requests = 3, .window = 30s}, [](http::request const& req) {
            return std::string(req.header("x-key"));
        }));
        app.get("/", [] { return "x"; });
        auto const ask = [&](std::string_view key) -> task<http::response> {
            call_request of(method::get, "/");
            of.field("x-key", key);
            auto answer = co_await app.call(of);
            co_return answer;
        };
        for (int left = 2; left >= 0; --left) {
            auto const answer = co_await ask("a");
            CHECK(answer.status() == http::status::ok);
            CHECK(answer.headers().get("ratelimit-policy") == "\"default\";q=3;w=30");
            CHECK(answer.headers().get("ratelimit") ==
                  "\"default\";r=" + std::to_string(left) + ";t=" + std::to_string(30 - 10 * left));
        }
        auto const refused = co_await ask("a");
        CHECK(http::code_of(refused.status()) == 429);
        CHECK(refused.headers().get("retry-after") == "10");
        CHECK(refused.headers().get("ratelimit") == "\"default\";r=0;t=10");
        auto const other = co_await ask("b");
        CHECK(other.status() == http::status::ok);
        auto const uncounted = co_await ask("");
        CHECK_FALSE(uncounted.headers().contains("ratelimit"));
        // lint: allow(banned) the clock is virtual
        co_await sleep(10s);
        auto const later = co_await ask("a");
        CHECK(later.status() == http::status::ok);
        auto const too_soon = co_await ask("a");
        CHECK(http::code_of(too_soon.status()) == 429);
    });
}

TEST_CASE("the table of buckets keeps its bound, and remembers who asks most") {
    web::token_buckets buckets(2, 10s, 8, 7);  // one set of eight
    time_point const now = time_point() + 1h;
    CHECK(buckets.take("eager", now).passes);
    CHECK(buckets.take("eager", now).passes);
    CHECK_FALSE(buckets.take("eager", now).passes);
    for (int i = 0; i < 1000; ++i) CHECK(buckets.take("once " + std::to_string(i), now).passes);
    CHECK_FALSE(buckets.take("eager", now).passes);
    CHECK(buckets.take("eager", now + 5s).passes);
}
