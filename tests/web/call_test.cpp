// Handlers called without a port: what a connection would make of them, in memory.
#include "rill/web/call.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "rill/coro/as_result.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/web/files.hpp"
#include "rill/web/router.hpp"
#include "support/sim.hpp"

using namespace rill;
using http::method;
using web::call_request;

namespace {

int alive_count = 0;
struct alive {
    alive() noexcept { ++alive_count; }
    alive(alive const&) = delete;
    alive& operator=(alive const&) = delete;
    ~alive() { --alive_count; }
};

task<std::string> pieces_of(http::streaming_request& req) {
    std::string all;
    while (auto const piece = co_await req.body().read()) all.append(piece.text()).append("|");
    all += req.body().size() ? "length" : "chunks";
    for (http::field const each : req.body().trailers()) all.append(each.name).append(each.value);
    co_return all;
}

task<> copy(http::streaming_request& req, http::body_writer& out) {
    while (auto const piece = co_await req.body().read()) co_await out.write(*piece);
}

task<> check_status(web::router& app, call_request const& of, unsigned wanted) {
    auto const answer = co_await app.call(of);
    CHECK(http::code_of(answer.status()) == wanted);
}

void fill(web::router& app) {
    app.get("/hello", [] { return "hello"; });
    app.get("/users/{id}", [](http::request& req) {
        return std::to_string(req.path<int>("id")) + std::string(req.query("q")) +
               std::string(req.header("accept")) + std::string(req.host());
    });
    app.post("/form", [](http::request& req) -> task<std::string> {
        co_await yield();
        co_return std::string(req.form("name"));
    });
    app.post("/pieces", pieces_of);
    app.put("/small", pieces_of, web::route_options{.body_bytes = 4});
    app.post("/copy", [](http::streaming_request& req) -> task<http::response> {
        co_return http::stream([&req](http::body_writer& out) { return copy(req, out); });
    });
    app.get("/problem", []() -> std::string { throw http::problem(418, "tea"); });
    app.get("/bug", []() -> std::string { throw std::logic_error("bug"); });
    app.get("/wait", []() -> task<std::string> {
        alive const counted;
        // lint: allow(banned) the clock is virtual
        co_await sleep(1h);
        co_return std::string("late");
    });
}

}  // namespace

TEST_CASE("a handler is called without a port and its answer is in memory") {
    test::simulate([]() -> task<> {
        web::router app;
        fill(app);
        auto const hello = co_await app.call(call_request(method::get, "/hello"));
        CHECK(hello.status() == http::status::ok);
        CHECK(hello.text() == "hello");
        CHECK(hello.content_type() == "text/plain; charset=utf-8");
        auto const user =
            co_await app.call(call_request(method::get, "/users/7?q=a%20b").field("accept", "x"));
        CHECK(user.text() == "7a bxtest");
        auto const form =
            co_await app.call(call_request("POST", "http://elsewhere/form").body("name=a%2Bb"));
        CHECK(form.text() == "a+b");
        auto const head = co_await app.call(call_request(method::head, "/hello"));
        CHECK(head.text().empty());
        CHECK(head.status() == http::status::ok);
    });
}

TEST_CASE("a handler that reads its content gets it in pieces of any size") {
    test::simulate([]() -> task<> {
        web::router app;
        fill(app);
        auto const whole = co_await app.call(call_request(method::post, "/pieces").body("abcde"));
        CHECK(whole.text() == "abcde|length");
        auto const cut =
            co_await app.call(call_request(method::post, "/pieces").body("abcde").pieces(2));
        CHECK(cut.text() == "ab|cd|e|length");
        auto const trailed = co_await app.call(
            call_request(method::post, "/pieces").body("abc").pieces(1).trailer("t", "v"));
        CHECK(trailed.text() == "a|b|c|chunkstv");
        auto const none = co_await app.call(call_request(method::post, "/pieces"));
        CHECK(none.text() == "length");
        std::string const content(100'000, 'x');
        auto const copied =
            co_await app.call(call_request(method::post, "/copy").body(content).pieces(7));
        CHECK(copied.text() == content);
    });
}

TEST_CASE("what a connection refuses is refused alike, and a problem is its answer") {
    test::simulate([]() -> task<> {
        web::router app;
        fill(app);
        co_await check_status(app, call_request(method::get, "/nowhere"), 404);
        co_await check_status(app, call_request(method::put, "/hello"), 405);
        co_await check_status(app, call_request("BREW", "/hello"), 501);
        co_await check_status(app, call_request(method::get, "/%"), 400);
        co_await check_status(app, call_request(method::get, "no path"), 400);
        co_await check_status(app, call_request(method::get, "/users/x?q="), 400);
        co_await check_status(app, call_request(method::put, "/small").body("abcd"), 200);
        co_await check_status(app, call_request(method::put, "/small").body("abcde"), 413);
        std::string const much(1024 * 1024 + 1, 'x');
        co_await check_status(app, call_request(method::post, "/pieces").body(much), 413);
        auto const tea = co_await app.call(call_request(method::get, "/problem"));
        CHECK(tea.content_type() == "application/problem+json");
        CHECK(tea.text().find("tea") != std::string_view::npos);
    });
}

TEST_CASE("what else a handler throws reaches its test, and bodies have a bound") {
    test::simulate([]() -> task<> {
        web::router app;
        fill(app);
        std::string what;
        try {
            co_await app.call(call_request(method::get, "/bug"));
        } catch (std::logic_error const& bug) {
            what = bug.what();
        }
        CHECK(what == "bug");
        auto const fits =
            co_await as_result(app.call(call_request(method::post, "/copy").body("abc").most(3)));
        CHECK(fits);
        auto const over =
            co_await as_result(app.call(call_request(method::post, "/copy").body("abc").most(2)));
        CHECK(over.error() == errc::limit_exceeded);
        auto const text = co_await as_result(app.call(call_request(method::get, "/hello").most(4)));
        CHECK(text.error() == errc::limit_exceeded);
    });
}

TEST_CASE("a call that is cancelled cancels its handler") {
    test::simulate([]() -> task<> {
        web::router app;
        fill(app);
        auto const late =
            co_await as_result(timeout(1s, app.call(call_request(method::get, "/wait"))));
        CHECK(late.error() == errc::timed_out);
        CHECK(alive_count == 0);
    });
}

TEST_CASE("files are answered with their content") {
    auto name = (std::filesystem::temp_directory_path() / "rill-call-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    std::string const content(100'000, 'f');
    std::ofstream(name + "/a.txt") << content;
    auto body = [&]() -> task<> {
        web::router app;
        app.get("/{path...}", web::files(name));
        app.use([](http::request&, http::response& a) { a.headers().set("x-around", "files"); });
        auto const answer = co_await app.call(call_request(method::get, "/a.txt"));
        CHECK(answer.text() == content);
        CHECK(answer.headers().get("x-around") == "files");
        auto const cut = co_await as_result(
            app.call(call_request(method::get, "/a.txt").most(content.size() - 1)));
        CHECK(cut.error() == errc::limit_exceeded);
    };
    test::run_in(test::world::epoll, body, {});
    std::filesystem::remove_all(name);
}
