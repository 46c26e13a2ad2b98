// One connection, many requests. RFC 9112 section 9 (connections), RFC 9110 section 9 (methods).
#include <doctest/doctest.h>

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

constexpr std::string_view get_hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";

// Routes of all kinds.
struct app {
    web::router routes;

    app() {
        routes.get("/hello", [] { return "hello"; });
        routes.get("/echo/{text}",
                   [](http::request& req) { return std::string(req.path("text")); });
        routes.post("/echo", [](http::request& req) { return std::string(req.body().text()); });
        routes.post("/later", [](http::request& req) -> task<std::string> {
            for (int i = 0; i < 20; ++i) co_await rill::yield();
            co_return std::string(req.body().text());
        });
        routes.get("/slow", []() -> task<std::string> {
            for (int i = 0; i < 200; ++i) co_await rill::yield();
            co_return std::string("slow");
        });
        routes.get("/empty", [] { return http::status::ok; });
        routes.get("/none", [] { return http::status::no_content; });
        routes.get("/same", [] { return http::status::not_modified; });
        routes.post("/ignore", [] { return "ignored"; });
        routes.get("/large", [] { return std::string(1024 * 1024, 'x'); });
    }
};

std::string chunked(std::string_view path, std::string_view chunks) {
    std::string text = "POST ";
    text += path;
    text += " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    text += chunks;
    return text;
}

std::string with_length(std::string_view path, std::string_view body) {
    std::string text = "POST ";
    text += path;
    text += " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    text += body;
    return text;
}

}  // namespace

TEST_CASE("a connection is kept and answers one request after another") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    for (int i = 0; i < 3; ++i) {
        raw_answer const answer = client.ask(get_hello);
        CHECK(answer.status == 200);
        CHECK(answer.body == "hello");
        CHECK(answer.field("content-type") == "text/plain; charset=utf-8");
        CHECK(answer.count("date") == 1);
        CHECK(answer.count("connection") == 0);
    }
    auto const& report = running.stop();
    CHECK(report.counters.connections == 1);
    CHECK(report.counters.requests == 3);
    CHECK(report.cut == 0);
}

TEST_CASE("sixteen requests in one write are answered in their order") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    std::string all;
    for (int i = 0; i < 16; ++i) {
        all += "GET /echo/" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
    }
    client.send(all);
    for (int i = 0; i < 16; ++i) CHECK(client.read().body == std::to_string(i));
}

TEST_CASE("pipelined requests keep their order when the first is slow (C019)") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send(std::string("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n") + std::string(get_hello) +
                with_length("/later", "third") + chunked("/later", "6\r\nfourth\r\n0\r\n\r\n") +
                std::string(get_hello));
    CHECK(client.read().body == "slow");
    CHECK(client.read().body == "hello");
    CHECK(client.read().body == "third");
    CHECK(client.read().body == "fourth");
    CHECK(client.read().body == "hello");
}

TEST_CASE("an answer that is ready does not wait for the slow request behind it") {
    web::router routes;
    event released;
    routes.get("/hello", [] { return "hello"; });
    routes.get("/wait", [&released]() -> task<std::string> {
        co_await released.wait();
        co_return std::string("waited");
    });
    routes.get("/go", [&released] {
        released.set();
        return "gone";
    });
    test_server running(routes);
    raw_client client(running.at());
    client.send(std::string(get_hello) + "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.read().body == "hello");
    raw_client other(running.at());
    CHECK(other.ask("GET /go HTTP/1.1\r\nHost: a\r\n\r\n").body == "gone");
    CHECK(client.read().body == "waited");
}

TEST_CASE("requests that come byte by byte are answered once each (C012, C013)") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send_in_bytes(get_hello);
    CHECK(client.read().body == "hello");
    client.send_in_bytes(with_length("/echo", "in one piece"));
    CHECK(client.read().body == "in one piece");
    client.send_in_bytes(chunked("/echo", "3\r\nabc\r\n5;x=\"y\"\r\ndefgh\r\n0\r\nt: v\r\n\r\n"));
    CHECK(client.read().body == "abcdefgh");
    client.send_in_bytes(with_length("/later", "waited"));
    CHECK(client.read().body == "waited");
    CHECK(client.ask(get_hello).body == "hello");
    CHECK(running.stop().counters.requests == 5);
}

