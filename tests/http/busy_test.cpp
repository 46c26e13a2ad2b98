// A server that has as much to do as it may have: 503, Retry-After, and who still gets in.
// RFC 9110 sections 10.2.3 and 15.6.4, RFC 9112 section 9.6.
#include <doctest/doctest.h>

#include <atomic>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "rill/coro/event.hpp"
#include "rill/http/body_stream.hpp"
#include "rill/rt/foreign_event.hpp"
#include "rill/rt/sleep.hpp"
#include "support/raw_client.hpp"
#include "support/test_server.hpp"

using namespace rill;
using test::raw_answer;
using test::raw_client;
using test::test_server;

namespace {

constexpr std::string_view get_hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view get_hold = "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n";

// Handlers that wait until a request for /release has come; from any core.
struct app {
    web::router routes;
    std::atomic<int> holding = 0;

    explicit app(web::route_options const& limits = {}) {
        routes.get("/hello", [] { return "hello"; });
        auto const hold = [this](http::request&) -> task<std::string> {
            inside const counted(holding);
            foreign_event release;
            wait_at(release.notifier());
            co_await release.wait();
            co_return std::string("held");
        };
        routes.any("/hold", hold, limits);
        routes.get("/other", hold);
        routes.post("/echo", [](http::request& req) { return std::string(req.body().text()); });
        routes.get("/release", [this] {
            std::lock_guard const lock(mutex);
            released = true;
            for (event_notifier const& each : held) each.notify();
            return "released";
        });
    }
    // Until so many handlers wait.
    void wait_for(int count) const {
        while (holding != count) std::this_thread::yield();
    }

private:
    void wait_at(event_notifier const& release) {
        std::lock_guard const lock(mutex);
        if (released) release.notify();
        held.push_back(release);
    }

    std::mutex mutex;  // behind which are the two below
    bool released = false;
    std::vector<event_notifier> held;

    struct inside {
        explicit inside(std::atomic<int>& of) noexcept : count(of) { ++count; }
        inside(inside const&) = delete;
        inside& operator=(inside const&) = delete;
        ~inside() { --count; }
        std::atomic<int>& count;
    };
};

web::serve_options limited(std::uint32_t cores = 1) {
    web::serve_options options;
    options.run.cores = cores;
    return options;
}

void check_busy(raw_answer const& answer, std::string_view pause = "1") {
    CHECK(answer.status == 503);
    CHECK(answer.field("retry-after") == pause);
    CHECK(answer.field("content-type") == "application/problem+json");
    CHECK(answer.field("content-length") == std::to_string(answer.body.size()));
    CHECK(!answer.field("date").empty());
}

}  // namespace

TEST_CASE("a connection beyond the server's number is told 503 and closed, on all cores") {
    for (std::uint32_t const cores : {1U, 2U}) {
        CAPTURE(cores);
        app with;
        web::serve_options options = limited(cores);
        options.http.most_connections = 4;
        test_server running(with.routes, options);
        std::list<raw_client> in;
        for (int i = 0; i < 4; ++i)
            CHECK(in.emplace_back(running.at()).ask(get_hello).status == 200);
        for (int i = 0; i < 3; ++i) {
            raw_client late(running.at());
            raw_answer const answer = late.read();
            check_busy(answer);
            CHECK(answer.field("connection") == "close");
            CHECK(late.ended());
        }
        // One that leaves makes room. Its end travels, so the next may come too early.
        in.pop_front();
        int status = 503;
        while (status == 503) status = raw_client(running.at()).ask(get_hello).status;
        CHECK(status == 200);
        CHECK(in.front().ask(get_hello).status == 200);
        auto const counters = running.stop().counters;
        CHECK(counters.connections_over_server >= 3);
        CHECK(counters.connections_over_address == 0);
    }
}

