// Lines of the access log.
#include "rill/web/middleware/access_log.hpp"

#include <doctest/doctest.h>

#include <string>

#include "rill/rt/sleep.hpp"
#include "rill/web/middleware/request_id.hpp"
#include "rill/web/middleware/user.hpp"
#include "rill/web/router.hpp"
#include "support/sim.hpp"

using namespace rill;
using http::method;
using web::call_request;

namespace {

task<std::string> line_of(web::log_format format, call_request const& of) {
    std::string lines;
    web::router app;
    app.use(web::access_log(format, [&](std::string_view line) { lines += line; }));
    app.use([](http::request& req, http::response&) { web::set_user(req, "ann lee"); });
    app.get("/{name}", [](http::request&) -> task<std::string> {
        // lint: allow(banned) the clock is virtual
        co_await sleep(5ms);
        co_return std::string("12345");
    });
    static_cast<void>(co_await app.call(of));
    co_return lines;
}

}  // namespace

TEST_CASE("a line has who, when, what and how much, and nothing of a client's ends it") {
    test::simulate([]() -> task<> {
        call_request of(method::get, "/x?y=1");
        of.field("referer", "http://a/\"b").field("user-agent", "curl\\1\xff");
        std::string const common = co_await line_of(web::log_format::common, of);
        CHECK(common == "- - ann_lee [01/Jan/2000:12:00:00 +0000] \"GET /x?y=1 HTTP/1.1\" 200 5\n");
        std::string const combined = co_await line_of(web::log_format::combined, of);
        CHECK(combined ==
              "- - ann_lee [01/Jan/2000:12:00:00 +0000] \"GET /x?y=1 HTTP/1.1\" 200 5 "
              "\"http://a/\\x22b\" \"curl\\x5c1\\xff\"\n");
        std::string const json = co_await line_of(web::log_format::json, of);
        CHECK(json.starts_with("{\"time\":\"2000-01-01T12:00:00.0"));
        CHECK(json.find("\"user\":\"ann lee\",\"method\":\"GET\",\"host\":\"test\","
                        "\"target\":\"/x?y=1\",\"status\":200,\"bytes\":5,\"microseconds\":5") !=
              std::string::npos);
        CHECK(json.find("\"whole\":true,\"referer\":\"http://a/\\\"b\"") != std::string::npos);
        CHECK(json.ends_with("}\n"));
        call_request const long_one(method::get, "/" + std::string(5'000, 'a'));
        std::string const cut = co_await line_of(web::log_format::common, long_one);
        CHECK(cut.size() < 1024 + 100);
    });
}
