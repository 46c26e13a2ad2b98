// Content that is read while it arrives, and what a route allows.
#include <rill/web.hpp>

#include <cstdint>
#include <string>

using namespace std::chrono_literals;
namespace http = rill::http;

// The content is there as a whole: a plain function, or a coroutine.
std::string length(http::request& req) {
    return std::to_string(req.body().text().size()) + "\n";
}

// The content is read here, as it comes: always a coroutine.
rill::task<std::string> lines(http::streaming_request& req) {
    if (req.header("content-type") != "text/plain") throw http::problem(415);  // nothing was read
    std::uint64_t count = 0;
    while (auto const piece = co_await req.body().read()) {
        for (char const c : piece.text()) count += c == '\n';
    }
    co_return std::to_string(count) + "\n";
}

// It may be read on while the answer is sent.
rill::task<http::response> copy(http::streaming_request& req) {
    co_return http::stream([&req](http::body_writer& out) -> rill::task<> {
        while (auto const piece = co_await req.body().read()) co_await out.write(*piece);
    });
}

int main(int argc, char** argv) {
    rill::web::router app;
    app.post("/length", length, rill::web::route_options{.body_bytes = 100});
    app.post("/lines", lines, rill::web::route_options{.body_bytes = 1 << 30, .body_timeout = 1h});
    app.post("/copy", copy, rill::web::route_options{.body_bytes = 1 << 30});
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
