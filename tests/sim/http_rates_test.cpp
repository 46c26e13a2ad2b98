// The rates of an HTTP server in simulated worlds, where a second is exact: of the whole server
// over all cores, of a connection and of a route, and the deadlines beside them.
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "http_world.hpp"
#include "support/rate_meter.hpp"

using namespace rill;
using sim::http_app;
using test::now;
using test::rate_meter;

namespace {

constexpr std::uint64_t seed_count = 20;  // RILL_SEEDS sets another

// In a simulated program a check that fails has to name its seed.
void expect_near(std::size_t got, std::size_t wanted) {
    test::expect(got >= wanted - wanted / 20, "no less than 95 in a hundred in any second");
    test::expect(got <= wanted + wanted / 20, "no more than 105 in a hundred in any second");
}

/// Downloads `size` bytes of /plain and notes what comes.
task<> download(std::string target, std::size_t size, rate_meter& into) {
    tcp::stream peer = co_await tcp::connect(sim::server_address);
    std::string const text = "GET " + target + std::to_string(size) +
                             " HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    co_await peer.write(text);
    std::size_t got = 0;
    for (;;) {
        lease const piece = co_await peer.receive();
        if (!piece) break;
        got += piece.size();
        into.add(piece.size());
    }
    test::expect(got > size, "the whole answer came");
}

/// Sends `size` bytes to /echo, and wants them back.
task<> upload(std::size_t size) {
    sim::http_client client(co_await tcp::connect(sim::server_address));
    std::string const body(size, 'x');
    std::string const head =
        "POST /echo/1 HTTP/1.1\r\nhost: a\r\ncontent-length: " + std::to_string(size) + "\r\n\r\n";
    bool const sent = co_await client.send(head + body);
    test::expect(sent, "sent");
    auto const got = co_await client.next();
    test::expect(got && got->status == 200 && got->body == "1:" + body, "echoed");
}

/// A server with `options` on all cores, and `clients()` on the first.
template <class Clients>
void serve_to(http_app& app, web::serve_options const& options, Clients clients) {
    web::server server(app.routes, sim::server_address, options);
    auto const first = [&]() -> task<> {
        co_await clients();
        server.shutdown();
    };
    auto const body = [&]() -> task<> {
        if (core::current().index() == 0) {
            co_await when_all(server.run_on_this_core(), first());
        } else {
            co_await server.run_on_this_core();
        }
    };
    run_per_core(body);
    test::expect(server.take_report().cut == 0, "nothing had to be cut");
}

test::settings on_cores(std::uint32_t count) {
    test::settings with;
    with.cores = count;
    return with;
}

}  // namespace

TEST_CASE("a server sends at its rate over all cores, and what one client leaves others have") {
    auto const program = [] {
        http_app app;
        web::serve_options options;
        options.http.write_rate = 400'000;
        options.http.write_timeout = 1s;
        serve_to(app, options, []() -> task<> {
            rate_meter all;
            time_point const begin = now();
            co_await when_all(
                download("/plain/1/", 200'000, all), download("/plain/2/", 200'000, all),
                download("/plain/3/", 400'000, all), download("/stream/4/", 800'000, all),
                download("/plain/5/", 1'600'000, all));
            time_point const end = now();
            test::expect(end - begin >= 7900ms && end - begin <= 8200ms, "3.2 MB in 8 seconds");
            expect_near(all.most(begin + 100ms, end - 100ms), 400'000);
            expect_near(all.least(begin + 100ms, end - 100ms), 400'000);
        });
    };
    static_cast<void>(test::seeds(seed_count, program, on_cores(3)));
}

TEST_CASE("a server receives at its rate, and no deadline of a client passes by that") {
    auto const program = [] {
        http_app app;
        web::serve_options options;
        options.http.read_rate = 200'000;
        options.http.body_timeout = 1s;
        options.http.head_timeout = 1s;
        serve_to(app, options, []() -> task<> {
            time_point const begin = now();
            co_await when_all(upload(500'000), upload(500'000), upload(600'000));
            duration const took = now() - begin;
            test::expect(took >= 7900ms && took <= 8200ms, "1.6 MB in 8 seconds");
        });
    };
    static_cast<void>(test::seeds(seed_count, program, on_cores(2)));
}

TEST_CASE("each connection has a rate of its own") {
    auto const program = [] {
        http_app app;
        web::serve_options options;
        options.http.connection_write_rate = 100'000;
        serve_to(app, options, []() -> task<> {
            rate_meter one;
            rate_meter two;
            time_point const begin = now();
            co_await when_all(download("/plain/1/", 500'000, one),
                              download("/plain/2/", 500'000, two));
            for (rate_meter const* each : {&one, &two}) {
                expect_near(each->most(begin + 100ms, begin + 4900ms), 100'000);
                expect_near(each->least(begin + 100ms, begin + 4900ms), 100'000);
            }
        });
    };
    static_cast<void>(test::seeds(seed_count, program, on_cores(2)));
}

namespace {

// Answers at once, as files in memory do.
struct at_once {
    [[nodiscard]] std::optional<http::response> ready(http::request& req) const {
        return http::text(sim::content_of(1, req.path<std::size_t>("size")));
    }
    task<http::response> operator()(http::request& req) const { co_return ready(req).value(); }
};

}  // namespace

TEST_CASE("a route keeps to its rate also where its handler needs no wait") {
    auto const program = [] {
        http_app app;
        app.routes.get("/kept/{size}", at_once{}, {.write_rate = 100'000});
        serve_to(app, {}, []() -> task<> {
            rate_meter kept;
            time_point const begin = now();
            co_await download("/kept/", 300'000, kept);
            duration const took = now() - begin;
            test::expect(took >= 2900ms && took <= 3200ms, "300 kB in 3 seconds");
        });
    };
    static_cast<void>(test::seeds(seed_count, program, on_cores(2)));
}

TEST_CASE("a route has a rate that its requests share, and others do not notice") {
    auto const program = [] {
        http_app app;
        app.routes.get(
            "/slow/{size}",
            [](http::request& req) { return sim::content_of(1, req.path<std::size_t>("size")); },
            {.write_rate = 200'000});
        serve_to(app, {}, []() -> task<> {
            rate_meter slow;
            rate_meter fast;
            time_point const begin = now();
            auto const beside = [&]() -> task<> {
                co_await download("/plain/1/", 5'000'000, fast);
                test::expect(now() - begin <= 1s, "not held back");
            };
            co_await when_all(download("/slow/", 400'000, slow), download("/slow/", 600'000, slow),
                              beside());
            expect_near(slow.most(begin + 100ms, begin + 4900ms), 200'000);
            expect_near(slow.least(begin + 100ms, begin + 4900ms), 200'000);
            // Once a request of the route is over, its connection is as fast as any.
            sim::http_client both(co_await tcp::connect(sim::server_address));
            bool const sent = co_await both.send(
                "GET /slow/20000 HTTP/1.1\r\nhost: a\r\n\r\n"
                "GET /plain/1/1000000 HTTP/1.1\r\nhost: a\r\n\r\n");
            auto const first = co_await both.next();
            test::expect(sent && first && first->body.size() == 20'000, "the slow one first");
            time_point const then = now();
            auto const second = co_await both.next();
            test::expect(second && second->body.size() == 1'000'000, "then the other");
            test::expect(now() - then <= 1s, "which is not held back");
        });
    };
    static_cast<void>(test::seeds(seed_count, program, on_cores(2)));
}
