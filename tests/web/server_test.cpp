// A server's life: start, shutdown with and without grace, and what can be done too early or twice.
#include "rill/web/server.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <list>
#include <string>
#include <thread>

#include "rill/base/error.hpp"
#include "rill/coro/event.hpp"
#include "rill/rt/sleep.hpp"
#include "support/raw_client.hpp"
#include "support/test_server.hpp"

using namespace rill;
using test::raw_answer;
using test::raw_client;
using test::test_server;

namespace {

constexpr std::string_view get_hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view get_forever = "GET /forever HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view get_wait = "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n";

struct app {
    web::router routes;
    event released;
    std::atomic<int> waiting = 0;

    app() {
        routes.get("/hello", [] { return "hello"; });
        routes.post("/echo", [](http::request& req) { return std::string(req.body().text()); });
        routes.get("/wait", [this]() -> task<std::string> {
            ++waiting;
            waiting.notify_all();
            co_await released.wait();
            co_return std::string("waited");
        });
        routes.get("/forever", [this]() -> task<std::string> {
            ++waiting;
            waiting.notify_all();
            event never_set;
            co_await never_set.wait();
            co_return std::string("never");
        });
    }
    // Until so many handlers wait.
    void wait_for(int count) const {
        for (int now = waiting; now < count; now = waiting) waiting.wait(now);
    }
};

web::serve_options on_one_core() {
    web::serve_options options;
    options.run.cores = 1;
    return options;
}

}  // namespace

TEST_CASE("a shutdown ends idle connections and lets running requests finish (C124)") {
    app with;
    with.routes.get("/go", [&with] {
        with.released.set();
        return "gone";
    });
    test_server running(with.routes);
    std::list<raw_client> idle;
    for (int i = 0; i < 100; ++i) {
        CHECK(idle.emplace_back(running.at()).ask(get_hello).status == 200);
    }
    std::list<raw_client> waiting;
    for (int i = 0; i < 10; ++i) waiting.emplace_back(running.at()).send(get_wait);
    with.wait_for(10);
    std::list<raw_client> uploading;
    for (int i = 0; i < 10; ++i) {
        raw_client& client = uploading.emplace_back(running.at());
        // 100 tells that the server is in the middle of this request.
        CHECK(client
                  .ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nExpect: "
                       "100-continue\r\n\r\n")
                  .status == 100);
        client.send("abc");
    }
    // The one that releases the handlers is itself in the middle of a request: its last bytes come
    // after the shutdown has begun, which the end of the idle connections tells.
    raw_client last(running.at());
    last.send("GET /go HTTP/1.1\r\n");
    CHECK(idle.front().ask(get_hello).status == 200);
    running.server().shutdown(60s);
    for (raw_client& client : idle) CHECK(client.ended());
    CHECK_THROWS(raw_client(running.at()));
    for (raw_client& client : uploading) {
        raw_answer const answer = client.ask("def");
        CHECK(answer.body == "abcdef");
        CHECK(answer.field("connection") == "close");
        CHECK(client.ended());
    }
    CHECK(last.ask("Host: a\r\n\r\n").body == "gone");
    for (raw_client& client : waiting) {
        CHECK(client.read().body == "waited");
        CHECK(client.ended());
    }
    auto const& report = running.stop(60s);
    CHECK(report.cut == 0);
    CHECK(report.alive.empty());
}

TEST_CASE("a shutdown without grace ends idle connections without counting them as cut") {
    app with;
    test_server running(with.routes);
    std::list<raw_client> idle;
    for (int i = 0; i < 10; ++i) {
        CHECK(idle.emplace_back(running.at()).ask(get_hello).status == 200);
    }
    CHECK(running.stop(0s).cut == 0);
    for (raw_client& client : idle) CHECK(client.ended());
}

