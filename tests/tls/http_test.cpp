// A server of HTTP over TLS, on a thread of its own, and clients over the kernel. RFC 9112 section
// 9.8.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/web/router.hpp"
#include "support/test_server.hpp"
#include "tls/sessions.hpp"

using namespace rill;
using test::test_server;

namespace {

std::string const large(500'000, 'x');

struct app {
    web::router routes;
    app() {
        routes.get("/", [](http::request& req) { return "hello " + req.client().scheme; });
        routes.get("/large", [] { return large; });
        routes.post("/size",
                    [](http::request& req) { return std::to_string(req.body().text().size()); });
    }
};

web::serve_options secured() {
    static tls::context const own = test::server_context({.protocols = "http/1.1"});
    web::serve_options options;
    options.http.tls = &own;
    return options;
}

/// Runs `body()` on a core of this thread. The server's thread opens and closes descriptors
/// meanwhile, so they are not counted as in `run_in`.
template <class Body>
void on_a_core(Body const& body) {
    core home(test::make_world(test::kernel_world(), {}, nullptr), 0);
    auto whole = body();
    home.run(std::move(whole));
}

/// What the server answers to `text`, up to its end.
task<> ask(address at, std::string text, std::string& answer) {
    auto const connection = co_await tcp::connect(at);
    tls::stream secure(connection, test::client_context({.protocols = "http/1.1"}), "a.example");
    auto const agreed = co_await secure.handshake();
    REQUIRE(agreed.has_value());
    CHECK(secure.protocol() == "http/1.1");
    co_await secure.write(bytes(text));
    answer = co_await test::read_all(secure);
    secure.close();
}

std::string answer_to(test_server const& server, std::string const& text) {
    std::string answer;
    on_a_core([&] { return ask(server.at(), text, answer); });
    return answer;
}

}  // namespace

TEST_CASE("requests over TLS are answered, and the end of the last answer is a clean one") {
    app of;
    test_server server(of.routes, secured());
    auto const both = answer_to(server,
                                "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
                                "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n");
    CHECK(both.find("hello https") != std::string::npos);
    CHECK(both.find("hello https") != both.rfind("hello https"));
    auto const big =
        answer_to(server, "GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    CHECK(big.ends_with(large));
    auto const posted = answer_to(server,
                                  "POST /size HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                                  "Content-Length: 300000\r\n\r\n" +
                                      std::string(300'000, 'y'));
    CHECK(posted.ends_with("300000"));
    CHECK(server.stop().counters.requests == 4);
}

TEST_CASE("a client that speaks HTTP without TLS is refused and counted") {
    app of;
    test_server server(of.routes, secured());
    on_a_core([&]() -> task<> {
        auto body = [](address at) -> task<> {
            auto const plain = co_await tcp::connect(at);
            std::string_view const text = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
            co_await plain.bytes_of().write(bytes(text));
            for (;;) {
                auto const more = co_await as_result(plain.bytes_of().receive());
                if (!more || !*more) break;
                CHECK(more->view().text().find("HTTP") == std::string_view::npos);
            }
        };
        return body(server.at());
    });
    auto const& counters = server.stop().counters;
    CHECK(counters.handshakes_failed == 1);
    CHECK(counters.requests == 0);
}

TEST_CASE("C071: clients that never say hello are closed at the deadline, others are served") {
    app of;
    auto options = secured();
    options.http.handshake_timeout = 50ms;
    test_server server(of.routes, options);
    constexpr std::size_t silent_count = 100;
    on_a_core([&]() -> task<> {
        auto body = [](address at) -> task<> {
            std::vector<tcp::stream> silent;
            for (std::size_t i = 0; i != silent_count; ++i) {
                silent.push_back(co_await tcp::connect(at));
            }
            std::string answer;
            co_await ask(at, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", answer);
            CHECK(answer.ends_with("hello https"));
            for (auto& each : silent) {
                lease const end = co_await each.receive();
                CHECK(!end);
            }
        };
        return body(server.at());
    });
    CHECK(server.stop().counters.timed_out == silent_count);
}

TEST_CASE("as many handshakes as are allowed are in progress, and one more is closed at once") {
    app of;
    auto options = secured();
    options.http.most_handshakes = 2;
    options.http.handshake_timeout = 1h;
    test_server server(of.routes, options);
    on_a_core([&]() -> task<> {
        auto body = [](address at) -> task<> {
            auto const first = co_await tcp::connect(at);
            auto const second = co_await tcp::connect(at);
            auto third = co_await tcp::connect(at);
            lease const end = co_await third.receive();
            CHECK(!end);
        };
        return body(server.at());
    });
    auto const& counters = server.stop().counters;
    CHECK(counters.handshakes_over_core == 1);
    CHECK(counters.connections == 3);
}

TEST_CASE("a shutdown does not wait for clients in the middle of their handshake") {
    app of;
    auto options = secured();
    options.http.handshake_timeout = 1h;
    test_server server(of.routes, options);
    on_a_core([&]() -> task<> {
        auto body = [](test_server& of_test) -> task<> {
            auto silent = co_await tcp::connect(of_test.at());
            of_test.server().shutdown(1h);
            lease const end = co_await silent.receive();
            CHECK(!end);
        };
        return body(server);
    });
    CHECK(server.stop(1h).cut == 0);
}
