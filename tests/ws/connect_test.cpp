// WebSockets of a client. RFC 6455 section 4.1.
#include "rill/ws/connect.hpp"

#include <doctest/doctest.h>

#include <string>

#include "codec/ws_handshake.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/web.hpp"
#include "rill/ws.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"
#include "support/test_server.hpp"
#include "ws/frames.hpp"

using namespace rill;
using namespace rill::test;

namespace {

constexpr std::string_view switching =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n";

/// Answers one handshake with what `answer` makes of the right accept field.
template <class Answer>
task<> serve_one(tcp::listener& at, Answer const& answer, std::string& request) {
    tcp::stream peer = co_await at.accept();
    while (!request.ends_with("\r\n\r\n")) {
        auto const piece = co_await peer.receive();
        REQUIRE(piece);
        request += piece.view().text();
    }
    std::string_view const name = "Sec-WebSocket-Key: ";
    std::string const key = request.substr(request.find(name) + name.size(), 24);
    std::string const text = answer("Sec-WebSocket-Accept: " + codec::ws_accept_of(key) + "\r\n");
    for (char const c : text) {
        // A client that has seen enough is gone.
        auto const sent = co_await as_result(peer.write(std::string_view(&c, 1)));
        if (!sent) break;
    }
    co_await tcp::close_gracefully(peer);
}

/// Connects to a server that answers so; gives the error, and the first message where there is
/// none.
template <class Answer>
task<> try_answer(Answer const& answer, std::error_code& why, std::string& message,
                  ws::connect_options with = {}) {
    tcp::listener at("127.0.0.1:0");
    std::string const url = "ws://127.0.0.1:" + std::to_string(at.local_address().port()) + "/a?b";
    std::string request;
    auto connecting = [&]() -> task<> {
        auto made = co_await as_result(ws::connect(url, with));
        why = made.error();
        if (!made) co_return;
        auto const got = co_await made->receive();
        message = got.text();
    };
    co_await when_all(serve_one(at, answer, request), connecting());
    CHECK(request.starts_with("GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:"));
}

}  // namespace

RILL_IO_TEST("a client takes an answer that fits its key, and no other") {
    std::error_code why;
    std::string message;
    std::string const frame = ws_frame(codec::ws_opcode::text, "at once", true, false);
    auto right = [&](std::string const& accept) {
        return std::string(switching) + accept + "\r\n" + frame;
    };
    co_await try_answer(right, why, message);
    CHECK_FALSE(why);
    CHECK(message == "at once");

    auto refuse = [](std::string const&) -> std::string {
        return "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";
    };
    co_await try_answer(refuse, why, message);
    CHECK(why == errc::protocol);
    auto other_key = [](std::string const&) {
        return std::string(switching) +
               "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    };
    co_await try_answer(other_key, why, message);
    CHECK(why == errc::protocol);
    auto cut = [](std::string const&) { return std::string(switching); };
    co_await try_answer(cut, why, message);
    CHECK(why == errc::end_of_stream);
    auto endless = [](std::string const&) { return std::string(17 * 1024, 'a'); };
    co_await try_answer(endless, why, message);
    CHECK(why == errc::limit_exceeded);
}

TEST_CASE("answers that break the rules of the handshake are refused, each with its reason") {
    std::string const key = "dGhlIHNhbXBsZSBub25jZQ==";
    std::string const accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
    auto const why = [&](std::string const& head) {
        char const* const text = codec::read_ws_answer(head, key).why;
        return std::string(text == nullptr ? "" : text);
    };
    std::string const good = std::string(switching) + accept;
    CHECK(why(good + "\r\n").empty());
    CHECK(codec::read_ws_answer(good + "Sec-WebSocket-Protocol: x\r\n\r\n", key).status == 101);
    CHECK(why(std::string(switching) + "\r\n") == "the server has not read the key");
    CHECK(why(good + accept + "\r\n") == "the server has not read the key");
    CHECK(why(good + "Sec-WebSocket-Extensions: x\r\n\r\n") ==
          "the server uses an extension that was not offered");
    CHECK(why(good + "Sec-WebSocket-Protocol: x\r\nSec-WebSocket-Protocol: y\r\n\r\n") ==
          "the server names several subprotocols");
    CHECK(why("HTTP/1.1 101 x\r\nUpgrade: h2c\r\nConnection: upgrade\r\n" + accept + "\r\n") ==
          "the server changes to another protocol");
    CHECK(why("HTTP/1.1 101 x\r\nUpgrade: websocket\r\n" + accept + "\r\n") ==
          "the server changes to another protocol");
    CHECK(why("HTTP/1.0 101 x\r\n\r\n") == "an answer that is not of HTTP/1.1");
    CHECK(why("HTTP/1.1 1x1 x\r\n\r\n") == "an answer that is not of HTTP/1.1");
    CHECK(why("HTTP/1.1 200 OK\r\n\r\n") == "the server refuses");
    CHECK(why(std::string(switching) + "no colon\r\n\r\n") == "a malformed answer");
    CHECK(why(std::string(switching) + "a name: x\r\n\r\n") == "a malformed answer");
}

RILL_IO_TEST("a client that gets no answer gives up after its timeout, and says so") {
    tcp::listener at("127.0.0.1:0");
    std::string const url = "ws://127.0.0.1:" + std::to_string(at.local_address().port());
    auto const made = co_await as_result(ws::connect(url, {.timeout = 20ms}));
    CHECK(made.error() == errc::timed_out);
}

RILL_IO_TEST("what is no URL of a WebSocket is refused before anything is sent") {
    auto const page = co_await as_result(ws::connect("http://127.0.0.1/"));
    CHECK(page.error() == errc::bad_url);
    auto const secure = co_await as_result(ws::connect("wss://127.0.0.1/"));
    CHECK(secure.error() == errc::unsupported);
    http1::field const broken[] = {{"X-A", "b\r\nX-C: d"}};
    auto const field = co_await as_result(ws::connect("ws://127.0.0.1/", {.fields = broken}));
    CHECK(field.error() == std::make_error_code(std::errc::invalid_argument));
}

RILL_KERNEL_TEST("a client and a server of rill agree on a protocol and talk") {
    web::router app;
    auto echo = [](ws::socket& peer) -> task<> {
        for (;;) {
            auto const got = co_await peer.receive();
            if (!got) break;
            co_await peer.send(got.kind(), *got);
        }
    };
    app.ws("/echo", echo, {.protocols = "chat.v2, chat.v1", .origins = "https://a.example"});
    test_server running(app);
    std::string const base = "ws://127.0.0.1:" + std::to_string(running.at().port());
    std::string const url = base + "/echo";
    http1::field const fields[] = {{"Origin", "https://a.example"}};
    {
        ws::socket peer = co_await ws::connect(url, {.protocols = "chat.v1", .fields = fields});
        CHECK(peer.protocol() == "chat.v1");
        for (std::size_t const size : {0UL, 10UL, 100'000UL}) {
            std::string const text(size, 'a');
            co_await peer.send(text);
            auto const got = co_await peer.receive();
            CHECK((got.text() == text));
        }
        co_await peer.close(1000);
        CHECK(peer.close_code() == 1000);
    }
    http1::field const foreign[] = {{"Origin", "https://b.example"}};
    auto const refused = co_await as_result(ws::connect(url, {.fields = foreign}));
    CHECK(refused.error() == errc::protocol);
}