TEST_CASE("bodies arrive whole however they are cut (C013)") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    std::string body;
    for (int i = 0; body.size() < 60'000; ++i) body += std::to_string(i) + ' ';
    std::string chunks;
    for (std::size_t at = 0; at < body.size(); at += 8192) {
        std::string const part = body.substr(at, 8192);
        char size[20];
        std::snprintf(size, sizeof(size), "%zx\r\n", part.size());
        chunks += size + part + "\r\n";
    }
    chunks += "0\r\n\r\n";
    for (std::size_t const cut : {3u, 1460u, 8195u, 100'000u}) {
        for (std::string const& request :
             {with_length("/echo", body), chunked("/echo", chunks), with_length("/later", body)}) {
            for (std::size_t at = 0; at < request.size(); at += cut) {
                client.send(std::string_view(request).substr(at, cut));
            }
            CHECK(client.read().body == body);
        }
    }
}

TEST_CASE("a body that the handler ignores is no request (C017)") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    std::string body;
    while (body.size() < 1024 * 1024 - get_hello.size()) body += get_hello;
    client.send(with_length("/ignore", body) + "GET /echo/next HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.read().body == "ignored");
    CHECK(client.read().body == "next");
    CHECK(client.ask(with_length("/nowhere", get_hello)).status == 404);
    CHECK(client.ask(with_length("/hello", get_hello)).status == 405);
    CHECK(client.ask(get_hello).body == "hello");
    CHECK(running.stop().counters.requests == 5);
}

TEST_CASE("HEAD has the fields of GET and no body") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\nHEAD /large HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.read(true).field("content-length") == "5");
    CHECK(client.read(true).field("content-length") == "1048576");
    client.send("HEAD /nowhere HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.read(true).status == 404);
    CHECK(client.ask(get_hello).body == "hello");
}

TEST_CASE("an answer without a body says where it ends (C022)") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    raw_answer const empty = client.ask("GET /empty HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(empty.status == 200);
    CHECK(empty.field("content-length") == "0");
    raw_answer const none = client.ask("GET /none HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(none.status == 204);
    CHECK(none.count("content-length") == 0);
    raw_answer const same = client.ask("GET /same HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(same.status == 304);
    CHECK(client.ask(get_hello).body == "hello");
}

TEST_CASE("unknown paths and methods are answered on a kept connection") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    CHECK(client.ask("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n").status == 404);
    raw_answer const wrong = client.ask("PUT /hello HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(wrong.status == 405);
    CHECK(wrong.field("allow").find("GET") != std::string::npos);
    CHECK(client.ask("OPTIONS /hello HTTP/1.1\r\nHost: a\r\n\r\n").count("allow") == 1);
    CHECK(client.ask("BREW /hello HTTP/1.1\r\nHost: a\r\n\r\n").status == 501);
    CHECK(client.ask(get_hello).body == "hello");
}

TEST_CASE("HTTP/1.0 closes unless it asks to keep, and HTTP/1.1 keeps unless it asks to close") {
    app with;
    test_server running(with.routes);
    SUBCASE("1.0") {
        raw_client client(running.at());
        raw_answer const answer = client.ask("GET /hello HTTP/1.0\r\n\r\n");
        CHECK(answer.body == "hello");
        CHECK(answer.field("connection") == "close");
        CHECK(client.ended());
    }
    SUBCASE("1.0 and keep-alive") {
        raw_client client(running.at());
        for (int i = 0; i < 2; ++i) {
            raw_answer const answer =
                client.ask("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            CHECK(answer.field("connection") == "keep-alive");
        }
    }
    SUBCASE("1.1 and close, with a request behind it that is not answered") {
        raw_client client(running.at());
        client.send(std::string("GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") +
                    std::string(get_hello));
        raw_answer const answer = client.read();
        CHECK(answer.body == "hello");
        CHECK(answer.field("connection") == "close");
        CHECK(client.ended());
    }
    SUBCASE("1.0 with a body and a handler that waits") {
        raw_client client(running.at());
        CHECK(client.ask("POST /later HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc").body == "abc");
        CHECK(client.ended());
    }
}

TEST_CASE("a large answer reaches a client that reads slowly, and requests behind it go on") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at(), 4096);
    client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(get_hello));
    raw_answer const large = client.read();
    CHECK(large.body.size() == 1024 * 1024);
    CHECK(large.body.find_first_not_of('x') == std::string::npos);
    CHECK(client.read().body == "hello");
}

