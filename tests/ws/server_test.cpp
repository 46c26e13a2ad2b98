// WebSockets of a whole server: the handshake, the session, and its end. RFC 6455 section 4.2.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "rill/web.hpp"
#include "rill/ws.hpp"
#include "support/raw_client.hpp"
#include "support/test_server.hpp"
#include "ws/frames.hpp"

using namespace rill;
using namespace rill::test;
using codec::ws_opcode;

namespace {

task<> echo(ws::socket& peer) {
    for (;;) {
        auto const got = co_await peer.receive();
        if (!got) break;
        co_await peer.send(got.kind(), *got);
    }
}

struct app {
    web::router routes;

    app() {
        routes.ws("/echo", echo);
        routes.ws(
            "/chat", echo,
            {.protocols = "chat.v2, chat.v1", .origins = "https://a.example, https://b.example"});
        routes.ws("/any", echo, {.origins = "*"});
        routes.ws("/throws", [](ws::socket& peer) -> task<> {
            static_cast<void>(co_await peer.receive());
            throw std::runtime_error("no more");
        });
        routes.ws("/short", [](ws::socket& peer) -> task<> { co_await peer.send("bye"); });
        routes.get("/rooms/{room}", [](http::request& req) {
            std::string room(req.path<std::string_view>("room"));
            return ws::accept(req,
                              [room](ws::socket& peer) -> task<> { co_await peer.send(room); });
        });
    }
};

std::string ask(std::string_view path, std::string_view more = {},
                std::string_view version = "13") {
    std::string text = "GET ";
    text.append(path).append(" HTTP/1.1\r\nHost: here.example\r\nConnection: Upgrade\r\n");
    text.append("Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
    return text.append("Sec-WebSocket-Version: ")
        .append(version)
        .append("\r\n")
        .append(more)
        .append("\r\n");
}

std::vector<seen_frame> rest_of(raw_client& client) {
    return ws_frames_of(client.read_rest(), codec::ws_sender::server);
}

}  // namespace

TEST_CASE("a handshake gives the answer of the RFC, and frames behind it are kept") {
    app with;
    test_server running(with.routes);
    for (bool const in_bytes : {false, true}) {
        raw_client client(running.at());
        std::string const all = ask("/echo") + ws_text("early") + ws_close_frame(1000);
        CHECK((in_bytes ? client.send_in_bytes(all) : client.send(all)));
        raw_answer const answer = client.read(true);
        CHECK(answer.status == 101);
        CHECK(answer.field("upgrade") == "websocket");
        CHECK(answer.field("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        CHECK(answer.count("sec-websocket-protocol") == 0);
        auto const frames = rest_of(client);
        REQUIRE(frames.size() == 2);
        CHECK(frames[0].payload == "early");
        CHECK(frames[1].head.opcode == ws_opcode::close);
    }
}

TEST_CASE("another version gets 426 that names 13, and a malformed key 400") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    raw_answer const old = client.ask(ask("/echo", "", "8"));
    CHECK(old.status == 426);
    CHECK(old.field("sec-websocket-version") == "13");
    CHECK(old.field("upgrade") == "websocket");
    CHECK(client.ask("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 426);
    CHECK(client
              .ask("GET /echo HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
                   "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n")
              .status == 400);
    CHECK(client.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").status == 405);
}

TEST_CASE("pages of other origins get 403, and clients without an origin are let in") {
    app with;
    test_server running(with.routes);
    auto const status = [&](std::string_view path, std::string_view origin) {
        raw_client client(running.at());
        std::string const field = "Origin: " + std::string(origin) + "\r\n";
        client.send(ask(path, origin.empty() ? "" : field));
        return client.read(true).status;
    };
    CHECK(status("/echo", "") == 101);
    CHECK(status("/echo", "https://here.example") == 101);
    CHECK(status("/echo", "https://evil.example") == 403);
    CHECK(status("/echo", "null") == 403);
    CHECK(status("/chat", "https://b.example") == 101);
    CHECK(status("/chat", "https://here.example") == 403);
    CHECK(status("/any", "https://evil.example") == 101);
}

TEST_CASE("the first subprotocol of the server that the client offers is agreed on") {
    app with;
    test_server running(with.routes);
    auto const agreed = [&](std::string_view offers) {
        raw_client client(running.at());
        client.send(ask("/chat", offers));
        raw_answer const answer = client.read(true);
        CHECK(answer.status == 101);
        return answer.field("sec-websocket-protocol");
    };
    CHECK(agreed("Sec-WebSocket-Protocol: chat.v1, chat.v2\r\n") == "chat.v2");
    CHECK(agreed("Sec-WebSocket-Protocol: other\r\nSec-WebSocket-Protocol: chat.v1\r\n") ==
          "chat.v1");
    CHECK(agreed("Sec-WebSocket-Protocol: CHAT.V1\r\n").empty());
    CHECK(agreed("").empty());
}

TEST_CASE("a session has what its handler took of the request") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send(ask("/rooms/blue") + ws_close_frame(1000));
    CHECK(client.read(true).status == 101);
    auto const frames = rest_of(client);
    REQUIRE(!frames.empty());
    CHECK(frames[0].payload == "blue");
}

TEST_CASE("a session that returns closes with 1000, one that throws with 1011") {
    app with;
    test_server running(with.routes);
    for (std::string_view const path : {"/short", "/throws"}) {
        raw_client client(running.at());
        client.send(ask(path));
        CHECK(client.read(true).status == 101);
        client.send(ws_text("go"));
        client.send(ws_close_frame(1000));
        auto const frames = rest_of(client);
        REQUIRE(!frames.empty());
        std::string_view const said = frames.back().payload;
        CHECK(frames.back().head.opcode == ws_opcode::close);
        CHECK(said == (path == "/short" ? "\x03\xe8" : "\x03\xf3"));
    }
}

TEST_CASE("a server that shuts down says 1001 and waits for the answer") {
    app with;
    test_server running(with.routes);
    raw_client client(running.at());
    client.send(ask("/echo") + ws_text("one"));
    CHECK(client.read(true).status == 101);
    // The session runs: a shutdown that came first would be all that this client hears of.
    CHECK(client.read_bytes(5) == "\x81\x03one");
    running.server().shutdown(20s);
    // What it sends comes before it waits for this.
    client.send(ws_close_frame(1001));
    auto const frames = rest_of(client);
    REQUIRE(frames.size() == 1);
    CHECK(frames[0].payload == "\x03\xe9");
    CHECK(running.stop(20s).cut == 0);
}

TEST_CASE("clients that vanish end their sessions and nothing else") {
    app with;
    test_server running(with.routes);
    for (int i = 0; i != 50; ++i) {
        raw_client client(running.at());
        client.send(ask("/echo") + ws_text(std::string(100'000, 'a')));
        if (i % 2 == 0) client.reset();
    }
    raw_client client(running.at());
    client.send(ask("/echo") + ws_text("still here") + ws_close_frame(1000));
    CHECK(client.read(true).status == 101);
    CHECK(rest_of(client).size() == 2);
}
