// What the test of a long timeout costs: an HTTP server that closes a kept connection after an hour
// of silence, in a simulated world. Prints the real time of a run, in milliseconds, for each of
// some runs; the first is that of a program that has just begun.
//   idle_hour RUNS
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "rill/coro.hpp"
#include "rill/io/tcp.hpp"
#include "rill/rt.hpp"
#include "rill/test.hpp"
#include "rill/web/router.hpp"
#include "rill/web/server.hpp"

using namespace rill;

namespace {

constexpr char const* where = "10.0.0.1:80";

/// Asks once, waits for the end of the connection, and checks when it comes.
task<> fall_silent() {
    tcp::stream peer = co_await tcp::connect(where);
    co_await peer.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    std::string answer;
    for (;;) {
        auto const part = co_await peer.receive();
        if (!part) break;
        answer += part.view().text();
    }
    test::expect(answer.starts_with("HTTP/1.1 200 "), "it was answered");
    test::expect(test::elapsed() == 1h, "and closed after an hour, to the nanosecond");
}

void an_hour() {
    web::router routes;
    routes.get("/", [] { return "hello"; });
    web::serve_options options;
    options.http.idle_timeout = 1h;
    web::server server(routes, where, options);
    auto const client = [&]() -> task<> {
        co_await fall_silent();
        server.shutdown(0s);
    };
    auto const both = [&]() -> task<> { co_await when_all(server.run_on_this_core(), client()); };
    run_per_core(both, {.cores = 1});
}

}  // namespace

int main(int count, char** arguments) {
    std::uint64_t const runs = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        auto const begin = std::chrono::steady_clock::now();
        test::simulate(seed, an_hour);
        std::chrono::duration<double, std::milli> const took =
            std::chrono::steady_clock::now() - begin;
        std::printf("%.3f\n", took.count());
    }
}