TEST_CASE("the output's bound holds for pipelined requests with content in pieces") {
    web::router routes;
    routes.post("/some", [] { return std::string(16'000, 'y'); });
    test_server running(routes);
    raw_client client(running.at());
    std::string all;
    for (int i = 0; i < 200; ++i) all += chunked("/some", "0\r\n\r\n");
    client.send(all);
    for (int i = 0; i < 200; ++i) CHECK(client.read().body.size() == 16'000);
}

TEST_CASE("many pipelined answers beyond the output's bound all arrive") {
    web::router routes;
    routes.get("/some", [] { return std::string(10'000, 'y'); });
    test_server running(routes);
    raw_client client(running.at());
    std::string all;
    for (int i = 0; i < 100; ++i) all += "GET /some HTTP/1.1\r\nHost: a\r\n\r\n";
    client.send(all);
    for (int i = 0; i < 100; ++i) CHECK(client.read().body.size() == 10'000);
}

TEST_CASE("the last request that a connection may make is answered with close") {
    app with;
    web::serve_options options;
    options.http.requests_per_connection = 3;
    test_server running(with.routes, options);
    SUBCASE("one after another") {
        raw_client client(running.at());
        CHECK(client.ask(get_hello).count("connection") == 0);
        CHECK(client.ask(with_length("/later", "abc")).count("connection") == 0);
        CHECK(client.ask(get_hello).field("connection") == "close");
        CHECK(client.ended());
    }
    SUBCASE("pipelined, with one too many, which is not answered") {
        raw_client client(running.at());
        std::string all;
        for (int i = 0; i < 4; ++i) all += get_hello;
        client.send(all);
        for (int i = 0; i < 2; ++i) CHECK(client.read().count("connection") == 0);
        CHECK(client.read().field("connection") == "close");
        CHECK(client.ended());
        CHECK(running.stop().counters.requests == 3);
    }
}

TEST_CASE(
    "the target in absolute form says the host, and the Host field does not (RFC 9112 3.2.2)") {
    web::router routes;
    routes.get("/host", [](http::request& req) {
        return std::string(req.host()) + ' ' + std::string(req.query());
    });
    test_server running(routes);
    raw_client client(running.at());
    CHECK(client.ask("GET http://a.example:81/host?x=1 HTTP/1.1\r\nHost: b\r\n\r\n").body ==
          "a.example:81 x=1");
    CHECK(client.ask("GET HTTPS://a/host HTTP/1.1\r\nHost: b\r\n\r\n").body == "a ");
    CHECK(client.ask("GET /host HTTP/1.1\r\nHost: b\r\n\r\n").body == "b ");
    CHECK(client.ask("GET http://a HTTP/1.1\r\nHost: b\r\n\r\n").status == 404);
    // The field must be there all the same (RFC 9112 section 3.2).
    CHECK(client.ask("GET http://a/host HTTP/1.1\r\n\r\n").status == 400);
    CHECK(client.ended());
}

TEST_CASE("OPTIONS of the server as a whole lists its methods, in both spellings") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    for (auto const* target : {"*", "http://a"}) {
        CAPTURE(target);
        raw_answer const answer =
            client.ask("OPTIONS " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n");
        CHECK(answer.status == 204);
        CHECK(answer.field("allow") == "GET, HEAD, POST, OPTIONS");
    }
    CHECK(client.ask("GET * HTTP/1.1\r\nHost: a\r\n\r\n").status == 400);
}

TEST_CASE("methods that are unknown, and tunnels, are 501; those that are known are 405") {
    app with;
    with.routes.any("/any", [](http::request& req) { return std::string(req.method_text()); });
    test_server running(with.routes);
    raw_client client(running.at());
    CHECK(client.ask("BREW /nowhere HTTP/1.1\r\nHost: a\r\n\r\n").status == 501);
    CHECK(client.ask("BREW /any HTTP/1.1\r\nHost: a\r\n\r\n").body == "BREW");
    CHECK(client.ask("get /hello HTTP/1.1\r\nHost: a\r\n\r\n").status == 501);
    CHECK(client.ask("PROPFIND /hello HTTP/1.1\r\nHost: a\r\n\r\n").status == 405);
    CHECK(client.ask("TRACE /hello HTTP/1.1\r\nHost: a\r\n\r\n").status == 405);
    CHECK(client.ask("CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n").status == 501);
}
