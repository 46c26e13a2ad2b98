// Content that its handler reads while it arrives.
// RFC 9110 sections 6.4, 6.5 and 10.1.1; RFC 9112 sections 6, 7.1.2, 9.3 and 9.6.
#include <doctest/doctest.h>

#include <atomic>
#include <string>

#include "rill/coro/event.hpp"
#include "rill/http/problem.hpp"
#include "rill/http/streaming_request.hpp"
#include "support/raw_client.hpp"
#include "support/test_server.hpp"

using namespace rill;
using test::raw_answer;
using test::raw_client;
using test::test_server;

namespace {

constexpr std::string_view get_hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";

std::string post(std::string_view path, std::string_view fields, std::string_view content) {
    std::string text = "POST ";
    text.append(path).append(" HTTP/1.1\r\nHost: a\r\n").append(fields).append("\r\n");
    text.append(content);
    return text;
}
std::string with_length(std::string_view path, std::string_view content,
                        std::string_view fields = {}) {
    std::string length = "Content-Length: " + std::to_string(content.size()) + "\r\n";
    return post(path, length.append(fields), content);
}
std::string in_chunks(std::string_view path, std::string_view chunks) {
    return post(path, "Transfer-Encoding: chunked\r\n", chunks);
}

struct app {
    web::router routes;
    event released;
    std::atomic<std::uint64_t> taken = 0;
    std::atomic<int> started = 0;

    app() {
        routes.get("/hello", [] { return "hello"; });
        routes.post("/count", [this](http::streaming_request& req) { return count(req); });
        routes.post("/first", first);
        routes.post("/ignore", [this](http::streaming_request&) -> task<std::string> {
            ++started;
            co_return std::string("ignored");
        });
        routes.post("/forbidden", [](http::streaming_request& req) -> task<std::string> {
            if (!req.has_header("authorization")) throw http::problem(401, "who are you?");
            co_return std::string("in");
        });
        routes.post("/trailers", trailers);
        routes.post("/echo", [](http::streaming_request& req) -> task<http::response> {
            co_return http::stream([&req](http::body_writer& out) -> task<> {
                while (auto piece = co_await req.body().read()) co_await out.write(*piece);
            });
        });
        routes.post("/gate", [this](http::streaming_request& req) { return gate(req); });
        routes.post("/open", [this] {
            released.set();
            return "open";
        });
        routes.post(
            "/large", [this](http::streaming_request& req) { return count(req); },
            web::route_options{.body_bytes = 1 << 30});
        routes.post(
            "/small", [this](http::streaming_request& req) { return count(req); },
            web::route_options{.body_bytes = 10});
        routes.post(
            "/small/whole", [](http::request& req) { return std::string(req.body().text()); },
            web::route_options{.body_bytes = 10});
        routes.post(
            "/soon", [this](http::streaming_request& req) { return count(req); },
            web::route_options{.body_timeout = 20ms});
        routes.post(
            "/brief", [this](http::streaming_request& req) { return count(req); },
            web::route_options{.handler_timeout = 20ms});
        routes.post("/swallow", swallow);
    }

    task<std::string> count(http::streaming_request& req) {
        ++started;
        std::uint64_t size = 0;
        unsigned sum = 0;
        while (auto piece = co_await req.body().read()) {
            size += piece.size();
            taken += piece.size();
            for (char const c : piece.text()) sum = sum * 31 + static_cast<unsigned char>(c);
        }
        auto const again = co_await req.body().read();
        co_return std::to_string(size) + ':' + std::to_string(sum) + (again ? "?" : "");
    }
    static task<std::string> first(http::streaming_request& req) {
        auto const piece = co_await req.body().read();
        co_return std::string(piece.text());
    }
    static task<std::string> trailers(http::streaming_request& req) {
        std::string all = req.body().trailers().empty() ? "none before;" : "early;";
        while (auto piece = co_await req.body().read()) all += piece.text();
        for (http::field const each : req.body().trailers()) {
            all.append(";").append(each.name).append("=").append(each.value);
        }
        co_return all;
    }
    task<std::string> gate(http::streaming_request& req) {
        auto const piece = co_await req.body().read();
        std::size_t size = piece.size();
        co_await released.wait();
        while (auto more = co_await req.body().read()) size += more.size();
        co_return std::to_string(size);
    }
    static task<std::string> swallow(http::streaming_request& req) {
        std::string what = "fine";
        try {
            while (auto piece = co_await req.body().read()) {
            }
        } catch (http::problem const& known) {
            what = "caught " + std::to_string(http::code_of(known.status()));
        }
        co_return what;
    }
};

// What /count says of it.
std::string counted(std::string_view content) {
    unsigned sum = 0;
    for (char const c : content) sum = sum * 31 + static_cast<unsigned char>(c);
    return std::to_string(content.size()) + ':' + std::to_string(sum);
}

}  // namespace

