// Middleware: what runs around handlers, in which order, and what it sees.
#include "rill/web/middleware.hpp"

#include <doctest/doctest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rill/http/upgrade.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/web/files.hpp"
#include "rill/web/router.hpp"
#include "rill/web/server.hpp"
#include "rill/web/sse.hpp"
#include "sim/http_client.hpp"
#include "support/sim.hpp"

using namespace rill;
using http::method;
using web::call_request;

namespace {

// Writes its name when a request comes by, on the way in and on the way out.
struct letters {
    std::string* seen;
    char name;
    std::optional<http::response> before(http::request&) const {
        *seen += name;
        return std::nullopt;
    }
    void after(http::request&, http::response& answer) const {
        *seen += static_cast<char>(name - 'a' + 'A');
        answer.headers().add("x-by", std::string_view(&name, 1));
    }
};

auto waiting_letter(std::string& seen, char name) {
    return [&seen, name](http::request& req, web::next next) -> task<http::response> {
        seen += name;
        co_await yield();
        auto answer = co_await next(req);
        seen += static_cast<char>(name - 'a' + 'A');
        answer.headers().add("x-by", std::string_view(&name, 1));
        co_return answer;
    };
}

task<std::string> order_of(web::router& app, std::string& seen, call_request const& of) {
    seen.clear();
    auto const answer = co_await app.call(of);
    co_return seen + " " + std::to_string(http::code_of(answer.status()));
}

task<> check_order(web::router& app, std::string& seen, call_request const& of,
                   std::string_view wanted) {
    auto const found = co_await order_of(app, seen, of);
    CHECK(found == wanted);
}

task<std::string> say_later() {
    co_await yield();
    co_return std::string("later");
}

}  // namespace

TEST_CASE("middleware runs in the order of use, the router's outside the group's and the route's") {
    test::simulate([]() -> task<> {
        std::string seen;
        web::router app;
        app.get("/before", [] { return "x"; });
        app.use(letters{&seen, 'a'}).use(waiting_letter(seen, 'b'));
        app.get("/own", web::with(letters{&seen, 'c'}, waiting_letter(seen, 'd'), say_later));
        auto& api = app.group("/api");
        api.use(letters{&seen, 'e'});
        api.get("", [] { return "root"; });
        api.group("/deep").use(letters{&seen, 'f'}).get("/x", say_later);
        co_await check_order(app, seen, call_request(method::get, "/before"), "abBA 200");
        co_await check_order(app, seen, call_request(method::get, "/own"), "abcdDCBA 200");
        co_await check_order(app, seen, call_request(method::get, "/api"), "abeEBA 200");
        co_await check_order(app, seen, call_request(method::get, "/api/deep/x"), "abefFEBA 200");
        co_await check_order(app, seen, call_request(method::get, "/nothing"), "abBA 404");
        co_await check_order(app, seen, call_request(method::get, "/a%zz"), "abBA 400");
        co_await check_order(app, seen, call_request("BREW", "/nothing"), "abBA 501");
        // What is known about a path runs through what is around its routes.
        co_await check_order(app, seen, call_request(method::options, "/api/deep/x"),
                             "abefFEBA 204");
        co_await check_order(app, seen, call_request(method::post, "/api"), "abeEBA 405");
        co_await check_order(app, seen, call_request(method::options, "*"), "abBA 204");
    });
}

TEST_CASE("a handler that answers at once needs no coroutine where its middleware needs none") {
    std::string seen;
    web::router app;
    app.use(letters{&seen, 'a'});
    app.use([](http::request&, http::response& answer) { answer.headers().set("x-b", "1"); });
    app.use([](http::request& req) -> std::optional<http::response> {
        if (req.has_header("x-stop")) return http::response(http::status::forbidden);
        return std::nullopt;
    });
    app.get("/plain", [] { return "x"; });
    app.get("/later", say_later);
    app.freeze();
    http::request plain;
    CHECK_FALSE(app.choose(plain).is_coroutine());
    test::simulate([&]() -> task<> {
        auto const open = co_await app.call(call_request(method::get, "/plain"));
        CHECK(open.text() == "x");
        CHECK(open.headers().get("x-b") == "1");
        auto const shut =
            co_await app.call(call_request(method::get, "/later").field("x-stop", "1"));
        CHECK(shut.status() == http::status::forbidden);
        CHECK(shut.headers().get("x-by") == "a");
    });
}

