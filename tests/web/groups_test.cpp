// Groups, mounted routers, hosts, state, the list of routes and names of files.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <vector>

#include "rill/base/error.hpp"
#include "rill/web/router.hpp"
#include "rill/web/safe_name.hpp"
#include "support/refusal.hpp"
#include "support/sim.hpp"

using namespace rill;
using http::method;
using test::refusal;
using web::call_request;

namespace {

task<std::string> text_of(web::router& app, call_request const& of) {
    auto const answer = co_await app.call(of);
    if (answer.status() == http::status::ok) co_return std::string(answer.text());
    co_return std::to_string(http::code_of(answer.status()));
}

task<> check_text(web::router& app, call_request of, std::string_view wanted) {
    auto const found = co_await text_of(app, of);
    CHECK(found == wanted);
}

std::vector<std::string> bad_names() {
    return {"/..",    "/.",     "/.hidden", "/a%2fb",
            "/a%5Cb", "/a%00b", "/a%0ab",   "/" + std::string(256, 'n'),
            "/%2e%2e"};
}

auto say(char const* text) {
    return [text] { return text; };
}

}  // namespace

TEST_CASE("routes of groups and of mounted routers are found below their prefixes") {
    test::simulate([]() -> task<> {
        web::router users;
        users.get("/{id}", [](http::request& req) {
            return std::string(req.path("org")) + std::to_string(req.path<int>("id"));
        });
        web::router app;
        app.mount("/orgs/{org}/users", std::move(users));
        auto& api = app.group("/api");
        web::router moved = std::move(app);
        api.get("", say("api")).get("/", say("slash")).any("/x", say("any"));
        auto& shared = moved.group("");
        shared.get("/y", say("y"));
        api.group("/v1").get("/{rest...}", say("v1"));
        co_await check_text(moved, call_request(method::get, "/orgs/a/users/7"), "a7");
        co_await check_text(moved, call_request(method::get, "/orgs/a/users/x"), "400");
        co_await check_text(moved, call_request(method::get, "/api"), "api");
        co_await check_text(moved, call_request(method::get, "/api/"), "slash");
        co_await check_text(moved, call_request(method::delete_, "/api/x"), "any");
        co_await check_text(moved, call_request("BREW", "/api/x"), "any");
        co_await check_text(moved, call_request(method::get, "/y"), "y");
        co_await check_text(moved, call_request(method::get, "/api/v1/a/b"), "v1");
        auto const all = moved.routes();
        REQUIRE(all.size() == 6);
        CHECK(all[0].pattern == "/orgs/{org}/users/{id}");
        CHECK(all[1].pattern == "/api");
        CHECK(all[3].pattern == "/api/x");
        CHECK_FALSE(all[3].method);
        CHECK(all[4].pattern == "/api/v1/{rest...}");
    });
}

TEST_CASE("what does not fit together is refused with its places") {
    web::router app;
    CHECK(refusal([&] { app.group("api"); }).find("slash") != std::string::npos);
    CHECK(refusal([&] { app.group("/api/"); }).find("end in a slash") != std::string::npos);
    app.get("/a/b", say("1"));
    app.group("/a").get("/b", say("2"));
    CHECK(refusal([&] { app.freeze(); }).find("the same requests") != std::string::npos);

    web::router other;
    auto& inner = other.group("/{id}");
    inner.get("/{id}", say("1"));
    CHECK(refusal([&] { other.freeze(); }).find("same name") != std::string::npos);

    web::router late;
    auto& group = late.group("/g");
    late.freeze();
    CHECK(refusal([&] { group.get("/x", say("1")); }) != "");
    CHECK(refusal([&] { late.group("/h"); }) != "");
    CHECK(refusal([&] { late.use([](http::request&, http::response&) {}); }) != "");
    CHECK(refusal([&] { late.state<int>(1); }) != "");
}

TEST_CASE("a host has its own routes, by its name or by the longest ending that fits") {
    test::simulate([]() -> task<> {
        web::router app;
        app.get("/", say("main"));
        app.use([](http::request&, http::response& a) { a.headers().set("x-main", "1"); });
        app.host("api.example.org").get("/", say("api")).get("/only/{id}", say("only"));
        app.host("*.example.org").get("/", say("some"));
        app.host("*.b.example.org").get("/", say("b"));
        app.host("[::1]").get("/", say("loopback"));
        auto const at = [](std::string_view host, std::string_view path = "/") {
            call_request made(method::get, path);
            made.field("host", host);
            return made;
        };
        co_await check_text(app, at("api.example.org"), "api");
        co_await check_text(app, at("API.example.ORG.:8080"), "api");
        co_await check_text(app, at("api.example.org", "/only/1"), "only");
        co_await check_text(app, at("api.example.org", "/none"), "404");
        co_await check_text(app, at("www.example.org"), "some");
        co_await check_text(app, at("a.b.example.org"), "b");
        co_await check_text(app, at("example.org"), "main");
        co_await check_text(app, at("[::1]:80"), "loopback");
        co_await check_text(app, at(std::string(300, 'a')), "main");
        auto const answer = co_await app.call(at("api.example.org"));
        CHECK(answer.headers().get("x-main") == "1");
        CHECK(app.routes().back().host == "[::1]");
    });
    web::router app;
    app.host("a.example");
    CHECK(refusal([&] { app.host("A.example."); }).find("has one") != std::string::npos);
    CHECK(refusal([&] { app.host("a.example:80"); }) != "");
    CHECK(refusal([&] { app.host("a.*.example"); }) != "");
    web::router nested;
    nested.group("/x").host("a.example");
    CHECK(refusal([&] { nested.freeze(); }).find("outermost") != std::string::npos);
}

TEST_CASE("handlers and middleware find the program's state by its type") {
    test::simulate([]() -> task<> {
        web::router app;
        auto& count = app.state<std::atomic<int>>(5);
        app.state<per_core<std::string>>([] { return std::string("core"); });
        app.use([](http::request& req, http::response&) {
            ++web::state<std::atomic<int>>(req);
            web::core_state<std::string>(req) += "!";
        });
        app.get("/", [](http::request& req) { return web::core_state<std::string>(req); });
        auto& group = app.group("/g");
        group.state<std::string>("inner");
        group.get("", [](http::request& req) {
            return web::state<std::string>(req) +
                   std::to_string(web::state<std::atomic<int>>(req).load());
        });
        CHECK_THROWS(app.state<std::atomic<int>>(6));
        co_await check_text(app, call_request(method::get, "/"), "core");
        co_await check_text(app, call_request(method::get, "/"), "core!");
        co_await check_text(app, call_request(method::get, "/g"), "inner7");
        CHECK(count == 8);
    });
}

TEST_CASE("a safe name is the name of one file, and nothing else gets through") {
    test::simulate([]() -> task<> {
        web::router app;
        app.get("/{name}", [](http::request& req) {
            return (std::filesystem::path("/srv") / req.path<web::safe_name>("name")).string();
        });
        co_await check_text(app, call_request(method::get, "/a%20b.txt"), "/srv/a b.txt");
        co_await check_text(app, call_request(method::get, "/" + std::string(255, 'n')),
                            "/srv/" + std::string(255, 'n'));
        for (std::string const& bad : bad_names()) {
            CAPTURE(bad);
            co_await check_text(app, call_request(method::get, bad), "400");
        }
    });
}
