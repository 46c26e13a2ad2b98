// The limits of an HTTP server on what there is at once, in simulated worlds: held on all cores by
// whatever order of events, and nothing of them lost.
#include <doctest/doctest.h>

#include <string>

#include "http_world.hpp"

using namespace rill;
using sim::http_app;
using sim::http_client;

namespace {

constexpr std::uint64_t seed_count = 3'000;  // RILL_SEEDS sets another

/// Keeps asking, and counts who has to come back later.
task<> ask_often(std::uint64_t first, std::uint32_t most, http_app& app, int& busy, int& served) {
    for (std::uint64_t n = first; n < first + 6; ++n) {
        auto connected = co_await as_result(tcp::connect(sim::server_address));
        if (!connected) continue;
        http_client client(*std::move(connected));
        std::string const text = "GET /wait/" + std::to_string(n) + "/10/" +
                                 std::to_string(test::choose(200)) + " HTTP/1.1\r\nhost: a\r\n\r\n";
        bool const sent = co_await client.send(text);
        if (!sent) continue;
        // Some give up while they wait.
        if (test::choose(4) == 0) {
            std::chrono::milliseconds const patience(test::choose(100));
            co_await rill::sleep(patience);
            continue;
        }
        auto const got = co_await client.next();
        test::expect(app.handlers <= static_cast<int>(most), "no more handlers than the limit");
        if (!got) continue;
        test::expect(got->status == 200 || got->status == 503, "served, or told to come back");
        ++(got->status == 200 ? served : busy);
    }
}

// Over all seeds.
int all_busy = 0;
int all_served = 0;

void crowd(bool calm) {
    http_app app;
    web::serve_options options;
    options.http.most_requests = 1 + static_cast<std::uint32_t>(test::choose(3));
    options.http.most_connections = 1 + static_cast<std::uint32_t>(test::choose(6));
    options.http.most_requests_per_address = static_cast<std::uint32_t>(test::choose(3));
    web::server server(app.routes, sim::server_address, options);
    int busy = 0;
    int served = 0;
    auto const clients = [&]() -> task<> {
        auto const all = [&](task_group& group) -> task<> {
            for (std::uint64_t i = 0; i < 8; ++i) {
                group.spawn(ask_often, i * 1'000, options.http.most_requests, std::ref(app),
                            std::ref(busy), std::ref(served));
            }
            co_return;
        };
        co_await with_task_group(all);
        // All have gone, so there is room for a new one: no place was lost. That they have gone
        // has to reach the server first.
        co_await rill::sleep(1min);
        auto connected = co_await as_result(tcp::connect(sim::server_address));
        if (connected) {
            http_client last(*std::move(connected));
            bool const sent = co_await last.send("GET /wait/7/0/1 HTTP/1.1\r\nhost: a\r\n\r\n");
            auto const got = co_await last.next();
            test::expect(!calm || (sent && got && got->status == 200), "there is room again");
        }
        server.shutdown();
    };
    sim::run_beside(server, clients);
    auto const counters = server.take_report().counters;
    test::expect(app.handlers == 0, "no handler is left");
    test::expect(static_cast<std::uint64_t>(busy) <= counters.requests_over_server +
                                                         counters.requests_over_address +
                                                         counters.connections_over_server,
                 "each refusal was counted");
    all_busy += busy;
    all_served += served;
}

}  // namespace

TEST_CASE("limits hold on all cores and every place comes back, in slow worlds") {
    test::settings with;
    with.cores = 3;
    with.faults = test::faults::slow();
    static_cast<void>(test::seeds(seed_count, [] { crowd(true); }, with));
    CHECK(all_busy > 0);
    CHECK(all_served > 0);
}

TEST_CASE("limits hold on all cores and every place comes back, where everything goes wrong") {
    test::settings with;
    with.cores = 2;
    with.faults = test::faults::hostile();
    static_cast<void>(test::seeds(seed_count, [] { crowd(false); }, with));
}
