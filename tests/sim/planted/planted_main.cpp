// The program that planted faults must be found by, and that holds without one. Built once as it is
// and once with each faulty copy of a file (plant.py); found.py judges.
#include <cstdio>
#include <exception>

#include "sim/http_world.hpp"

using namespace rill;

namespace {

/// Connections whose handlers wait for long, more of them than there are receive buffers; somebody
/// else is answered all the same.
task<> crowd(task_group& group) {
    auto const wait = []() -> task<> {
        sim::http_client client(co_await tcp::connect(sim::server_address));
        bool const sent = co_await client.send("GET /wait/1/0/60000 HTTP/1.1\r\nhost: a\r\n\r\n");
        auto const got = co_await client.next();
        test::expect(sent && got && got->body == "1:", "who waits is answered in the end");
    };
    for (int i = 0; i < 40; ++i) group.spawn(wait);
    co_await rill::sleep(5s);
    sim::http_client client(co_await tcp::connect(sim::server_address));
    duration const asked = test::elapsed();
    bool const sent = co_await client.send("GET /plain/2/0 HTTP/1.1\r\nhost: a\r\n\r\n");
    auto const got = co_await client.next();
    test::expect(sent && got && got->body == "2:", "who asks is answered");
    test::expect(test::elapsed() < asked + 10s, "while others wait");
}

/// A connection that is used now and then, for longer than any deadline of one answer.
task<> patient() {
    sim::http_client client(co_await tcp::connect(sim::server_address));
    for (int i = 0; i < 4; ++i) {
        bool const sent = co_await client.send("GET /stream/3/500 HTTP/1.1\r\nhost: a\r\n\r\n");
        auto const got = co_await client.next();
        test::expect(sent && got && got->body == sim::content_of(3, 500), "still answered");
        std::chrono::seconds const pause(test::choose(60));
        co_await rill::sleep(pause);
    }
}

void program() {
    sim::http_app app;
    web::server server(app.routes, sim::server_address);
    sim::tally sum;
    auto const clients = [&]() -> task<> {
        auto const all = [&](task_group& group) -> task<> {
            group.spawn(patient);
            group.spawn(sim::converse, std::uint64_t{1'000}, 8, true, std::ref(sum));
            if (test::choose(4) == 0) co_await crowd(group);
        };
        co_await with_task_group(all);
        server.shutdown();
    };
    auto const body = [&]() -> task<> { co_await when_all(server.run_on_this_core(), clients()); };
    run_per_core(body, {.cores = 1});
}

}  // namespace

int main() {
    test::settings with;
    with.receive_buffers = 16;
    with.receive_copies = 0;
    with.faults = test::faults::slow();
    try {
        auto const done = test::seeds(400, program, with);
        std::printf("%lu seeds hold\n", static_cast<unsigned long>(done.seed));
        return 0;
    } catch (std::exception const&) {
        return 1;  // the seed is on stderr already
    }
}
