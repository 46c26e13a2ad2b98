// A program to be tested: suites and scanners of HTTP are pointed at it. Default limits.
// Run: ./testbed --listen 127.0.0.1:8080 [--root DIR]
//      any method and path    200 with the request's content, or "ok" where there is none; a
//                             WebSocket on any path, which echoes messages up to 64 MiB
//      ?show                  the same, with X-Method, X-Target, and X-NAME for each field NAME
//      a path of a file       the file, below DIR, for GET and HEAD
//      /slow?ms=N             "ok", after that time
//      /stream?bytes=N&chunk=M    N bytes, made while they are sent, M at a time
//      /status/N              that status, 200 to 599
//      /sse?count=N&ms=M      N events, M ms apart, with ids behind Last-Event-ID; 0: none, open
#include <rill/rt/sleep.hpp>
#include <rill/web.hpp>
#include <rill/web/files.hpp>
#include <rill/web/sse.hpp>
#include <rill/ws.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace {

namespace http = rill::http;
using rill::task;

constexpr unsigned longest_wait_ms = 3'600'000;
constexpr std::size_t largest_message = 64 * 1024 * 1024;
constexpr std::uint64_t largest_chunk = 1024 * 1024;

task<> echo_messages(rill::ws::socket& peer) {
    while (auto message = co_await peer.receive()) {
        co_await peer.send(message.kind(), *message);
    }
}

http::response echo(http::request& req) {
    if (req.upgrades_to("websocket")) {
        return rill::ws::accept(req, echo_messages,
                                {.socket = {.message_bytes = largest_message}, .origins = "*"});
    }
    std::string_view const content = req.body().text();
    http::response answer = http::text(std::string(content.empty() ? "ok" : content));
    if (!req.has_query("show")) return answer;
    answer.headers().add("X-Method", req.method_text());
    answer.headers().add("X-Target", req.target());
    for (auto const field : req.headers()) {
        answer.headers().add("X-" + std::string(field.name), field.value);
    }
    return answer;
}

task<std::string> slow(http::request& req) {
    auto const wait = req.query<unsigned>("ms", 1000);
    if (wait > longest_wait_ms) throw http::problem(400, "at most an hour");
    co_await rill::sleep(std::chrono::milliseconds(wait));
    co_return "ok";
}

http::response stream(http::request& req) {
    auto const size = req.query<std::uint64_t>("bytes", 1024);
    auto const chunk = req.query<std::uint64_t>("chunk", 1024);
    if (chunk == 0 || chunk > largest_chunk) throw http::problem(400, "chunks have 1 to 1048576");
    auto produce = [size, chunk](http::body_writer& out) -> task<> {
        std::string const piece(std::min(size, chunk), 'x');
        for (std::uint64_t left = size; left != 0;) {
            auto const count = static_cast<std::size_t>(std::min<std::uint64_t>(left, chunk));
            co_await out.write(std::string_view(piece).substr(0, count));
            left -= count;
        }
    };
    return http::stream(produce);
}

http::response status(http::request& req) {
    auto const code = req.path<unsigned>("code");
    if (code < 200 || code > 599) throw http::problem(400, "a status is 200 to 599");
    return http::text(std::to_string(code) + "\n", static_cast<http::status>(code));
}

http::response events(http::request& req) {
    auto const count = req.query<unsigned>("count", 10);
    std::chrono::milliseconds const pause(req.query<unsigned>("ms", 1000));
    auto produce = [count, pause](rill::web::event_sink& out) -> task<> {
        std::uint64_t id = 0;
        std::string_view const last = out.last_event_id();
        std::from_chars(last.data(), last.data() + last.size(), id);
        for (unsigned i = 0; i < count; ++i) {
            if (i != 0) co_await rill::sleep(pause);
            std::string const text = std::to_string(++id);
            co_await out.send({.data = text, .id = text});
        }
        if (count == 0) co_await rill::sleep_until(rill::never);
    };
    return rill::web::sse(req, produce);
}

/// The file of that path, and where there is none the request's content as for any other path.
class file_or_echo {
public:
    explicit file_or_echo(std::string_view root) : files_(root, {.listing = false}) {}

    task<http::response> operator()(http::request& req) const {
        if (req.upgrades_to("websocket")) co_return echo(req);
        http::response answer = co_await files_(req);
        if (answer.status() == http::status::not_found) answer = echo(req);
        co_return answer;
    }

private:
    rill::web::files files_;
};

int usage() {
    std::fputs("usage: testbed --listen ADDRESS [--root DIR]\n", stderr);
    return 2;
}

}  // namespace

int main(int argc, char** argv) try {
    std::string_view address;
    std::string_view root;
    for (int i = 1; i < argc; i += 2) {
        std::string_view const name = argv[i];
        if (i + 1 == argc || (name != "--listen" && name != "--root")) return usage();
        (name == "--listen" ? address : root) = argv[i + 1];
    }
    if (address.empty()) return usage();

    rill::web::router app;
    app.any("/{path...}", echo);
    if (!root.empty()) {
        file_or_echo const answer(root);
        app.get("/{path...}", answer).head("/{path...}", answer);
    }
    app.any("/slow", slow);
    app.any("/sse", events);
    app.any("/stream", stream);
    app.any("/status/{code}", status);
    return rill::web::serve(app, address);
} catch (std::exception const& failure) {  // no such folder
    std::fprintf(stderr, "testbed: %s\n", failure.what());
    return 1;
}
