// Requests that are refused: limits, smuggling, expectations. RFC 9112 sections 2.2, 3, 5, 6, 7.
#include <doctest/doctest.h>

#include <string>

#include "rill/rt/sleep.hpp"
#include "support/raw_client.hpp"
#include "support/test_server.hpp"

using namespace rill;
using test::raw_answer;
using test::raw_client;
using test::test_server;

namespace {

constexpr std::string_view get_hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";

struct app {
    web::router routes;

    app() {
        routes.get("/hello", [] { return "hello"; });
        routes.post("/echo", [](http::request& req) { return std::string(req.body().text()); });
        routes.post("/later", [](http::request& req) -> task<std::string> {
            co_await rill::yield();
            co_return std::string(req.body().text());
        });
        routes.post("/away", [] { return http::redirect("/hello"); });
        routes.get("/set", [](http::request& req) {
            http::response answer(http::status::ok);
            answer.headers().set("x-text", req.query("v"));
            return answer;
        });
        routes.get("/to", [](http::request& req) { return http::redirect(req.query("v")); });
    }
};

// The answer that refuses, on a connection that then ends.
raw_answer refused(address const& at, std::string_view request) {
    raw_client client(at);
    client.send(std::string(request));
    raw_answer const answer = client.read();
    CHECK(answer.field("connection") == "close");
    CHECK(client.read_rest().empty());
    return answer;
}

std::string post(std::string_view path, std::string_view fields, std::string_view rest) {
    std::string text = "POST ";
    text.append(path).append(" HTTP/1.1\r\nHost: a\r\n").append(fields).append("\r\n").append(rest);
    return text;
}

}  // namespace

TEST_CASE("a wrong Content-Length is refused and the connection closed (C002, C032)") {
    app with;
    test_server running(with.routes);
    for (std::string const value :
         {"1_0", "+5", "-268435455700", "0x5", "5 5", "", "1234567890123456789012345"}) {
        CAPTURE(value);
        std::string const request = post("/echo", "Content-Length: " + value + "\r\n",
                                         "0123456789" + std::string(get_hello));
        CHECK(refused(running.at(), request).status == 400);
    }
    raw_client client(running.at());
    CHECK(client.ask(get_hello).status == 200);
}

TEST_CASE("a wrong chunk is refused and what follows is not answered (C005 to C008, C032)") {
    app with;
    test_server running(with.routes);
    for (std::string const chunks :
         {"0_0\r\n\r\n", "0x1\r\na\r\n", "+1\r\na\r\n", "-1\r\na\r\n", " 1\r\na\r\n",
          "1these-bytes\r\na\r\n", "11111111111111111\r\na\r\n", "\r\n", "1\r\nZ\r\n\r\n\r\n",
          "0\r\nXX", "5;a\nb\r\nabcde\r\n", "5\nabcde\r\n", "1\r\naXX"}) {
        CAPTURE(chunks);
        for (std::string_view const path : {"/echo", "/later", "/nowhere"}) {
            std::string const request =
                post(path, "Transfer-Encoding: chunked\r\n", chunks + std::string(get_hello));
            CHECK(refused(running.at(), request).status == 400);
        }
    }
}

TEST_CASE("text behind the last chunk is a trailer and never a request (C007)") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send(post("/echo", "Transfer-Encoding: chunked\r\n",
                     "1\r\na\r\n0\r\nX:" + std::string(get_hello)));
    CHECK(client.read().body == "a");
    client.end();
    CHECK(client.read_rest().empty());
}

TEST_CASE("what could smuggle a request is refused (C009, C011)") {
    app with;
    test_server running(with.routes);
    for (std::string const request : {
             "GET /x\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
             "GET /x\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
             "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n 0\r\n\r\nabcde",
             "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
             "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: "
             "chunked\r\n\r\n0\r\n\r\n",
             "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: "
             "4\r\n\r\nabcd",
             "GET /hello HTTP/1.1\r\n\r\n",
             "GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
             "GET /hello HTTP/1.1\r\nHost : a\r\n\r\n",
         }) {
        CAPTURE(request);
        CHECK(refused(running.at(), request + std::string(get_hello)).status == 400);
    }
}

TEST_CASE("a head over its limits is refused: 414 and 431 (C158)") {
    app with;
    test_server running(with.routes);
    std::string const target = "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n";
    CHECK(refused(running.at(), target).status == 414);
    std::string const large =
        "GET /hello HTTP/1.1\r\nHost: a\r\nx: " + std::string(80 * 1024, 'a') + "\r\n\r\n";
    CHECK(refused(running.at(), large).status == 431);
    std::string many = "GET /hello HTTP/1.1\r\nHost: a\r\n";
    for (int i = 0; i < 5000; ++i) many += "x-" + std::to_string(i) + ": y\r\n";
    CHECK(refused(running.at(), many + "\r\n").status == 431);
}

