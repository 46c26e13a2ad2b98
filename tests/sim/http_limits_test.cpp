// Deadlines, keep-alive and graceful shutdown of the HTTP server, to the moment, in simulated
// worlds. What they wait for is virtual: a test of an hour takes no time.
#include <doctest/doctest.h>

#include <string>

#include "http_world.hpp"

using namespace rill;
using sim::http_app;
using sim::http_client;

namespace {

constexpr std::uint64_t seed_count = 10'000;  // RILL_SEEDS sets another
constexpr std::string_view hello = "GET /plain/1/0 HTTP/1.1\r\nhost: a\r\n\r\n";

/// What the network may add to any moment: one delay each way for a few segments.
constexpr duration slack = 500ms;

test::settings slow_world() {
    test::settings with;
    with.faults = test::faults::slow();
    with.faults.stalls = 0;  // a core that stands still is late for good reason
    return with;
}

/// A server with `options`, and `client()` beside it until that has ended.
template <class Client>
void with_server(http_app& app, web::serve_options const& options, Client client) {
    web::server server(app.routes, sim::server_address, options);
    auto const both = [&]() -> task<> {
        auto const first = [&]() -> task<> {
            co_await client(server);
            server.shutdown(0s);
        };
        co_await when_all(server.run_on_this_core(), first());
    };
    run_per_core(both, {.cores = 1});
}

task<duration> until_end(http_client& client) {
    auto const got = co_await client.next();
    test::expect(!got, "nothing more comes");
    co_return test::elapsed();
}

}  // namespace

TEST_CASE("a connection that is idle for an hour is closed after that hour, not before") {
    auto const program = [] {
        http_app app;
        web::serve_options options;
        options.http.idle_timeout = 1h;
        with_server(app, options, [](web::server&) -> task<> {
            http_client client(co_await tcp::connect(sim::server_address));
            bool const sent = co_await client.send(hello);
            auto const got = co_await client.next();
            test::expect(sent && got && got->status == 200, "an answer");
            duration const answered = test::elapsed();
            duration const ended = co_await until_end(client);
            test::expect(client.ended() == sim::ending::clean, "closed, not cut");
            test::expect(ended >= answered + 1h - slack, "it waits for an hour");
            test::expect(ended <= answered + 1h + slack, "and no longer");
        });
    };
    auto const one = test::simulate(1, program);
    CHECK(one.took >= 1h);
    static_cast<void>(test::seeds(seed_count, program, slow_world()));
}

