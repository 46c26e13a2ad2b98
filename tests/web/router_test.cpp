// router: which handler answers.
#include "rill/web/router.hpp"

#include <doctest/doctest.h>

#include <string>

#include "rill/base/error.hpp"
#include "support/allocation_count.hpp"
#include "support/refusal.hpp"
#include "support/request_maker.hpp"

using namespace rill;
using test::refusal;
using test::request_maker;

namespace {

// Asks the router and calls what it chose.
struct asked {
    asked(web::router const& app, http::method method, std::string_view target)
        : made(method, target), answer([&] {
              http::handler const chosen = app.choose(made.req);
              REQUIRE(chosen.is_plain());
              return chosen.plain(chosen.object, made.req);
          }()) {}
    request_maker made;
    http::response answer;
};

std::string get(web::router const& app, std::string_view target) {
    return std::string(asked(app, http::method::get, target).answer.text());
}

unsigned status_of(web::router const& app, http::method method, std::string_view target) {
    return http::code_of(asked(app, method, target).answer.status());
}

std::string allow_of(web::router const& app, http::method method, std::string_view target) {
    return std::string(asked(app, method, target).answer.headers().get("allow"));
}

auto say(char const* text) {
    return [text] { return text; };
}

}  // namespace

TEST_CASE("text goes before a parameter and a parameter before a wildcard, with a way back") {
    web::router app;
    app.get("/", say("root"))
        .get("/a/{x}/c", [](http::request& r) { return "axc " + std::string(r.path("x")); })
        .get("/a/b/d", say("abd"))
        .get("/a/{path...}", [](http::request& r) { return "rest " + std::string(r.path("path")); })
        .get("/a/b", say("ab"))
        .get("/ab", say("joined"))
        .get("/{top}", [](http::request& r) { return "top " + std::string(r.path("top")); });
    app.freeze();
    CHECK(get(app, "/") == "root");
    CHECK(get(app, "/a/b/d") == "abd");
    CHECK(get(app, "/a/b/c") == "axc b");
    CHECK(get(app, "/a/bb/c") == "axc bb");
    CHECK(get(app, "/a/b") == "ab");
    CHECK(get(app, "/a/bc") == "rest bc");
    CHECK(get(app, "/a/b/e") == "rest b/e");
    CHECK(get(app, "/a/") == "rest ");
    CHECK(get(app, "/a") == "top a");
    CHECK(get(app, "/ab") == "joined");
    CHECK(get(app, "/abc") == "top abc");
    CHECK(status_of(app, http::method::get, "/x/y") == 404);
}

TEST_CASE("a slash at the end makes another path, and a parameter is never empty") {
    web::router app;
    app.get("/a", say("a")).get("/b/", say("b/")).get("/u/{id}", say("u"));
    app.freeze();
    CHECK(get(app, "/a") == "a");
    CHECK(status_of(app, http::method::get, "/a/") == 404);
    CHECK(get(app, "/b/") == "b/");
    CHECK(status_of(app, http::method::get, "/b") == 404);
    CHECK(status_of(app, http::method::get, "/u/") == 404);
    CHECK(status_of(app, http::method::get, "/u/1/") == 404);
    CHECK(status_of(app, http::method::get, "//a") == 404);
    CHECK(status_of(app, http::method::get, "/") == 404);
}

TEST_CASE("segments are split before they are decoded, and decoded once") {
    // RFC 3986 section 2.2; case C045.
    web::router app;
    app.get("/f/{name}", [](http::request& r) { return std::string(r.path("name")); })
        .get("/f/{name}/x", say("two"))
        .get("/caf\xc3\xa9 au lait", say("coffee"))
        .get("/50%/{n}", [](http::request& r) { return "half " + r.path<std::string>("n"); })
        .get("/w/{rest...}", [](http::request& r) { return std::string(r.encoded_path("rest")); });
    app.freeze();
    CHECK(get(app, "/f/a%2Fx") == "a/x");
    CHECK(get(app, "/%66/%2e%2e") == "..");
    CHECK(get(app, "/f/%252e") == "%2e");
    CHECK(get(app, "/f/a+b") == "a+b");
    CHECK(get(app, "/f%2Fa") == "Not Found\n");
    CHECK(get(app, "/caf%C3%A9%20au%20lait") == "coffee");
    CHECK(get(app, "/50%25/1") == "half 1");
    CHECK(get(app, "/w/a%2fb/%41") == "a%2Fb/A");
    CHECK(status_of(app, http::method::get, "/f/%2") == 400);
    CHECK(status_of(app, http::method::get, "/nowhere/%zz") == 400);
    CHECK(get(app, "/f/%01") == "\x01");
}

