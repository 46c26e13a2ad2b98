// Deadlines, clients that leave, and handlers that fail. RFC 9110 sections 15.5.9 (408), 15.6.4.
#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>

#include "rill/coro/event.hpp"
#include "rill/http/problem.hpp"
#include "rill/rt/sleep.hpp"
#include "support/raw_client.hpp"
#include "support/test_server.hpp"

using namespace rill;
using test::raw_answer;
using test::raw_client;
using test::test_server;

namespace {

constexpr std::string_view get_hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view get_wait = "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n";

// Counts the handlers that have ended, also by a cancellation.
struct ends {
    std::atomic<int> count = 0;
    std::promise<void> first;

    struct guard {
        ends& of;
        explicit guard(ends& in) noexcept : of(in) {}
        guard(guard const&) = delete;
        guard& operator=(guard const&) = delete;
        ~guard() {
            if (of.count++ == 0) of.first.set_value();
        }
    };
};

struct app {
    web::router routes;
    event released;
    ends handlers;

    app() {
        routes.get("/hello", [] { return "hello"; });
        routes.post("/echo", [](http::request& req) { return std::string(req.body().text()); });
        routes.get("/large", [] { return std::string(64 * 1024 * 1024, 'x'); });
        routes.get("/wait", [this]() -> task<std::string> {
            ends::guard const counted(handlers);
            co_await released.wait();
            co_return std::string("waited");
        });
        routes.get("/go", [this] {
            released.set();
            return "gone";
        });
    }
};

}  // namespace

TEST_CASE("a head that does not come in time is answered with 408") {
    app with;
    web::serve_options options;
    options.http.head_timeout = 20ms;
    test_server running(with.routes, options);
    raw_client client(running.at());
    raw_answer const answer = client.ask("GET /hello HTTP/1.1\r\nHost:");
    CHECK(answer.status == 408);
    CHECK(answer.field("connection") == "close");
    CHECK(client.ended());
    CHECK(running.stop().counters.timed_out == 1);
}

TEST_CASE("a head in drops does not put its deadline off") {
    app with;
    web::serve_options options;
    options.http.head_timeout = 50ms;
    test_server running(with.routes, options);
    raw_client client(running.at());
    bool going = client.send("GET /hello HTTP/1.1\r\nHost: a\r\n");
    // Sends until it is cut off: without the deadline this would not end but by 431.
    for (int i = 0; going && i < 2000; ++i) going = client.send("x");
    CHECK(client.read().status == 408);
}

TEST_CASE("a body that does not come in time is answered with 408") {
    app with;
    web::serve_options options;
    options.http.body_timeout = 20ms;
    test_server running(with.routes, options);
    raw_client client(running.at());
    raw_answer const answer =
        client.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc");
    CHECK(answer.status == 408);
    CHECK(client.ended());
    CHECK(running.stop().counters.timed_out == 1);
}

TEST_CASE("an idle connection ends without an answer") {
    app with;
    web::serve_options options;
    options.http.idle_timeout = 20ms;
    test_server running(with.routes, options);
    SUBCASE("before its first request") {
        raw_client client(running.at());
        CHECK(client.ended());
    }
    SUBCASE("after a request") {
        raw_client client(running.at());
        client.send(get_hello);
        raw_answer const answer = client.read();
        CHECK(client.ended());
        CHECK((answer.status == 200 || answer.status == 0));
    }
    CHECK(running.stop().counters.timed_out == 1);
}

TEST_CASE("a client that takes nothing is cut off") {
    app with;
    web::serve_options options;
    options.http.write_timeout = 50ms;
    test_server running(with.routes, options);
    raw_client stalled(running.at(), 4096);
    stalled.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    // The server notices by itself: nothing is read here until it has gone.
    raw_client other(running.at());
    CHECK(other.ask(get_hello).body == "hello");
    auto const& report = running.stop(30s);
    CHECK(report.cut == 0);
    CHECK(report.counters.timed_out == 1);
    CHECK(stalled.read_rest().size() < 64 * 1024 * 1024);
}

TEST_CASE("a handler over its deadline is cancelled and answered with 503") {
    app with;
    web::serve_options options;
    options.http.handler_timeout = 20ms;
    test_server running(with.routes, options);
    raw_client client(running.at());
    CHECK(client.ask(get_wait).status == 503);
    CHECK(with.handlers.count == 1);
    CHECK(client.ask(get_hello).body == "hello");
    CHECK(running.stop().counters.timed_out == 1);
}