TEST_CASE("a kept connection lives for as long as requests come in time") {
    auto const program = [] {
        http_app app;
        web::serve_options options;
        options.http.idle_timeout = 10s;
        with_server(app, options, [](web::server&) -> task<> {
            http_client client(co_await tcp::connect(sim::server_address));
            for (int i = 0; i < 20; ++i) {
                bool const sent = co_await client.send(hello);
                auto const got = co_await client.next();
                test::expect(sent && got && got->keep_alive, "it is still open");
                std::chrono::milliseconds const pause(test::choose(9'000));
                co_await rill::sleep(pause);
            }
            duration const ended = co_await until_end(client);
            test::expect(ended >= 10s, "closed in the end");
        });
    };
    static_cast<void>(test::seeds(seed_count, program, slow_world()));
}

TEST_CASE("a head that comes byte by byte has its time as a whole, and then 408") {
    auto const program = [] {
        http_app app;
        web::serve_options options;
        options.http.head_timeout = 10s;
        with_server(app, options, [](web::server&) -> task<> {
            http_client client(co_await tcp::connect(sim::server_address));
            duration const begin = test::elapsed();
            auto const drip = [](http_client& to) -> task<> {
                for (std::size_t i = 0; i < 30; ++i) {
                    bool const sent = co_await to.send(hello.substr(i, 1));
                    if (!sent) break;
                    co_await rill::sleep(900ms);
                }
            };
            auto const answer = [](http_client& from, duration since) -> task<> {
                auto const got = co_await from.next();
                test::expect(got && got->status == 408 && !got->keep_alive, "408");
                test::expect(test::elapsed() >= since + 10s - slack, "not before its time");
                test::expect(test::elapsed() <= since + 10s + slack, "and not after it");
            };
            co_await when_all(drip(client), answer(client, begin));
        });
    };
    static_cast<void>(test::seeds(seed_count, program, slow_world()));
}

TEST_CASE("a handler that takes too long is cancelled, and the client told 503") {
    auto const program = [] {
        http_app app;
        web::serve_options options;
        options.http.handler_timeout = 5s;
        with_server(app, options, [&app](web::server&) -> task<> {
            http_client client(co_await tcp::connect(sim::server_address));
            duration const begin = test::elapsed();
            bool const sent = co_await client.send(
                "GET /wait/7/0/3600000 HTTP/1.1\r\nhost: a\r\n\r\n"
                "GET /wait/8/0/4000 HTTP/1.1\r\nhost: a\r\n\r\n");
            test::expect(sent, "sent");
            auto const late = co_await client.next();
            test::expect(late && late->status == 503, "503");
            test::expect(test::elapsed() >= begin + 5s, "after its time");
            auto const in_time = co_await client.next();
            test::expect(in_time && in_time->body == "8:", "the next one has a time of its own");
            test::expect(app.handlers == 0, "the handler has gone");
        });
    };
    static_cast<void>(test::seeds(seed_count, program, slow_world()));
}

TEST_CASE("a client that takes nothing is cut after the deadline of writes") {
    auto const program = [] {
        http_app app;
        web::serve_options options;
        options.http.write_timeout = 30s;
        with_server(app, options, [](web::server&) -> task<> {
            http_client client(co_await tcp::connect(sim::server_address));
            duration const begin = test::elapsed();
            bool const sent =
                co_await client.send("GET /plain/1/250000 HTTP/1.1\r\nhost: a\r\n\r\n");
            test::expect(sent, "sent");
            // Its reader stops at the bound of unread input, and the window fills.
            co_await rill::sleep(2min);
            auto const got = co_await client.next();
            test::expect(!got, "never the whole answer");
            test::expect(client.ended() != sim::ending::clean, "and no clean end");
            test::expect(test::elapsed() >= begin + 30s, "after the deadline");
        });
    };
    test::settings with = slow_world();
    with.window_bytes = 16 * 1024;
    static_cast<void>(test::seeds(seed_count, program, with));
}

TEST_CASE("a handler whose client has gone is cancelled") {
    auto const program = [] {
        http_app app;
        with_server(app, {}, [&app](web::server&) -> task<> {
            {
                http_client client(co_await tcp::connect(sim::server_address));
                bool const sent =
                    co_await client.send("GET /wait/7/0/3600000 HTTP/1.1\r\nhost: a\r\n\r\n");
                test::expect(sent, "sent");
                while (app.handlers == 0) co_await rill::sleep(10ms);
                if (test::choose(2) == 0) client.peer().reset();
            }
            co_await rill::sleep(slack);
            test::expect(app.handlers == 0, "the handler has gone");
        });
    };
    static_cast<void>(test::seeds(seed_count, program, slow_world()));
}

TEST_CASE("a graceful shutdown finishes what runs and ends within its grace") {
    auto const program = [] {
        http_app app;
        web::server server(app.routes, sim::server_address);
        constexpr duration grace = 10s;
        duration asked_at{};
        sim::tally sum;
        auto const clients = [&](task_group& group) -> task<> {
            for (std::uint64_t i = 0; i < 2; ++i) {
                auto const talk = [](std::uint64_t first, sim::tally& into) -> task<> {
                    // Refused or ended between two answers once it has begun; never cut.
                    co_await sim::converse(first, 50, false, into);
                };
                group.spawn(talk, i * 1'000, std::ref(sum));
            }
            std::chrono::milliseconds const begin(test::choose(1'500));
            co_await rill::sleep(begin);
            asked_at = test::elapsed();
            server.shutdown(grace);
        };
        auto const body = [&]() -> task<> {
            co_await when_all(server.run_on_this_core(), with_task_group(clients));
            test::expect(app.handlers == 0, "no handler is left");
        };
        run_per_core(body, {.cores = 1});
        test::expect(server.take_report().cut == 0, "nothing had to be cut");
        test::expect(test::elapsed() <= asked_at + grace, "within the grace");
    };
    static_cast<void>(test::seeds(seed_count, program, slow_world()));
}

TEST_CASE("a request that is on its way when a shutdown begins is answered, and is the last") {
    auto const program = [] {
        http_app app;
        web::server server(app.routes, sim::server_address);
        auto const client = [&]() -> task<> {
            http_client peer(co_await tcp::connect(sim::server_address));
            http_client silent(co_await tcp::connect(sim::server_address));
            for (http_client* const each : {&peer, &silent}) {
                bool const sent = co_await each->send(hello);
                auto const got = co_await each->next();
                test::expect(sent && got && got->status == 200, "an answer");
            }
            std::chrono::milliseconds const before(test::choose(60));
            duration const begin = test::elapsed();
            server.shutdown(10s);
            co_await rill::sleep(before);
            bool const sent = co_await peer.send(hello);
            auto const last = co_await peer.next();
            test::expect(sent && last && last->status == 200, "the last answer");
            auto const more = co_await peer.next();
            test::expect(!more && peer.ended() == sim::ending::clean, "and a clean end");
            duration const ended = co_await until_end(silent);
            test::expect(silent.ended() == sim::ending::clean, "an idle one ends cleanly");
            test::expect(ended >= begin + 100ms && ended <= begin + 100ms + slack, "a bit later");
        };
        auto const body = [&]() -> task<> {
            co_await when_all(server.run_on_this_core(), client());
        };
        run_per_core(body, {.cores = 1});
        test::expect(server.take_report().cut == 0, "nothing had to be cut");
    };
    test::settings with;
    with.latency = 20ms;
    with.faults = {.short_reads = 200, .short_writes = 200, .ended_streams = 20, .reorders = 500};
    static_cast<void>(test::seeds(seed_count, program, with));
}

TEST_CASE("a shutdown cuts what outlasts its grace, and says so") {
    auto const program = [] {
        http_app app;
        web::server server(app.routes, sim::server_address);
        auto const client = [&]() -> task<> {
            http_client peer(co_await tcp::connect(sim::server_address));
            bool const sent =
                co_await peer.send("GET /wait/7/0/3600000 HTTP/1.1\r\nhost: a\r\n\r\n");
            test::expect(sent, "sent");
            while (app.handlers == 0) co_await rill::sleep(10ms);
            duration const begin = test::elapsed();
            server.shutdown(3s);
            duration const ended = co_await until_end(peer);
            test::expect(ended >= begin + 3s && ended <= begin + 3s + slack, "when it is over");
        };
        auto const body = [&]() -> task<> {
            co_await when_all(server.run_on_this_core(), client());
        };
        run_per_core(body, {.cores = 1});
        test::expect(server.take_report().cut == 1, "one was cut");
        test::expect(app.handlers == 0, "its handler has gone");
    };
    static_cast<void>(test::seeds(seed_count, program, slow_world()));
}