TEST_CASE(
    "a handler reads content with a length and content in chunks, and the connection is kept") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    for (int i = 0; i < 3; ++i) {
        CHECK(client.ask(with_length("/count", "0123456789")).body == counted("0123456789"));
        CHECK(client.ask(in_chunks("/count", "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n")).body ==
              counted("abcde"));
        CHECK(client.ask(with_length("/count", "")).body == counted(""));
        CHECK(client.ask(post("/count", "", "")).body == counted(""));
    }
    // Pipelined: what follows the content is the next request, no more and no less.
    client.send(with_length("/count", "one") + in_chunks("/count", "3\r\ntwo\r\n0\r\n\r\n") +
                with_length("/count", "three") + std::string(get_hello));
    CHECK(client.read().body == counted("one"));
    CHECK(client.read().body == counted("two"));
    CHECK(client.read().body == counted("three"));
    CHECK(client.read().body == "hello");
    CHECK(running.stop().counters.failed == 0);
}

TEST_CASE("content that comes byte by byte is read alike") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send_in_bytes(with_length("/count", "0123456789"));
    CHECK(client.read().body == counted("0123456789"));
    client.send_in_bytes(in_chunks("/count", "3\r\nabc\r\n2\r\nde\r\n0\r\na: b\r\n\r\n"));
    CHECK(client.read().body == counted("abcde"));
    CHECK(client.ask(get_hello).body == "hello");
}

TEST_CASE("a handler starts before its content is there, and a slow one makes its client wait") {
    app with;
    test_server running(with.routes, [] {
        web::serve_options options;
        options.http.body_bytes = 64 << 20;
        return options;
    }());
    raw_client client(running.at());
    raw_client other(running.at());
    std::string const content(32 << 20, 'x');
    client.send(post("/gate", "Content-Length: " + std::to_string(content.size()) + "\r\n", "x"));
    // More than the sockets hold: it is all taken only because the handler reads on.
    CHECK(other.ask(with_length("/open", "")).body == "open");
    CHECK(client.send(std::string_view(content).substr(1)));
    CHECK(client.read().body == std::to_string(content.size()));
}

TEST_CASE("a large upload passes the route's own limit and not the server's") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    std::string const content(5 << 20, 'y');
    CHECK(client.ask(with_length("/large", content)).body == counted(content));
    CHECK(client.ask(get_hello).body == "hello");
}

TEST_CASE("content over a limit is refused before it is read (C158)") {
    app with;
    test_server running(with.routes);
    for (auto const* path : {"/count", "/small/whole", "/small", "/nowhere", "/hello"}) {
        CAPTURE(path);
        raw_client client(running.at());
        raw_answer const answer = client.ask(post(path, "Content-Length: 1048577\r\n", ""));
        CHECK(answer.status == 413);
        CHECK(answer.field("connection") == "close");
        CHECK(client.ended());
    }
    CHECK(with.started == 0);
    // At the limit and one above it, by length and in chunks, which only counting can tell.
    for (auto const* path : {"/small", "/small/whole"}) {
        CAPTURE(path);
        raw_client client(running.at());
        CHECK(client.ask(with_length(path, "0123456789")).status == 200);
        CHECK(client.ask(in_chunks(path, "a\r\n0123456789\r\n0\r\n\r\n")).status == 200);
        CHECK(client.ask(in_chunks(path, "a\r\n0123456789\r\n1\r\n0\r\n0\r\n\r\n")).status == 413);
        CHECK(client.ended());
        raw_client again(running.at());
        CHECK(again.ask(with_length(path, "0123456789a")).status == 413);
    }
}