TEST_CASE("a client that sends while its connection is refused reads the answer (C018)") {
    app with;
    web::serve_options options = limited();
    options.http.most_connections = 1;
    test_server running(with.routes, options);
    raw_client in(running.at());
    CHECK(in.ask(get_hello).status == 200);
    raw_client late(running.at());
    late.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" +
              std::string(100'000, 'x'));
    check_busy(late.read());
    CHECK(late.ended());
}

TEST_CASE("connections that are refused do not wait for each other, and only so many are told") {
    app with;
    web::serve_options options = limited();
    options.http.most_connections = 1;
    options.http.drain_timeout = 600s;  // those that are told stay for as long as they like
    test_server running(with.routes, options);
    raw_client in(running.at());
    CHECK(in.ask(get_hello).status == 200);
    constexpr int told = 64;  // server_core::most_told
    std::list<raw_client> late;
    for (int i = 0; i < told; ++i) CHECK(late.emplace_back(running.at()).read().status == 503);
    for (int i = 0; i < 10; ++i) CHECK(raw_client(running.at()).read().status == 0);
    CHECK(in.ask(get_hello).status == 200);
    CHECK(running.stop(0s).counters.connections_over_server == told + 10);
}

TEST_CASE("an address has its number of connections, and another address its own") {
    app with;
    web::serve_options options = limited(2);
    options.http.most_connections_per_address = 2;
    test_server running(with.routes, options, "[::]:0");
    address const v4 = address::parse("127.0.0.1:0")->with_port(running.at().port());
    address const v6 = address::parse("[::1]:0")->with_port(running.at().port());
    std::list<raw_client> in;
    for (int i = 0; i < 2; ++i) {
        CHECK(in.emplace_back(v4).ask(get_hello).status == 200);
        CHECK(in.emplace_back(v6).ask(get_hello).status == 200);
    }
    check_busy(raw_client(v4).read());
    check_busy(raw_client(v6).read());
    auto const counters = running.stop().counters;
    CHECK(counters.connections_over_address == 2);
    CHECK(counters.connections_over_server == 0);
    CHECK(counters.addresses_uncounted == 0);
}

TEST_CASE("requests that wait are limited over all cores, and what is answered at once is not") {
    for (std::uint32_t const cores : {1U, 2U}) {
        CAPTURE(cores);
        app with;
        web::serve_options options = limited(cores);
        options.http.most_requests = 3;
        options.http.retry_after = 1500ms;  // whole seconds, rounded up
        test_server running(with.routes, options);
        std::list<raw_client> in;
        for (int i = 0; i < 3; ++i) in.emplace_back(running.at()).send(get_hold);
        with.wait_for(3);
        raw_client late(running.at());
        check_busy(late.ask(get_hold), "2");
        // The connection is kept: a client that comes back needs no other.
        CHECK(late.ask(get_hello).body == "hello");
        raw_answer const head = [&] {
            late.send("HEAD /hold HTTP/1.1\r\nHost: a\r\n\r\n");
            return late.read(true);
        }();
        CHECK(head.status == 503);
        CHECK(head.field("retry-after") == "2");
        CHECK(late.ask("GET /release HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
        for (raw_client& each : in) CHECK(each.read().body == "held");
        CHECK(late.ask(get_hold).body == "held");
        CHECK(running.stop().counters.requests_over_server == 2);
    }
}

TEST_CASE("requests that wait for their content count, too") {
    app with;
    web::serve_options options = limited();
    options.http.most_requests = 1;
    test_server running(with.routes, options);
    raw_client slow(running.at());
    CHECK(slow.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n"
                   "Expect: 100-continue\r\n\r\n")
              .status == 100);
    raw_client late(running.at());
    check_busy(late.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"));
    CHECK(late.ask(get_hello).status == 200);
    CHECK(slow.ask("abcdef").body == "abcdef");
    CHECK(late.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc").body == "abc");
}

TEST_CASE("a client that streams 50 MB to a server that is busy reads the 503 (C018)") {
    app with;
    web::serve_options options = limited();
    options.http.most_requests = 1;
    test_server running(with.routes, options);
    raw_client holder(running.at());
    holder.send(get_hold);
    with.wait_for(1);
    raw_client client(running.at());
    client.send("POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n");
    std::string const piece(1'000'000, 'x');
    // The server stops reading: the peer's window fills, or it resets after its drain.
    std::thread sending([&] {
        for (int i = 0; i < 50; ++i) {
            if (!client.send(piece)) break;
        }
    });
    raw_answer const answer = client.read();
    sending.join();
    check_busy(answer);
    CHECK(answer.field("connection") == "close");
}

TEST_CASE("a client that waits for 100 Continue gets 503 instead, without sending") {
    app with({.most_requests = 1});
    test_server running(with.routes, limited());
    raw_client holder(running.at());
    holder.send(get_hold);
    with.wait_for(1);
    raw_client late(running.at());
    raw_answer const answer = late.ask(
        "POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n"
        "Expect: 100-continue\r\n\r\n");
    check_busy(answer);
}

TEST_CASE("a route has its own number of requests that wait") {
    app with({.most_requests = 2});
    test_server running(with.routes, limited(2));
    std::list<raw_client> in;
    for (int i = 0; i < 2; ++i) in.emplace_back(running.at()).send(get_hold);
    with.wait_for(2);
    raw_client late(running.at());
    check_busy(late.ask(get_hold));
    raw_client other(running.at());
    other.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n");
    with.wait_for(3);
    // A client that goes gives its place back.
    in.pop_front();
    with.wait_for(2);
    in.emplace_back(running.at()).send(get_hold);
    with.wait_for(3);
    CHECK(late.ask("GET /release HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
    CHECK(in.back().read().body == "held");
    auto const counters = running.stop().counters;
    CHECK(counters.requests_over_route == 1);
    CHECK(counters.requests_over_server == 0);
}

TEST_CASE("an address has its number of requests that wait") {
    app with;
    web::serve_options options = limited(2);
    options.http.most_requests_per_address = 1;
    test_server running(with.routes, options, "[::]:0");
    raw_client first(address::parse("127.0.0.1:0")->with_port(running.at().port()));
    first.send(get_hold);
    with.wait_for(1);
    check_busy(
        raw_client(address::parse("127.0.0.1:0")->with_port(running.at().port())).ask(get_hold));
    raw_client other(address::parse("[::1]:0")->with_port(running.at().port()));
    other.send(get_hold);
    with.wait_for(2);
    CHECK(running.stop().counters.requests_over_address == 1);
}

TEST_CASE("of a queue that stands who is late gets 503, and nobody once it has gone") {
    web::router routes;
    std::atomic<std::uint64_t> work = 0;
    routes.get("/hello", [] { return "hello"; });
    routes.get("/work", [&work] {
        for (int i = 0; i < 500'000; ++i) work.fetch_add(1, std::memory_order_relaxed);
        return "worked";
    });
    routes.post("/work", [](http::request& req) { return std::string(req.body().text()); });
    web::serve_options options = limited();
    options.http.shed_delay = 1ms;
    options.http.shed_interval = 1ms;
    test_server running(routes, options);
    std::list<raw_client> clients;
    for (int i = 0; i < 40; ++i)
        CHECK(clients.emplace_back(running.at()).ask(get_hello).status == 200);
    std::uint64_t busy = 0;
    for (int round = 0; round < 3; ++round) {
        for (raw_client& each : clients) each.send("GET /work HTTP/1.1\r\nHost: a\r\n\r\n");
        for (raw_client& each : clients) {
            raw_answer const answer = each.read();
            if (answer.status != 200) check_busy(answer);
            busy += answer.status == 200 ? 0 : 1;
        }
    }
    CHECK(busy > 0);
    // With content, which is no request; the connection is kept.
    clients.front().send("GET /work HTTP/1.1\r\nHost: a\r\n\r\n");
    std::string const text(200'000, 'x');
    for (raw_client& each : clients) {
        if (&each == &clients.front()) continue;
        each.send("POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n" + text);
    }
    for (raw_client& each : clients) {
        raw_answer const answer = each.read();
        if (answer.status != 200) check_busy(answer);
        busy += answer.status == 200 ? 0 : 1;
        if (answer.status == 200 && &each != &clients.front()) CHECK(answer.body == text);
    }
    // Nobody else is there now, and the machine has its moments.
    while (clients.front().ask(get_hello).status != 200) ++busy;
    CHECK(running.stop().counters.requests_shed == busy);
}

TEST_CASE("answers that never end do not keep others waiting (C157)") {
    web::router routes;
    std::atomic<int> streams = 0;
    routes.get("/hello", [] { return "hello"; });
    routes.get("/events", [&streams] {
        return http::stream([&streams](http::body_writer& out) -> task<> {
            co_await out.write("data: 1\n\n");
            ++streams;
            event never_set;
            co_await never_set.wait();
        });
    });
    test_server running(routes, limited(2));
    std::list<raw_client> open;
    for (int i = 0; i < 20; ++i) {
        open.emplace_back(running.at()).send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    while (streams != 20) std::this_thread::yield();
    for (int i = 0; i < 10; ++i) CHECK(raw_client(running.at()).ask(get_hello).body == "hello");
}