TEST_CASE("a known path with another method is a 405 with Allow, and OPTIONS lists the same") {
    // RFC 9110 sections 15.5.6 and 9.3.7.
    web::router app;
    app.get("/a", say("get")).post("/a", say("post")).del("/b", say("del"));
    app.freeze();
    CHECK(status_of(app, http::method::put, "/a") == 405);
    CHECK(allow_of(app, http::method::put, "/a") == "GET, HEAD, POST, OPTIONS");
    CHECK(status_of(app, http::method::options, "/a") == 204);
    CHECK(allow_of(app, http::method::options, "/a") == "GET, HEAD, POST, OPTIONS");
    CHECK(allow_of(app, http::method::get, "/b") == "DELETE, OPTIONS");
    CHECK(status_of(app, http::method::other, "/a") == 501);
    CHECK(status_of(app, http::method::other, "/nowhere") == 501);
    CHECK(status_of(app, http::method::options, "/c") == 404);
    CHECK(status_of(app, http::method::put, "/c") == 404);
    CHECK(status_of(app, http::method::options, "*") == 204);
    CHECK(allow_of(app, http::method::options, "*") == "GET, HEAD, POST, DELETE, OPTIONS");
    CHECK(status_of(app, http::method::connect, "host:1") == 501);
}

TEST_CASE("HEAD goes to GET, unless it has a route of its own") {
    // RFC 9110 section 9.3.2.
    web::router app;
    app.get("/a", say("get")).get("/b", say("get")).head("/b", say("head")).post("/c", say("post"));
    app.freeze();
    CHECK(asked(app, http::method::head, "/a").answer.text() == "get");
    CHECK(asked(app, http::method::head, "/b").answer.text() == "head");
    CHECK(status_of(app, http::method::head, "/c") == 405);
}

TEST_CASE("a route for any method takes what no other route of its pattern takes") {
    web::router app;
    app.any("/a", say("any")).get("/a", say("get")).options("/b", say("mine"));
    app.patch("/b", say("patch")).put("/b", say("put"));
    app.route(http::method::propfind, "/b", say("propfind"));
    app.freeze();
    CHECK(get(app, "/a") == "get");
    CHECK(asked(app, http::method::post, "/a").answer.text() == "any");
    CHECK(asked(app, http::method::other, "/a").answer.text() == "any");
    CHECK(asked(app, http::method::options, "/a").answer.text() == "any");
    CHECK(asked(app, http::method::head, "/a").answer.text() == "get");
    CHECK(asked(app, http::method::options, "/b").answer.text() == "mine");
    CHECK(asked(app, http::method::patch, "/b").answer.text() == "patch");
    CHECK(asked(app, http::method::put, "/b").answer.text() == "put");
    CHECK(asked(app, http::method::propfind, "/b").answer.text() == "propfind");
}

TEST_CASE("a less specific route answers a method that the more specific one does not have") {
    web::router app;
    app.get("/users/me", say("me")).post("/users/{id}", say("id")).del("/{all...}", say("all"));
    app.freeze();
    CHECK(get(app, "/users/me") == "me");
    CHECK(asked(app, http::method::post, "/users/me").answer.text() == "id");
    CHECK(asked(app, http::method::delete_, "/users/me").answer.text() == "all");
    CHECK(allow_of(app, http::method::put, "/users/me") == "GET, HEAD, POST, DELETE, OPTIONS");
}

TEST_CASE("a conflict is refused where it is registered and the error names both places") {
    web::router app;
    app.get("/users/{id}", say("1"));
    std::string const text = refusal([&] { app.get("/users/{name}", say("2")); });
    CAPTURE(text);
    CHECK(text.find("/users/{id}") != std::string::npos);
    CHECK(text.find("/users/{name}") != std::string::npos);
    std::size_t const first = text.find("router_test.cpp:");
    CHECK(first != std::string::npos);
    CHECK(text.find("router_test.cpp:", first + 1) != std::string::npos);
    CHECK(refusal([&] { app.post("/users/{name}", say("3")); }).empty());
    CHECK(refusal([&] { app.any("/users/{name}", say("4")); }).empty());
    CHECK_FALSE(refusal([&] { app.any("/users/{other}", say("5")); }).empty());
    CHECK(refusal([&] { app.get("/users/{all...}", say("6")); }).empty());
    CHECK_FALSE(refusal([&] { app.get("/users/{more...}", say("7")); }).empty());
    CHECK(app.routes().size() == 4);
    app.freeze();
    CHECK(get(app, "/users/1") == "1");
}

