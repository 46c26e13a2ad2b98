// A connection that leaves HTTP for a protocol of your own (RFC 9110 section 7.8).
// Try: printf 'GET /lines HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade:
// lines\r\n\r\nhello\n' |
//      nc 127.0.0.1 8080
#include <rill/coro.hpp>
#include <rill/http/upgrade.hpp>
#include <rill/io/lines.hpp>
#include <rill/web.hpp>

#include <string>

namespace http = rill::http;

// Has the connection to itself, from the first byte behind the request.
rill::task<> count_letters(http::upgraded& peer) {
    rill::lines lines(peer.stream());
    while (auto const line = co_await lines.next()) {
        std::string const answer = std::to_string(line->size()) + "\n";
        co_await peer.stream().write(answer);
    }
}

// A graceful shutdown waits for those who say goodbye in time.
rill::task<> session(http::upgraded& peer) {
    auto const what = co_await rill::when_any(count_letters(peer), peer.stopping().wait());
    if (what.index == 1) co_await peer.stream().write("the server stops\n");
}

int main(int argc, char** argv) {
    rill::web::router app;
    // A client that does not offer it gets 426.
    app.get("/lines", [](http::request& req) { return http::upgrade(req, "lines", session); });
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
