// Answers for pages of other origins. WHATWG Fetch, section 3.2.
#include "rill/web/middleware/cors.hpp"

#include <doctest/doctest.h>

#include <string>

#include "rill/web/router.hpp"
#include "support/sim.hpp"

using namespace rill;
using http::method;
using web::call_request;

namespace {

call_request preflight(std::string_view origin) {
    call_request of(method::options, "/x");
    of.field("origin", origin).field("access-control-request-method", "PUT");
    return of;
}

call_request simple(std::string_view origin) {
    call_request of(method::get, "/x");
    if (!origin.empty()) of.field("origin", origin);
    return of;
}

}  // namespace

TEST_CASE("an origin that is named may read, and a preflight tells what it may send") {
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::cors()
                    .origin("https://app.example")
                    .origin("http://localhost:3000")
                    .credentials()
                    .method("PUT")
                    .method("DELETE")
                    .header("X-Token")
                    .expose("X-Total")
                    .max_age(600s));
        app.get("/x", [] { return "x"; }).put("/x", [] { return "put"; });
        auto const asked = co_await app.call(preflight("https://app.example"));
        CHECK(asked.status() == http::status::no_content);
        CHECK(asked.headers().get("access-control-allow-origin") == "https://app.example");
        CHECK(asked.headers().get("access-control-allow-credentials") == "true");
        CHECK(asked.headers().get("access-control-allow-methods") == "PUT, DELETE");
        CHECK(asked.headers().get("access-control-allow-headers") == "X-Token");
        CHECK(asked.headers().get("access-control-max-age") == "600");
        CHECK(asked.headers().get("vary") ==
              "Origin, Access-Control-Request-Method, Access-Control-Request-Headers");
        auto const read = co_await app.call(simple("http://localhost:3000"));
        CHECK(read.text() == "x");
        CHECK(read.headers().get("access-control-allow-origin") == "http://localhost:3000");
        CHECK(read.headers().get("access-control-expose-headers") == "X-Total");
        CHECK(read.headers().get("vary") == "Origin");
        // OPTIONS that is no preflight is the router's.
        auto const options = co_await app.call(call_request(method::options, "/x"));
        CHECK(options.headers().get("allow") == "GET, HEAD, PUT, OPTIONS");
    });
}

TEST_CASE("an origin that is not named gets the answer and no leave, and caches are told why") {
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::cors().origin("https://app.example").method("PUT"));
        app.get("/x", [] {
            http::response answer = http::text("x");
            answer.headers().set("access-control-allow-origin", "*");  // not for the handler to say
            return answer;
        });
        for (auto const* origin : {"https://app.example.evil", "null", "https://APP.example", ""}) {
            CAPTURE(origin);
            auto const read = co_await app.call(simple(origin));
            CHECK(read.text() == "x");
            CHECK_FALSE(read.headers().contains("access-control-allow-origin"));
            CHECK(read.headers().get("vary") == "Origin");
        }
        auto const asked = co_await app.call(preflight("https://evil.example"));
        CHECK(asked.status() == http::status::no_content);
        CHECK_FALSE(asked.headers().contains("access-control-allow-origin"));
        CHECK_FALSE(asked.headers().contains("access-control-allow-methods"));
    });
}

TEST_CASE("any origin is said as a star, without Vary, and never with credentials") {
    test::simulate([]() -> task<> {
        web::router app;
        app.use(web::cors().any_origin());
        app.get("/x", [] { return "x"; });
        auto const read = co_await app.call(simple("https://who.example"));
        CHECK(read.headers().get("access-control-allow-origin") == "*");
        CHECK_FALSE(read.headers().contains("vary"));
        // Errors can be read as well.
        auto const none = co_await app.call(call_request(method::get, "/none"));
        CHECK(none.headers().get("access-control-allow-origin") == "*");
    });
    CHECK_THROWS(web::cors().any_origin().credentials());
    CHECK_THROWS(web::cors().credentials().any_origin());
    CHECK_THROWS(web::cors().origin("*"));
    CHECK_THROWS(web::cors().origin("https://a.example/"));
    CHECK_THROWS(web::cors().origin("null"));
    CHECK_THROWS(web::cors().header("a b"));
}