TEST_CASE("malformed patterns and late routes are refused") {
    web::router app;
    std::string const long_name(2000, 'a');
    std::string many;
    for (int i = 0; i < 17; ++i) many += "/{p" + std::to_string(i) + "}";
    for (std::string const& bad :
         {std::string(), std::string("a"), std::string("/{}"), std::string("/{a}{b}"),
          std::string("/x{a}"), std::string("/{a}x"), std::string("/{a...}/b"),
          std::string("/{a}/{a}"), std::string("/{a-b}"), std::string("/{1}"), std::string("/a?b"),
          std::string("/a#b"), std::string("/a%20b"), std::string("/a\nb"), std::string("/{...}"),
          "/" + long_name, many}) {
        CAPTURE(bad);
        CHECK_FALSE(refusal([&] { app.get(bad, say("x")); }).empty());
    }
    CHECK(app.routes().empty());
    CHECK_FALSE(refusal([&] { app.route(http::method::other, "/", say("x")); }).empty());
    app.freeze();
    app.freeze();
    CHECK_FALSE(refusal([&] { app.get("/late", say("x")); }).empty());
    CHECK(status_of(app, http::method::get, "/") == 404);
}

TEST_CASE("sixteen parameters are bound, in order") {
    web::router app;
    std::string pattern;
    std::string target;
    for (int i = 0; i < 16; ++i) {
        pattern += "/{p" + std::to_string(i) + "}";
        target += "/" + std::to_string(i * i);
    }
    app.get(pattern, [](http::request& r) {
        int sum = 0;
        for (int i = 0; i < 16; ++i) sum += r.path<int>("p" + std::to_string(i)) == i * i ? 1 : 0;
        return std::to_string(sum);
    });
    app.freeze();
    CHECK(get(app, target) == "16");
}

TEST_CASE("routes are listed in the order of registration") {
    web::router app;
    app.get("/b", say("1")).any("/a", say("2"));
    auto const list = app.routes();
    REQUIRE(list.size() == 2);
    CHECK(list[0].pattern == "/b");
    CHECK(list[0].method == http::method::get);
    CHECK(list[1].pattern == "/a");
    CHECK_FALSE(list[1].method.has_value());
    CHECK(std::string_view(list[1].where.file_name()).ends_with("router_test.cpp"));
    CHECK(list[1].where.line() > 0);
}

TEST_CASE("hello and a path parameter are answered without an allocation") {
    web::router app;
    app.get("/", [] { return "Hello, World! This is no short string at all."; });
    app.get("/users/{id}", [](http::request& r) {
        return r.path<int>("id") == 42 ? http::status::ok : http::status::not_found;
    });
    app.freeze();
    request_maker hello(http::method::get, "/");
    request_maker user(http::method::get, "/users/42");
    request_maker missing(http::method::get, "/nothing");
    std::size_t const before = test::allocation_count();
    for (request_maker* made : {&hello, &user, &missing}) {
        http::handler const chosen = app.choose(made->req);
        http::response const answer = chosen.plain(chosen.object, made->req);
        CHECK(answer.headers().empty());
    }
    CHECK(test::allocation_count() == before);
}

TEST_CASE("a path made for backtracking takes no longer than the tree is large") {
    // A tree in which each level offers text and a parameter has 2^12 ends; the path fits none.
    web::router app;
    int routes = 0;
    for (unsigned bits = 0; bits < 4096; ++bits) {
        std::string pattern;
        for (unsigned i = 0; i < 12; ++i) {
            pattern += bits >> i & 1U ? "/a" : "/{p" + std::to_string(i) + "}";
        }
        app.get(pattern + "/end", say("x"));
        ++routes;
    }
    app.freeze();
    CHECK(status_of(app, http::method::get, "/a/a/a/a/a/a/a/a/a/a/a/a/no") == 404);
    CHECK(get(app, "/a/a/a/a/a/a/a/a/a/a/a/b/end") == "x");
    CHECK(routes == 4096);
}