TEST_CASE("middleware sees what a handler throws as its answer, and its own failures end there") {
    test::simulate([]() -> task<> {
        unsigned seen = 0;
        web::router app;
        app.use(
            [&](http::request&, http::response& answer) { seen = http::code_of(answer.status()); });
        app.get("/plain", []() -> std::string { throw http::problem(418, "tea"); });
        app.get("/later", []() -> task<std::string> {
            co_await yield();
            throw http::problem(409, "no");
        });
        auto refuse = [](http::request&) -> std::optional<http::response> {
            throw http::problem(403, "no");
        };
        app.get("/gate", web::with(refuse, [] { return "never"; }));
        auto break_off = [](http::request& req, web::next next) -> task<http::response> {
            auto const answer = co_await next(req);
            throw http::problem(402, answer.text());
        };
        app.get("/around", web::with(break_off, [] { return "pay"; }));
        app.get("/bug", []() -> std::string { throw std::logic_error("bug"); });
        constexpr std::array<std::pair<char const*, unsigned>, 4> asked = {
            {{"/plain", 418}, {"/later", 409}, {"/gate", 403}, {"/around", 402}}};
        for (auto const& [path, code] : asked) {
            call_request const of(method::get, path);
            auto const answer = co_await app.call(of);
            CHECK(http::code_of(answer.status()) == code);
            CHECK(seen == code);
        }
        std::string bug;
        try {
            call_request const of(method::get, "/bug");
            static_cast<void>(co_await app.call(of));
        } catch (std::logic_error const& e) {
            bug = e.what();
        }
        CHECK(bug == "bug");
    });
}

TEST_CASE("pages stand in for errors of the router and of what is thrown, not for answers") {
    test::simulate([]() -> task<> {
        web::router app;
        app.error_page(404, [](http::request& req) { return "no " + std::string(req.path()); });
        app.error_page(405, [] { return "not so"; });
        app.error_page(500, []() -> std::string { throw std::runtime_error("page"); });
        app.get("/thrown", []() -> std::string { throw http::problem(404, "gone"); });
        app.get("/returned", [] {
            return http::content(http::literal("mine"), http::content_types::text,
                                 http::status::not_found);
        });
        auto& inner = app.group("/inner");
        inner.error_page(404, [] { return "inner"; });
        inner.get("/thrown", []() -> task<std::string> {
            co_await yield();
            throw http::problem(404, "gone");
        });
        inner.get("/wrong", []() -> std::string { throw http::problem(405, "x"); });
        auto const text = [&](http::method how, std::string_view path) -> task<std::string> {
            call_request const of(how, path);
            auto const answer = co_await app.call(of);
            co_return std::to_string(http::code_of(answer.status())) + " " +
                std::string(answer.text()) + std::string(answer.headers().get("allow"));
        };
        auto const check = [&](http::method how, std::string_view path,
                               std::string_view wanted) -> task<> {
            auto const found = co_await text(how, path);
            CHECK(found == wanted);
        };
        co_await check(method::get, "/x", "404 no /x");
        co_await check(method::get, "/thrown", "404 no /thrown");
        co_await check(method::get, "/returned", "404 mine");
        co_await check(method::get, "/inner/thrown", "404 inner");
        co_await check(method::get, "/inner/wrong", "405 not so");
        co_await check(method::put, "/thrown", "405 not soGET, HEAD, OPTIONS");
        CHECK_THROWS(app.error_page(404, [] { return "late"; }));
        web::router other;
        other.error_page(404, [] { return "one"; });
        CHECK_THROWS(other.error_page(404, [] { return "two"; }));
        CHECK_THROWS(other.error_page(200, [] { return "fine"; }));
    });
}