TEST_CASE("a handler ends with its client") {
    app with;
    test_server running(with.routes);
    auto ended = with.handlers.first.get_future();
    {
        raw_client client(running.at());
        client.send(get_wait);
        raw_client other(running.at());
        CHECK(other.ask(get_hello).body == "hello");
        SUBCASE("that closes") {
            client.end();
        }
        SUBCASE("that resets") {
            client.reset();
        }
    }
    CHECK(ended.wait_for(std::chrono::seconds(30)) == std::future_status::ready);
    auto const& report = running.stop(30s);
    CHECK(report.counters.clients_gone == 1);
    CHECK(report.cut == 0);
}

TEST_CASE("with half_close a client that has ended its side still gets its answer") {
    app with;
    web::serve_options options;
    options.http.half_close = true;
    test_server running(with.routes, options);
    raw_client client(running.at());
    client.send(get_wait);
    client.end();
    raw_client other(running.at());
    CHECK(other.ask(get_hello).body == "hello");
    CHECK(other.ask("GET /go HTTP/1.1\r\nHost: a\r\n\r\n").body == "gone");
    CHECK(client.read().body == "waited");
    CHECK(client.ended());
    CHECK(running.stop().counters.clients_gone == 0);
}

TEST_CASE("a client that ends its side gets the answer of a handler that does not wait") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send(get_hello);
    client.end();
    CHECK(client.read().body == "hello");
    CHECK(client.ended());
}

TEST_CASE("what a handler throws is an answer, and the connection goes on") {
    web::router routes;
    routes.get("/plain/problem", []() -> std::string { throw http::problem(404, "no such user"); });
    routes.get("/plain/error", []() -> std::string { throw std::runtime_error("secret"); });
    routes.get("/plain/other", []() -> std::string { throw 5; });
    routes.get("/later/problem", []() -> task<std::string> {
        co_await rill::yield();
        throw http::problem(409, "no such user");
    });
    routes.get("/later/error", []() -> task<std::string> {
        co_await rill::yield();
        throw std::runtime_error("secret");
    });
    test_server running(routes);
    raw_client client(running.at());
    auto const status_of = [&](std::string const& path) {
        raw_answer const answer = client.ask("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
        CHECK(answer.body.find("secret") == std::string::npos);
        CHECK(answer.count("connection") == 0);
        return answer.status;
    };
    CHECK(status_of("/plain/problem") == 404);
    CHECK(status_of("/plain/error") == 500);
    CHECK(status_of("/plain/other") == 500);
    CHECK(status_of("/later/problem") == 409);
    CHECK(status_of("/later/error") == 500);
    CHECK(running.stop().counters.failed == 3);
}

TEST_CASE("a status that ends no request is answered as a failure of the server") {
    web::router routes;
    routes.get("/100", [] { return http::status{100}; });
    routes.get("/700", [] { return http::status{700}; });
    routes.get("/problem", []() -> std::string { throw http::problem(999, "odd"); });
    test_server running(routes);
    raw_client client(running.at());
    for (std::string const path : {"/100", "/700", "/problem"}) {
        CAPTURE(path);
        CHECK(client.ask("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n").status == 500);
    }
}

namespace {

// Waits for "/later" alone; of the rest it answers at once.
struct seldom_waits {
    std::atomic<int>* coroutines;

    [[nodiscard]] std::optional<http::response> ready(http::request& req) const {
        if (req.path() == "/later") return std::nullopt;
        if (req.path() == "/throws") throw http::problem(409, "not now");
        if (req.path() == "/large") return http::text(std::string(100'000, 'x'));
        return http::text("at once");
    }
    task<http::response> operator()(http::request& req) const {
        ++*coroutines;
        co_await yield();
        co_return http::text("later at " + std::string(req.path()));
    }
};

}  // namespace

TEST_CASE("a handler that is ready answers in its turn and without a coroutine") {
    std::atomic<int> coroutines = 0;
    web::router routes;
    routes.get("/{what}", seldom_waits{&coroutines});
    test_server running(routes);
    raw_client client(running.at());
    client.send(
        "GET /now HTTP/1.1\r\nHost: a\r\n\r\nGET /later HTTP/1.1\r\nHost: a\r\n\r\n"
        "GET /large HTTP/1.1\r\nHost: a\r\n\r\nGET /throws HTTP/1.1\r\nHost: a\r\n\r\n"
        "GET /now HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.read().body == "at once");
    CHECK(client.read().body == "later at /later");
    CHECK(client.read().body == std::string(100'000, 'x'));
    CHECK(client.read().status == 409);
    CHECK(client.read().body == "at once");
    client.send("HEAD /large HTTP/1.1\r\nHost: a\r\n\r\n");
    raw_answer const head = client.read(true);
    CHECK(head.field("content-length") == "100000");
    CHECK(head.body.empty());
    CHECK(coroutines == 1);
}
