// Connections that change their protocol. RFC 9110 sections 7.8, 15.2.2 (101) and 15.5.22 (426).
#include "rill/http/upgrade.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>

#include "rill/rt/sleep.hpp"
#include "support/raw_client.hpp"
#include "support/test_server.hpp"

using namespace rill;
using test::raw_answer;
using test::raw_client;
using test::test_server;

namespace {

constexpr std::string_view offer = "Connection: keep-alive, Upgrade\r\nUpgrade: other, Shout\r\n";

std::string get(std::string_view path, std::string_view fields, std::string_view version = "1.1") {
    std::string text = "GET ";
    text.append(path).append(" HTTP/").append(version).append("\r\nHost: a\r\n");
    return text.append(fields).append("\r\n");
}

/// Sends all back in capitals, until the client ends.
task<> shout(http::upgraded& peer) {
    byte_stream& stream = peer.stream();
    while (auto piece = co_await stream.receive()) {
        std::string loud(piece.view().text());
        piece.reset();
        for (char& c : loud) {
            if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        }
        co_await stream.write(loud);
    }
}

struct app {
    web::router routes;
    std::promise<void> stopped;

    app() {
        routes.any("/shout", [](http::request& req) {
            http::response answer = http::upgrade(req, "shout", shout);
            answer.headers().set("x-own", "1");
            return answer;
        });
        routes.get("/later", [](http::request& req) -> task<http::response> {
            co_await rill::yield();
            co_return http::upgrade(req, "shout", shout);
        });
        routes.post("/read", [](http::streaming_request& req) -> task<http::response> {
            std::string all;
            while (auto const piece = co_await req.body().read()) all += piece.text();
            auto session = [all](http::upgraded& peer) -> task<> {
                co_await peer.stream().write(all);
                co_await shout(peer);
            };
            co_return http::upgrade(req, "shout", session);
        });
        routes.post("/unread", [](http::streaming_request& req) -> task<http::response> {
            co_return http::upgrade(req, "shout", shout);
        });
        routes.get("/broken", [](http::request& req) {
            return http::upgrade(req, "shout", [](http::upgraded&) -> task<> {
                throw std::runtime_error("no more");
                co_return;
            });
        });
        routes.get("/bye", [this](http::request& req) {
            return http::upgrade(req, "shout", [this](http::upgraded& peer) -> task<> {
                co_await peer.stopping().wait();
                co_await peer.stream().write("bye");
                stopped.set_value();
            });
        });
        routes.get("/hello", [] { return "hello"; });
    }
};

void check_switched(raw_answer const& answer) {
    CHECK(answer.status == 101);
    CHECK(answer.field("upgrade") == "shout");
    CHECK(answer.field("connection") == "upgrade");
    CHECK(answer.count("connection") == 1);
    CHECK(answer.count("content-length") == 0);
    CHECK(answer.count("transfer-encoding") == 0);
}

}  // namespace

TEST_CASE("after 101 the bytes behind the request are the other protocol's, however they come") {
    app with;
    test_server running(with.routes);
    for (std::string const path : {"/shout", "/later"}) {
        for (bool const in_bytes : {false, true}) {
            CAPTURE(path);
            CAPTURE(in_bytes);
            raw_client client(running.at());
            std::string const all = get(path, offer) + "in one segment, ";
            CHECK((in_bytes ? client.send_in_bytes(all) : client.send(all)));
            raw_answer const answer = client.read(true);
            check_switched(answer);
            CHECK((path != "/shout" || answer.field("x-own") == "1"));
            client.send("and after it");
            client.end();
            CHECK(client.read_rest() == "IN ONE SEGMENT, AND AFTER IT");
        }
    }
}

TEST_CASE("what comes behind the request is no request, and all of it is kept") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    std::string rest = get("/hello", "");
    for (int i = 0; i < 20'000; ++i) rest += std::to_string(i) + ' ';
    // An answer before it in the same burst, and a head that is cut.
    std::string const head = get("/hello", "") + get("/shout", offer);
    client.send(head.substr(0, head.size() - 10));
    CHECK(client.read().body == "hello");
    client.send(head.substr(head.size() - 10) + rest);
    check_switched(client.read(true));
    client.end();
    std::string const loud = client.read_rest();
    CHECK(loud.size() == rest.size());
    CHECK(loud.starts_with("GET /HELLO HTTP/1.1\r\nHOST: A\r\n\r\n0 1 2 "));
    CHECK(loud.ends_with("19998 19999 "));
}

TEST_CASE("content comes before the other protocol") {
    app with;
    test_server running(with.routes);
    for (std::string const body : {"Content-Length: 4\r\n\r\nbody",
                                   "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"}) {
        CAPTURE(body);
        for (std::string const path : {"/read", "/shout"}) {
            raw_client client(running.at());
            client.send("POST " + path + " HTTP/1.1\r\nHost: a\r\n" + std::string(offer) + body +
                        "more");
            check_switched(client.read(true));
            client.end();
            CHECK(client.read_rest() == (path == "/read" ? "bodyMORE" : "MORE"));
        }
        // Unread it would be taken for what it is not.
        raw_client client(running.at());
        std::size_t const head_end = body.find("\r\n\r\n") + 4;
        client.send("POST /unread HTTP/1.1\r\nHost: a\r\n" + std::string(offer) +
                    body.substr(0, head_end));
        CHECK(client.read().status == 500);
    }
}

TEST_CASE("who does not offer the protocol rightly gets 426, which names it") {
    app with;
    test_server running(with.routes);
    for (std::string const fields :
         {"", "Upgrade: shout\r\n", "Connection: upgrade\r\n",
          "Connection: upgrade\r\nUpgrade: shouting\r\n", "Connection: close\r\nUpgrade: shout\r\n",
          "X-Connection: upgrade\r\nUpgrade: shout\r\n"}) {
        CAPTURE(fields);
        raw_client client(running.at());
        raw_answer const answer = client.ask(get("/shout", fields));
        CHECK(answer.status == 426);
        CHECK(answer.field("upgrade") == "shout");
        bool const closes = fields.find("close") != fields.npos;
        CHECK(answer.field("connection") == (closes ? "close, upgrade" : "upgrade"));
        if (!closes) CHECK(client.ask(get("/hello", "")).body == "hello");
    }
    raw_client old(running.at());
    raw_answer const answer = old.ask(get("/shout", offer, "1.0"));
    CHECK(answer.status == 426);
}

TEST_CASE("a session that fails ends its own connection") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send(get("/broken", offer));
    check_switched(client.read(true));
    CHECK(client.read_rest().empty());
    raw_client other(running.at());
    CHECK(other.ask(get("/hello", "")).body == "hello");
}

TEST_CASE("a session is told of a graceful shutdown and ends in its own way") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send(get("/bye", offer));
    check_switched(client.read(true));
    running.server().shutdown(10s);
    with.stopped.get_future().wait();
    CHECK(client.read_rest() == "bye");
    client.end();
    CHECK(running.stop(10s).cut == 0);
}

TEST_CASE("a session that does not end is cut when the grace is over") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send(get("/shout", offer));
    check_switched(client.read(true));
    auto const& report = running.stop(10ms);
    CHECK(report.cut == 1);
    CHECK(client.read_rest().empty());
}