TEST_CASE("content over its limit is 413 on every kind of route (C158)") {
    app with;
    web::serve_options options;
    options.http.body_bytes = 1000;
    test_server running(with.routes, options);
    for (std::string const path : {"/echo", "/later", "/away", "/nowhere", "/hello"}) {
        CAPTURE(path);
        std::string const body(1001, 'b');
        CHECK(refused(running.at(), post(path, "Content-Length: 1001\r\n", body)).status == 413);
        CHECK(refused(running.at(), post(path, "Content-Length: 1001\r\n", "")).status == 413);
        std::string const chunks = "200\r\n" + std::string(0x200, 'c') + "\r\n";
        CHECK(refused(running.at(), post(path, "Transfer-Encoding: chunked\r\n", chunks + chunks))
                  .status == 413);
    }
    raw_client client(running.at());
    std::string const body(1000, 'b');
    CHECK(client.ask(post("/echo", "Content-Length: 1000\r\n", body)).body == body);
    client.send(post("/echo", "Content-Length: 1000\r\n", ""));
    client.send(body);
    CHECK(client.read().body == body);
}

TEST_CASE("a small limit of content does not limit answers") {
    app with;
    web::serve_options options;
    options.http.body_bytes = 16;
    test_server running(with.routes, options);
    raw_client client(running.at());
    for (int i = 0; i < 4; ++i) {
        client.send(post("/echo", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n"));
        client.send("0\r\n\r\n");
        CHECK(client.read().body == "abc");
        CHECK(client.ask(get_hello).body == "hello");
    }
}

TEST_CASE("a client that streams 50 MB at a limit of 1 MB reads the 413 (C018)") {
    app with;
    test_server running(with.routes);
    for (bool const chunked : {false, true}) {
        raw_client client(running.at());
        bool going = client.send(
            post("/echo",
                 chunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: 50000000\r\n", ""));
        std::string const part(0x10000, 'p');
        for (int i = 0; going && i < 763; ++i) {
            going = client.send(chunked ? "10000\r\n" + part + "\r\n" : part);
        }
        raw_answer const answer = client.read();
        CHECK(answer.status == 413);
        CHECK(answer.field("connection") == "close");
    }
}

TEST_CASE("an expectation of 100 is answered before the body is read (C021)") {
    app with;
    test_server running(with.routes);
    SUBCASE("with a body that fits") {
        for (std::string_view const path : {"/echo", "/later"}) {
            raw_client client(running.at());
            CHECK(client.ask(post(path, "Content-Length: 3\r\nExpect: 100-continue\r\n", ""))
                      .status == 100);
            CHECK(client.ask("abc").body == "abc");
        }
    }
    SUBCASE("with chunks") {
        raw_client client(running.at());
        CHECK(
            client.ask(post("/echo", "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n", ""))
                .status == 100);
        CHECK(client.ask("3\r\nabc\r\n0\r\n\r\n").body == "abc");
    }
    SUBCASE("with a body that is refused") {
        CHECK(refused(running.at(),
                      post("/echo", "Content-Length: 2000000\r\nExpect: 100-continue\r\n", ""))
                  .status == 413);
    }
    SUBCASE("with a body that did not wait") {
        raw_client client(running.at());
        CHECK(client.ask(post("/echo", "Content-Length: 3\r\nExpect: 100-continue\r\n", "abc"))
                  .body == "abc");
    }
    SUBCASE("of HTTP/1.0, which knows none") {
        raw_client client(running.at());
        client.send("POST /echo HTTP/1.0\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
        client.send("abc");
        CHECK(client.read().body == "abc");
    }
    SUBCASE("of something else") {
        CHECK(refused(running.at(), post("/echo", "Content-Length: 3\r\nExpect: foo\r\n", "abc"))
                  .status == 417);
    }
}

TEST_CASE("text of a client cannot split an answer (C023)") {
    app with;
    test_server running(with.routes);
    for (std::string const path : {"/set", "/to"}) {
        raw_client client(running.at());
        raw_answer const answer = client.ask("GET " + path +
                                             "?v=ok%0d%0aInjected:%20yes HTTP/1.1\r\nHost: "
                                             "a\r\n\r\n");
        CHECK(answer.status == 500);
        CHECK(answer.head.find("Injected") == std::string::npos);
        CHECK(client.ask(get_hello).body == "hello");
    }
}
