// Bodies that are made while they are sent. RFC 9112 sections 6.1 and 7.1.
#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>

#include "rill/coro/event.hpp"
#include "rill/rt/sleep.hpp"
#include "support/raw_client.hpp"
#include "support/test_server.hpp"

using namespace rill;
using test::raw_answer;
using test::raw_client;
using test::test_server;

namespace {

constexpr std::string_view keep = " HTTP/1.1\r\nHost: a\r\n\r\n";

std::string get(std::string_view path) {
    return "GET " + std::string(path) + std::string(keep);
}

// Takes a chunked body apart by hand, without the codec; empty when it does not end.
std::string joined(std::string text) {
    std::string body;
    for (;;) {
        std::size_t const line = text.find("\r\n");
        if (line == std::string::npos) return {};
        std::size_t const size = std::stoul(text.substr(0, line), nullptr, 16);
        if (size == 0) return text.substr(line) == "\r\n\r\n" ? body : std::string();
        if (text.size() < line + 2 + size + 2) return {};
        body += text.substr(line + 2, size);
        if (text.substr(line + 2 + size, 2) != "\r\n") return {};
        text.erase(0, line + 2 + size + 2);
    }
}

struct app {
    web::router routes;
    event released;
    std::atomic<int> written = 0;
    std::promise<void> cancelled;

    app() {
        routes.get("/three", [] {
            return http::stream(
                [](http::body_writer& out) -> task<> {
                    co_await out.write("one ");
                    co_await yield();
                    co_await out.write("");
                    co_await out.write("two ");
                    co_await out.write("three");
                },
                http::content_types::text);
        });
        routes.get("/trailed", [](http::request& req) {
            bool const wrong = req.has_query("wrong");
            return http::stream([wrong](http::body_writer& out) -> task<> {
                co_await out.write("body");
                out.trailer("digest", "x=1");
                out.trailer(wrong ? "Content-Length" : "last", "z");
            });
        });
        routes.get("/nothing",
                   [] { return http::stream([](http::body_writer&) -> task<> { co_return; }); });
        routes.get("/broken", [] {
            return http::stream([](http::body_writer& out) -> task<> {
                co_await out.write("begun");
                throw std::runtime_error("no more");
            });
        });
        routes.get("/large", [this] {
            return http::stream([this](http::body_writer& out) -> task<> {
                std::string const piece(64 * 1024, 'x');
                for (int i = 0; i < 1024; ++i) {
                    co_await out.write(piece);
                    ++written;
                }
            });
        });
        routes.get("/wait", [this] {
            return http::stream([this](http::body_writer& out) -> task<> {
                struct guard {
                    std::promise<void>& told;
                    ~guard() { told.set_value(); }
                } const told{cancelled};
                co_await out.write("begun");
                co_await released.wait();
            });
        });
        routes.get("/hello", [] { return "hello"; });
    }
};

}  // namespace

TEST_CASE("a streamed body comes in chunks and the connection goes on") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    REQUIRE(
        client.send(get("/three") + "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    std::string const all = client.read_rest();
    std::size_t const body = all.find("\r\n\r\n") + 4;
    std::size_t const second = all.find("HTTP/1.1 200", body);
    REQUIRE(second != std::string::npos);
    CHECK(all.substr(0, body).find("transfer-encoding: chunked\r\n") != std::string::npos);
    CHECK(all.substr(0, body).find("content-length") == std::string::npos);
    CHECK(joined(all.substr(body, second - body)) == "one two three");
    CHECK(all.ends_with("hello"));
}

TEST_CASE("trailers follow a streamed body for a client that takes them") {
    app with;
    test_server running(with.routes);
    auto const rest_of = [&running](std::string_view target, std::string_view fields) {
        raw_client client(running.at());
        client.send("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" +
                    std::string(fields) + "Connection: close\r\n\r\n");
        std::string const all = client.read_rest();
        return all.substr(all.find("\r\n\r\n") + 4);
    };
    constexpr std::string_view trailed = "4\r\nbody\r\n0\r\ndigest: x=1\r\nlast: z\r\n\r\n";
    CHECK(rest_of("/trailed", "TE: trailers\r\n") == trailed);
    CHECK(rest_of("/trailed", "te: deflate;q=0.5, Trailers\r\n") == trailed);
    CHECK(rest_of("/trailed", "") == "4\r\nbody\r\n0\r\n\r\n");
    CHECK(rest_of("/trailed", "TE: deflate\r\n") == "4\r\nbody\r\n0\r\n\r\n");
    // One that must not be a trailer is the producer's fault: the body is cut.
    CHECK(rest_of("/trailed?wrong", "TE: trailers\r\n") == "4\r\nbody\r\n");
    CHECK(running.stop().counters.failed == 1);
}

TEST_CASE("a stream that writes nothing is an empty body") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    REQUIRE(client.send("GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    CHECK(client.read_rest().ends_with("\r\n\r\n0\r\n\r\n"));
}

TEST_CASE("HEAD of a streamed body has its fields and runs no producer") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    REQUIRE(client.send("HEAD /large HTTP/1.1\r\nHost: a\r\n\r\n"));
    raw_answer const answer = client.read(true);
    CHECK(answer.status == 200);
    CHECK(answer.field("transfer-encoding") == "chunked");
    CHECK(client.ask(get("/hello")).body == "hello");
    CHECK(with.written == 0);
}

TEST_CASE("a client of HTTP/1.0 gets the body as it is, ended by the end of the connection") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    REQUIRE(client.send("GET /three HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    std::string const all = client.read_rest();
    CHECK(all.find("transfer-encoding") == std::string::npos);
    CHECK(all.find("connection: close\r\n") != std::string::npos);
    CHECK(all.ends_with("\r\n\r\none two three"));
}

TEST_CASE("a producer that throws cuts the body: it is never ended as if complete") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    REQUIRE(client.send(get("/broken")));
    std::string const all = client.read_rest();
    CHECK(all.find("5\r\nbegun\r\n") != std::string::npos);
    CHECK(all.find("0\r\n\r\n") == std::string::npos);
    CHECK(running.stop().counters.failed == 1);
}

TEST_CASE("a producer waits for a slow client and every byte arrives") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at(), 4096);
    REQUIRE(client.send("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    std::string const all = client.read_rest();
    std::string const body = joined(all.substr(all.find("\r\n\r\n") + 4));
    CHECK(body.size() == 64 * 1024 * 1024);
    CHECK(with.written == 1024);
}

TEST_CASE("a producer is cancelled when its client leaves, without a write") {
    app with;
    test_server running(with.routes);
    {
        raw_client client(running.at());
        REQUIRE(client.send(get("/wait")));
        // The reset comes after the body has begun.
        raw_client other(running.at());
        CHECK(other.ask(get("/hello")).body == "hello");
        client.reset();
    }
    with.cancelled.get_future().wait();
    auto const& report = running.stop();
    CHECK(report.cut == 0);
}