namespace {

struct exchange_seen {
    unsigned status = 0;
    std::uint64_t bytes = 0;
    bool whole = false;
    std::string path;
};

// Notes how each request ends.
struct notes {
    std::vector<exchange_seen>* all;
    std::optional<http::response> operator()(http::request& req) const {
        req.on_finish([to = all](http::request const& of, http::finished const& how) noexcept {
            to->push_back({how.status, how.body_bytes, how.whole, std::string(of.path())});
        });
        return std::nullopt;
    }
};

task<> send_bytes(http::upgraded& peer) {
    co_await peer.stream().write("raw");
}

// An answer of each kind.
void fill(web::router& app, std::vector<exchange_seen>& ends) {
    app.use(notes{&ends});
    app.get("/plain", [] { return "12345"; });
    app.get("/stream", [] {
        return http::stream([](http::body_writer& out) -> task<> {
            co_await out.write("one");
            co_await yield();
            co_await out.write("two");
        });
    });
    app.get("/broken", [] {
        return http::stream([](http::body_writer& out) -> task<> {
            co_await out.write("one");
            throw std::runtime_error("breaks off");
        });
    });
    app.post("/content", [](http::streaming_request& req) -> task<std::string> {
        std::string all;
        while (auto const piece = co_await req.body().read()) all += piece.text();
        co_return all;
    });
    app.get("/large", [] { return std::string(200'000, 'x'); });
    app.get("/up", [](http::request& req) { return http::upgrade(req, "raw", send_bytes); });
    app.get("/bug", []() -> std::string { throw std::logic_error("bug"); });
    app.error_page(500, [] { return "sorry"; });
}

task<std::string> answer_to(std::string request) {
    auto stream = co_await tcp::connect("10.0.0.1:80");
    sim::http_client client(std::move(stream));
    bool const sent = co_await client.send(request);
    CHECK(sent);
    auto const got = co_await client.next();
    if (!got) co_return std::string("nothing");
    co_return std::to_string(got->status) + " " + got->body;
}

task<> check_answer(std::string request, std::string_view wanted) {
    std::string const got = co_await answer_to(std::move(request));
    CHECK(got == wanted);
}

}  // namespace

TEST_CASE(
    "middleware is around plain answers, streams, events, files, content and upgrades alike") {
    test::simulate([]() -> task<> {
        std::vector<exchange_seen> ends;
        web::router app;
        fill(app, ends);
        web::server server(app, "10.0.0.1:80");
        auto const ask = [&]() -> task<> {
            constexpr auto get = [](std::string_view path, std::string_view more = "") {
                return "GET " + std::string(path) + " HTTP/1.1\r\nhost: a\r\n" + std::string(more) +
                       "\r\n";
            };
            std::string const broken = get("/broken");
            co_await check_answer(get("/plain"), "200 12345");
            co_await check_answer(get("/stream"), "200 onetwo");
            std::string const post =
                "POST /content HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nbody";
            co_await check_answer(post, "200 body");
            co_await check_answer(get("/large"), "200 " + std::string(200'000, 'x'));
            co_await check_answer(get("/none"), "404 Not Found\n");
            co_await check_answer(get("/bug"), "500 sorry");
            co_await check_answer(broken, "nothing");
            {
                auto stream = co_await tcp::connect("10.0.0.1:80");
                std::string const up = get("/up", "connection: upgrade\r\nupgrade: raw\r\n");
                co_await stream.write(up);
                std::string all;
                while (auto const piece = co_await stream.receive()) all += piece.view().text();
                CHECK(all.starts_with("HTTP/1.1 101"));
                CHECK(all.ends_with("raw"));
            }
            server.shutdown(1s);
        };
        auto const serve = [&]() -> task<> { co_await server.run_on_this_core(); };
        auto const both = [&](task_group& group) -> task<> {
            group.spawn(serve);
            group.spawn(ask);
            co_return;
        };
        co_await with_task_group(both);
        REQUIRE(ends.size() == 8);
        auto const is = [&](std::size_t i, unsigned status, std::uint64_t bytes, bool whole) {
            CAPTURE(ends[i].path);
            CHECK(ends[i].status == status);
            CHECK(ends[i].bytes == bytes);
            CHECK(ends[i].whole == whole);
        };
        is(0, 200, 5, true);
        is(1, 200, 6, true);
        is(2, 200, 4, true);
        is(3, 200, 200'000, true);
        is(4, 404, 10, true);
        is(5, 500, 5, true);
        is(6, 200, 3, false);
        is(7, 101, 0, true);
    });
}

TEST_CASE("a value that middleware attaches is found by what comes after, the last one first") {
    struct user {
        std::string_view name;
    };
    struct alignas(16) wide {
        std::uint64_t of[4];
    };
    test::simulate([]() -> task<> {
        web::router app;
        app.use([](http::request& req) -> std::optional<http::response> {
            CHECK(req.attached<user>() == nullptr);
            req.attach(user{req.keep("first")});
            req.attach(wide{{1, 2, 3, 4}});
            req.attach(user{req.keep(std::string(300, 'n'))});
            return std::nullopt;
        });
        app.get("/", [](http::request& req) {
            CHECK(reinterpret_cast<std::uintptr_t>(req.attached<wide>()) % 16 == 0);
            CHECK(req.attached<wide>()->of[3] == 4);
            return std::to_string(req.attached<user>()->name.size());
        });
        auto const answer = co_await app.call(call_request(method::get, "/"));
        CHECK(answer.text() == "300");
    });
}