TEST_CASE("a chunked body over the limit is 413 where no route is, too (C158)") {
    app with;
    web::serve_options options;
    options.http.body_bytes = 10;
    test_server running(with.routes, options);
    for (auto const* path : {"/nowhere", "/hello", "/count"}) {
        CAPTURE(path);
        raw_client client(running.at());
        CHECK(client.ask(in_chunks(path, "b\r\n0123456789a\r\n0\r\n\r\n")).status == 413);
        CHECK(client.ended());
    }
}

TEST_CASE("content that a handler does not read is never a request (C017)") {
    app with;
    test_server running(with.routes);
    std::string inside;
    while (inside.size() < 1'000'000) inside += get_hello;
    for (auto const* path : {"/ignore", "/first"}) {
        CAPTURE(path);
        raw_client client(running.at());
        // Little is left: it is dropped, and the connection goes on.
        client.send(with_length(path, get_hello) + "GET /none HTTP/1.1\r\nHost: a\r\n\r\n");
        CHECK(client.read().status == 200);
        CHECK(client.read().status == 404);
        // Little that comes late.
        client.send(post(path, "Content-Length: 100000\r\n", std::string(10, 'x')));
        raw_answer const early = client.read();
        CHECK(early.status == 200);
        CHECK(early.count("connection") == 0);
        client.send(inside.substr(0, 100'000 - 10));
        CHECK(client.ask("GET /none HTTP/1.1\r\nHost: a\r\n\r\n").status == 404);
        // Much is left: the answer says close, and reaches the client.
        client.send(with_length(path, inside));
        raw_answer const answer = client.read();
        CHECK(answer.status == 200);
        CHECK(answer.field("connection") == "close");
        CHECK(client.ended());
    }
    // Chunks that are there are dropped; more of them nobody can foresee.
    raw_client client(running.at());
    CHECK(client.ask(in_chunks("/ignore", "3\r\nabc\r\n0\r\n\r\n")).count("connection") == 0);
    CHECK(client.ask(in_chunks("/ignore", "3\r\nabc\r\n")).field("connection") == "close");
    CHECK(client.ended());
}

TEST_CASE("a client that streams 50 MB to a handler that refuses reads the answer (C018)") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send(post("/forbidden", "Transfer-Encoding: chunked\r\n", ""));
    std::string chunk = "100000\r\n" + std::string(1 << 20, 'x') + "\r\n";
    bool taken = true;
    for (int i = 0; i < 50 && taken; ++i) taken = client.send(chunk);
    raw_answer const answer = client.read();
    CHECK(answer.status == 401);
    CHECK(answer.field("connection") == "close");
}

TEST_CASE("100 is sent at the first read and not where the handler answers without one (C021)") {
    app with;
    test_server running(with.routes);
    std::string const expects = "Content-Length: 5\r\nExpect: 100-continue\r\n";
    SUBCASE("a handler that reads") {
        raw_client client(running.at());
        CHECK(client.ask(post("/count", expects, "")).status == 100);
        client.send("hello");
        CHECK(client.read().body == counted("hello"));
        CHECK(client.ask(get_hello).body == "hello");
    }
    SUBCASE("a handler that refuses, and paths that have none") {
        for (auto const* path : {"/forbidden", "/nowhere", "/hello"}) {
            CAPTURE(path);
            raw_client client(running.at());
            raw_answer const answer = client.ask(post(path, expects, ""));
            CHECK(answer.status >= 401);
            // The client may send the content or not: the connection cannot go on.
            CHECK(answer.field("connection") == "close");
            CHECK(client.ended());
        }
    }
    SUBCASE("content that is there already") {
        raw_client client(running.at());
        CHECK(client.ask(post("/count", expects, "hello")).body == counted("hello"));
        CHECK(client.ask(post("/forbidden", expects, "hello")).status == 401);
        CHECK(client.ask(get_hello).body == "hello");
    }
    SUBCASE("a length over the limit") {
        raw_client client(running.at());
        std::string const much = "Content-Length: 2000000\r\nExpect: 100-continue\r\n";
        CHECK(client.ask(post("/count", much, "")).status == 413);
        CHECK(client.ended());
    }
    SUBCASE("a client of HTTP/1.0 is not asked") {
        raw_client client(running.at());
        client.send("POST /count HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
        client.send("hello");
        CHECK(client.read().body == counted("hello"));
    }
    SUBCASE("another expectation is 417") {
        raw_client client(running.at());
        CHECK(client.ask(post("/count", "Content-Length: 5\r\nExpect: foo\r\n", "")).status == 417);
        CHECK(client.ended());
    }
    SUBCASE("an answer that is read from the content sends no 100 behind its own head") {
        raw_client client(running.at());
        client.send(post("/echo", expects, ""));
        raw_answer const answer = client.read(true);
        CHECK(answer.status == 200);
        CHECK(answer.field("connection") == "close");
        client.send("hello");
        CHECK(client.read_rest() == "5\r\nhello\r\n0\r\n\r\n");
    }
}

TEST_CASE("content flows through a handler into its answer") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send(in_chunks("/echo", "3\r\nabc\r\n"));
    raw_answer answer = client.read(true);
    CHECK(answer.status == 200);
    CHECK(answer.count("connection") == 0);
    client.send(
        "4\r\ndefg\r\n0\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    std::string const rest = client.read_rest();
    CHECK(rest.find("defg") != std::string::npos);
    CHECK(rest.find("0\r\n\r\nHTTP/1.1 200") != std::string::npos);
    CHECK(rest.ends_with("hello"));
}

TEST_CASE("trailers are there after the end, without those that must not be (RFC 9110 6.5.1)") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    CHECK(
        client
            .ask(in_chunks("/trailers",
                           "3\r\nabc\r\n0\r\nDigest: x\r\nContent-Length: 7\r\nHost: evil\r\n"
                           "Authorization: y\r\nTransfer-Encoding: chunked\r\nlast: \tz \r\n\r\n"))
            .body == "none before;abc;Digest=x;last=z");
    client.send_in_bytes(in_chunks("/trailers", "1\r\na\r\n0\r\nk: v\r\n\r\n"));
    CHECK(client.read().body == "none before;a;k=v");
    CHECK(client.ask(with_length("/trailers", "abc")).body == "none before;abc");
    std::string many = "0\r\n";
    for (int i = 0; i < 33; ++i) many += "k: v\r\n";
    CHECK(client.ask(in_chunks("/trailers", many + "\r\n")).status == 431);
    CHECK(client.ended());
}

TEST_CASE("what a client does wrong is the right answer, whatever the handler makes of it") {
    app with;
    test_server running(with.routes);
    SUBCASE("a bad chunk") {
        raw_client client(running.at());
        raw_answer const answer = client.ask(in_chunks("/count", "3\r\nabcX"));
        CHECK(answer.status == 400);
        CHECK(answer.field("connection") == "close");
        CHECK(client.ended());
    }
    SUBCASE("a bad chunk, and a handler that goes on") {
        raw_client client(running.at());
        raw_answer const answer =
            client.ask(in_chunks("/swallow", "3\r\nabcX" + std::string(get_hello)));
        CHECK(answer.body == "caught 400");
        CHECK(answer.field("connection") == "close");
        CHECK(client.ended());
    }
    SUBCASE("content that does not come") {
        raw_client client(running.at());
        raw_answer const answer = client.ask(post("/soon", "Content-Length: 5\r\n", "abc"));
        CHECK(answer.status == 408);
        CHECK(answer.field("connection") == "close");
        CHECK(client.ended());
    }
    auto const& report = running.stop();
    CHECK(report.counters.refused == 1);
    CHECK(report.counters.failed == 0);
}

TEST_CASE("a route's deadline cancels a handler that waits for content") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    raw_answer const answer = client.ask(post("/brief", "Content-Length: 999999\r\n", "abc"));
    CHECK(answer.status == 503);
    CHECK(answer.field("connection") == "close");
    CHECK(client.ended());
}

TEST_CASE("a client that ends its side within its content gets no answer") {
    for (bool const half_close : {false, true}) {
        app with;
        web::serve_options options;
        options.http.half_close = half_close;
        test_server running(with.routes, options);
        raw_client client(running.at());
        client.send(post("/count", "Content-Length: 5\r\n", "abc"));
        client.end();
        CHECK(client.read_rest().empty());
        auto const& report = running.stop();
        CHECK(report.counters.clients_gone == 1);
        CHECK(report.counters.failed == 0);
    }
}