TEST_CASE("a second shutdown with less grace cuts what runs, and says what it waited for") {
    app with;
    test_server running(with.routes);
    raw_client idle(running.at());
    CHECK(idle.ask(get_hello).status == 200);
    raw_client client(running.at());
    client.send(get_wait);
    with.wait_for(1);
    running.server().shutdown(600s);
    CHECK(idle.ended());
    auto const& report = running.stop(0s);
    CHECK(report.cut == 1);
    REQUIRE(report.alive.size() == 1);
    CAPTURE(report.alive[0]);
    CHECK(report.alive[0].find("server_test.cpp:") != std::string::npos);
    CHECK(client.read().status == 0);
}

TEST_CASE("a shutdown without grace reports the connections that run and nothing else") {
    app with;
    web::serve_options options;
    options.run.cores = 2;
    test_server running(with.routes, options);
    std::list<raw_client> clients;
    for (int i = 0; i < 6; ++i) clients.emplace_back(running.at()).send(get_forever);
    with.wait_for(6);
    auto const& report = running.stop(0s);
    CHECK(report.cut == 6);
    CHECK(report.alive.size() == 6);
}

TEST_CASE("a server that was stopped before its start returns at once (C126)") {
    app with;
    web::server server(with.routes, "127.0.0.1:0", on_one_core());
    server.shutdown(1s);
    server.shutdown(0s);
    CHECK(server.run().cut == 0);
    server.shutdown();
}

TEST_CASE("a server is stopped from one of its handlers, which still answers (C126)") {
    web::router routes;
    web::server* itself = nullptr;
    routes.get("/stop", [&itself] {
        itself->shutdown(60s);
        return "stopping";
    });
    web::serve_options options;
    options.run.cores = 2;
    web::server server(routes, "127.0.0.1:0", options);
    itself = &server;
    std::thread running([&] { CHECK(server.run().cut == 0); });
    {
        raw_client client(server.local_address());
        CHECK(client.ask("GET /stop HTTP/1.1\r\nHost: a\r\n\r\n").body == "stopping");
        CHECK(client.ended());
    }
    running.join();
    server.shutdown(0s);
}

TEST_CASE("servers of two processes share a port only where both were told to") {
    app first;
    web::serve_options options = on_one_core();
    options.share_port = true;
    test_server running(first.routes, options);
    app second;
    test_server beside(second.routes, options, running.at().text());
    CHECK(beside.at() == running.at());
    raw_client client(running.at());
    CHECK(client.ask(get_hello).body == "hello");
}

TEST_CASE("a port in use is told with the address, and stopping is still fine (C126)") {
    app first;
    web::serve_options options = on_one_core();
    test_server running(first.routes, options);
    app second;
    std::string const at = "127.0.0.1:" + std::to_string(running.at().port());
    web::server server(second.routes, at, options);
    CHECK_THROWS_WITH_AS(server.run(), doctest::Contains(at.c_str()), rill::error);
    CHECK_THROWS_AS(static_cast<void>(server.local_address()), rill::error);
    server.shutdown(0s);
    server.shutdown();
    raw_client client(running.at());
    CHECK(client.ask(get_hello).body == "hello");
}

TEST_CASE("a failure to listen is told by local_address also on cores of the program's own") {
    app first;
    web::serve_options options = on_one_core();
    test_server running(first.routes, options);
    app second;
    web::server server(second.routes, "127.0.0.1:" + std::to_string(running.at().port()), options);
    CHECK_THROWS_AS(run(server.run_on_this_core()), rill::error);
    CHECK_THROWS_AS(static_cast<void>(server.local_address()), rill::error);
}

TEST_CASE("an address that is none is told when the server is made") {
    app with;
    CHECK_THROWS_WITH_AS(web::server(with.routes, "nonsense"), doctest::Contains("nonsense"),
                         rill::error);
}

TEST_CASE("two cores share one port and count together") {
    app with;
    web::serve_options options;
    options.run.cores = 2;
    test_server running(with.routes, options);
    for (int i = 0; i < 40; ++i) {
        raw_client client(running.at());
        CHECK(client.ask(get_hello).body == "hello");
    }
    auto const& report = running.stop(60s);
    CHECK(report.counters.connections == 40);
    CHECK(report.counters.requests == 40);
}
