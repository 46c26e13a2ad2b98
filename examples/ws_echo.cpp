// A WebSocket server: echoes messages, and greets in rooms that are named in the path.
// Run: ./ws_echo 127.0.0.1:8080
//      then in a browser's console: s = new WebSocket("ws://127.0.0.1:8080/echo");
//      s.onmessage = m => console.log(m.data); s.onopen = () => s.send("hello");
#include <rill/web.hpp>
#include <rill/ws.hpp>

#include <string>

namespace http = rill::http;
namespace ws = rill::ws;

// Ends when the client closes, is gone, or breaks the protocol; its pings are answered meanwhile.
rill::task<> echo(ws::socket& peer) {
    while (auto message = co_await peer.receive()) {
        co_await peer.send(message.kind(), *message);
    }
}

// Looks at the request before it becomes a WebSocket, and copies what it needs of it.
http::response enter_room(http::request& req) {
    std::string const name(req.path<std::string_view>("name"));
    auto greet = [name](ws::socket& peer) -> rill::task<> {
        std::string const text = "you are in " + name;
        co_await peer.send(text);
        co_await echo(peer);
    };
    return ws::accept(req, greet);
}

int main(int argc, char** argv) {
    rill::web::router app;
    app.ws("/echo", echo, {.socket = {.message_bytes = 1024 * 1024}});
    app.get("/rooms/{name}", enter_room);
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
