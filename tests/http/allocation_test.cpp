// A request in the steady state asks for no memory: neither of the heap nor of the frame pool's
// supply nor of the kernel.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "rill/io/tcp.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/web/files.hpp"
#include "rill/web/middleware/access_log.hpp"
#include "rill/web/middleware/cors.hpp"
#include "rill/web/middleware/rate_limit.hpp"
#include "rill/web/middleware/request_id.hpp"
#include "rill/web/middleware/security_headers.hpp"
#include "rill/web/middleware/trace_context.hpp"
#include "support/memory_count.hpp"
#include "support/plain_socket.hpp"
#include "support/test_server.hpp"

using namespace rill;
using test::memory_requests;
using test::plain_socket;
using test::test_server;

namespace {

constexpr int warm_up = 1000;
constexpr int measured = 1000;

// Memory requests of `measured` exchanges after `warm_up` ones, which all have answers of one size.
std::size_t requests_of(plain_socket& client, std::string_view request) {
    std::size_t const size = client.ask(request);
    REQUIRE(size != 0);
    for (int i = 0; i < warm_up; ++i) client.ask_again(request, size);
    std::size_t const before = memory_requests();
    for (int i = 0; i < measured; ++i) client.ask_again(request, size);
    return memory_requests() - before;
}

web::router& fill(web::router& routes) {
    routes.get("/hello", [] { return "hello"; });
    routes.post("/echo", [](http::request& req) {
        return req.body().text() == "abc" ? http::status::ok : http::status::bad_request;
    });
    routes.post("/later", [](http::request& req) -> task<http::response> {
        co_await rill::yield();
        co_return http::response(req.body().text() == "abc" ? http::status::ok
                                                            : http::status::bad_request);
    });
    routes.get("/users/{id}", [](http::request& req) {
        return req.path<int>("id") == 7 ? http::status::ok : http::status::bad_request;
    });
    routes.get("/stream", [] {
        return http::stream([](http::body_writer& out) -> task<> {
            co_await out.write("one");
            co_await out.write("two");
        });
    });
    routes.get("/fields", [] {
        http::response answer(http::status::ok);
        answer.headers().set("cache-control", "no-store");
        return answer;
    });
    return routes;
}

}  // namespace

TEST_CASE("the counter counts") {
    std::size_t const before = memory_requests();
    std::string* volatile text = new std::string(100, 'x');
    delete text;
    CHECK(memory_requests() - before == 2);
}

TEST_CASE("requests to a server ask for no memory") {
    web::router routes;
    test_server running(fill(routes));
    for (std::string const request : {
             "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n",
             "GET /users/7 HTTP/1.1\r\nHost: a\r\n\r\n",
             "GET /fields HTTP/1.1\r\nHost: a\r\n\r\n",
             "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n",
             "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
             "POST /later HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
             "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
             "3\r\nabc\r\n0\r\n\r\n",
         }) {
        CAPTURE(request);
        plain_socket client(running.at().port());
        CHECK(requests_of(client, request) == 0);
    }
}

TEST_CASE("middleware around a handler asks for no memory") {
    struct noted {
        int number;
    };
    web::router routes;
    std::atomic<int> ended = 0;
    routes.use([&ended](http::request& req) -> std::optional<http::response> {
        req.attach(noted{7});
        req.on_finish(
            [to = &ended](http::request const&, http::finished const&) noexcept { ++*to; });
        return std::nullopt;
    });
    routes.use([](http::request& req, web::next next) -> task<http::response> {
        auto answer = co_await next(req);
        co_return answer;
    });
    routes.use([](http::request&, http::response& answer) {
        answer.headers().set("x-content-type-options", "nosniff");
    });
    test_server running(fill(routes));
    for (std::string const request : {
             "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n",
             "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n",
             "POST /later HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
         }) {
        CAPTURE(request);
        plain_socket client(running.at().port());
        CHECK(requests_of(client, request) == 0);
    }
    CHECK(ended > 3 * measured);
}

TEST_CASE("the middleware that ships asks for no memory") {
    web::router routes;
    std::atomic<std::size_t> lines = 0;
    routes.use(web::access_log(web::log_format::combined, [&](std::string_view) { ++lines; }));
    routes.use(web::request_id()).use(web::trace_context()).use(web::security_headers());
    routes.use(web::cors().origin("https://a.example").expose("x-request-id"));
    routes.use(web::rate_limit({.requests = 1'000'000}));
    test_server running(fill(routes));
    for (std::string const request : {
             "GET /hello HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\n\r\n",
             "POST /later HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
         }) {
        CAPTURE(request);
        plain_socket client(running.at().port());
        CHECK(requests_of(client, request) == 0);
    }
    CHECK(lines > 2 * measured);
}

TEST_CASE("a request that is refused because the server is busy asks for no memory") {
    web::router routes;
    web::serve_options options;
    options.http.most_requests = 1;
    options.http.most_requests_per_address = 10;
    test_server running(fill(routes), options);
    plain_socket holder(running.at().port());
    REQUIRE(holder.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
                       "Expect: 100-continue\r\n\r\n") != 0);
    std::string const request = "POST /later HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    plain_socket client(running.at().port());
    CHECK(requests_of(client, request) == 0);
    CHECK(running.stop().counters.requests_over_server > measured);
}

TEST_CASE("requests for a small file ask for no memory") {
    std::string name = std::filesystem::temp_directory_path() / "rill-allocation-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    std::ofstream(name + "/a.txt") << "small";
    // At rest for long, so that it is kept from the first request on.
    std::filesystem::last_write_time(name + "/a.txt",
                                     std::filesystem::file_time_type::clock::now() - 1h);
    {
        web::router routes;
        routes.get("/{path...}", web::files(name));
        test_server running(routes);
        plain_socket client(running.at().port());
        CHECK(requests_of(client, "GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n") == 0);
    }
    std::filesystem::remove_all(name);
}

TEST_CASE("an echo over TCP asks for no memory") {
    std::atomic<std::uint16_t> port = 0;
    std::thread server([&port] {
        auto const body = [](std::atomic<std::uint16_t>& at) -> task<> {
            tcp::listener listener("127.0.0.1:0");
            at = listener.local_address().port();
            at.notify_all();
            tcp::stream peer = co_await listener.accept();
            for (;;) {
                lease const input = co_await peer.receive();
                if (!input) break;
                co_await peer.write(input);
            }
        };
        run(body(port));
    });
    port.wait(0);
    {
        plain_socket client(port);
        CHECK(requests_of(client, "hello") == 0);
    }
    server.join();
}
