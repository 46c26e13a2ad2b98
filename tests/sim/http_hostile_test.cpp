// Clients that do anything, a server that is told to stop at any moment, and files on a bad disk:
// nobody else suffers, and nothing is left behind.
#include <doctest/doctest.h>

#include <string>

#include "http_world.hpp"
#include "rill/web/files.hpp"

using namespace rill;
using sim::http_app;
using sim::http_client;

namespace {

constexpr std::uint64_t seed_count = 10'000;  // RILL_SEEDS sets another

/// A text that begins like requests and goes on as the seed likes.
std::string some_input() {
    std::string text;
    for (std::uint64_t i = 0, count = 1 + test::choose(4); i < count; ++i) {
        switch (test::choose(6)) {
            case 0:
                text +=
                    "GET / HTTP/1.1\r\nhost: a\r\nx: " + std::string(test::choose(40'000), 'y') +
                    "\r\n\r\n";
                break;
            case 1:
                text += "POST /echo/1 HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n";
                break;
            case 2:
                for (std::uint64_t n = test::choose(300); n > 0; --n) {
                    text += static_cast<char>(test::choose(256));
                }
                break;
            default:
                text += sim::some_exchange(i).request;
        }
    }
    if (test::choose(2) == 0) text.resize(test::choose(text.size() + 1));
    return text;
}

/// Connects, sends something, takes some of the answers or none, and leaves in one way or another.
task<> misbehave() {
    auto connected = co_await as_result(tcp::connect(sim::server_address));
    if (!connected) co_return;
    tcp::stream peer = *std::move(connected);
    for (std::uint64_t i = test::choose(4); i > 0; --i) {
        std::string const text = some_input();
        auto const sent = co_await as_result(peer.write(text, deadline_in(5s)));
        if (!sent) co_return;
        if (test::choose(3) == 0)
            co_await rill::sleep(std::chrono::milliseconds(test::choose(500)));
        for (std::uint64_t parts = test::choose(6); parts > 0; --parts) {
            auto const part = co_await as_result(peer.receive(deadline_in(1s)));
            if (!part || !*part) break;
        }
    }
    switch (test::choose(4)) {
        case 0:
            peer.reset();
            break;
        case 1:
            peer.finish();
            co_await tcp::close_gracefully(peer);
            break;
        case 2:
            peer.finish();
            co_await rill::sleep(1min);
            break;
        default:
            break;
    }
}

web::serve_options some_options() {
    web::serve_options options;
    options.http.half_close = test::choose(2) == 0;
    options.http.head_bytes = test::choose(2) == 0 ? 1'024 : 16 * 1'024;
    options.http.body_bytes = test::choose(2) == 0 ? 5'000 : 1'024 * 1'024;
    options.http.output_bytes = 1 + static_cast<std::uint32_t>(test::choose(64 * 1'024));
    options.http.drain_bytes = static_cast<std::uint32_t>(test::choose(64 * 1'024));
    options.http.handler_timeout = std::chrono::milliseconds(test::choose(3) * 100);
    options.http.write_timeout = 5s;
    options.http.idle_timeout = 20s;
    return options;
}

/// Clients that misbehave beside one that is answered all the same; then a shutdown of some kind.
void suffer() {
    http_app app;
    web::server server(app.routes, sim::server_address, some_options());
    bool const early = test::choose(2) == 0;
    auto const clients = [&]() -> task<> {
        auto const all = [&](task_group& group) -> task<> {
            for (std::uint64_t i = 1 + test::choose(5); i > 0; --i) group.spawn(misbehave);
            if (early) {
                std::chrono::milliseconds const begin(test::choose(2'000));
                co_await rill::sleep(begin);
                server.shutdown(std::chrono::milliseconds(test::choose(2'000)));
                if (test::choose(2) == 0) server.shutdown(0s);
            }
        };
        co_await with_task_group(all);
        if (early) co_return;
        http_client client(co_await tcp::connect(sim::server_address));
        bool const sent = co_await client.send("GET /plain/7/9 HTTP/1.1\r\nhost: a\r\n\r\n");
        auto const got = co_await client.next();
        test::expect(sent && got && got->body == sim::content_of(7, 9), "the good one is answered");
        server.shutdown();
    };
    auto const body = [&]() -> task<> {
        if (core::current().index() == 0) {
            co_await when_all(server.run_on_this_core(), clients());
        } else {
            co_await server.run_on_this_core();
        }
        test::expect(core_count() != 1 || app.handlers == 0, "no handler is left");
    };
    run_per_core(body);
    test::expect(app.handlers == 0, "no handler is left");
}

/// Static files of three sizes, asked for on kept connections; what is served is whole.
void serve_files(bool calm) {
    // The same for all seeds, and made once; the large one does not fit into a window.
    static std::string const small = sim::content_of(1, 300);
    static std::string const middle = sim::content_of(2, 20'000);
    static std::string const large = sim::content_of(3, 100'000);
    test::add_file("/www/small.txt", small);
    test::add_file("/www/middle.txt", middle);
    test::add_file("/www/below/large.txt", large);
    test::add_file("/secret.txt", "no");
    web::router app;
    app.get("/{path...}", web::files("/www"));
    web::server server(app, sim::server_address);
    auto const ask = [&]() -> task<> {
        auto connected = co_await as_result(tcp::connect(sim::server_address));
        test::expect(connected.has_value() || !calm, "nobody refuses");
        if (!connected) co_return;
        http_client client(*std::move(connected));
        for (std::uint64_t i = 2 + test::choose(4); i > 0; --i) {
            std::uint64_t const which = test::choose(4);
            std::string_view const name = which == 0   ? "small.txt"
                                          : which == 1 ? "middle.txt"
                                          : which == 2 ? "below/large.txt"
                                                       : "..%2fsecret.txt";
            std::string const request =
                "GET /" + std::string(name) + " HTTP/1.1\r\nhost: a\r\n\r\n";
            bool const sent = co_await client.send(request);
            if (!sent) break;
            auto const got = co_await client.next();
            test::expect(got.has_value() || !calm, "answered");
            if (!got) break;
            if (which == 3) {
                test::expect(got->status >= 400, "never what is outside");
                continue;
            }
            test::expect(got->status == 200 || !calm, "found");
            if (got->status != 200) continue;
            std::string const& wanted = which == 0 ? small : which == 1 ? middle : large;
            test::expect(got->body == wanted, "whole");
        }
    };
    auto const clients = [&]() -> task<> {
        co_await when_all(ask(), ask());
        server.shutdown();
    };
    auto const body = [&]() -> task<> { co_await when_all(server.run_on_this_core(), clients()); };
    run_per_core(body, {.cores = 1});
}

}  // namespace

TEST_CASE("clients that do anything hurt nobody else, and a shutdown ends them all") {
    test::settings with;
    with.cores = 2;
    with.faults = test::faults::slow();
    with.receive_buffers = 16;
    static_cast<void>(test::seeds(seed_count, suffer, with));
}

TEST_CASE("the same with small windows, few buffers and no copies") {
    test::settings with;
    with.faults = test::faults::slow();
    with.receive_buffers = 4;
    with.receive_copies = 2;
    with.window_bytes = 100;
    static_cast<void>(test::seeds(seed_count, suffer, with));
}

TEST_CASE("files are served whole, from a slow disk that reads in pieces") {
    test::settings with;
    with.faults = test::faults::slow();
    with.faults.short_files = 300;
    auto const program = [] { serve_files(true); };
    static_cast<void>(test::seeds(seed_count, program, with));
}

TEST_CASE("from a disk that fails files are whole or not served") {
    test::settings with;
    with.faults = test::faults::hostile();
    with.faults.disk_errors = 100;
    auto const program = [] { serve_files(false); };
    static_cast<void>(test::seeds(seed_count, program, with));
}
