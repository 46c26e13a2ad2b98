// Server-sent events in simulated worlds: heartbeats to the moment, clients that leave, shutdowns,
// and ten thousand streams that only wait. WHATWG HTML section 9.2.
#include <doctest/doctest.h>

#include <string>

#include "http_world.hpp"
#include "rill/coro/channel.hpp"
#include "rill/web/sse.hpp"
#include "rt/receive_buffers.hpp"

using namespace rill;

namespace {

constexpr std::uint64_t seed_count = 2'000;  // RILL_SEEDS sets another
constexpr std::string_view ask = "GET /events HTTP/1.1\r\nhost: a\r\n\r\n";
constexpr duration slack = 500ms;  // what the network may add

test::settings slow_world() {
    test::settings with;
    with.faults = test::faults::slow();
    with.faults.stalls = 0;
    return with;
}

/// A client that gathers what comes, chunk sizes left where they are.
class reader {
public:
    explicit reader(tcp::stream&& peer) noexcept : peer_(std::move(peer)) {}
    task<> open() { co_await peer_.write(ask); }
    /// Waits for `what`, and drops it and all before. False at the end of the stream.
    task<bool> until(std::string_view what) {
        while (text_.find(what) == text_.npos) {
            auto const more = co_await as_result(peer_.receive());
            if (!more || !*more) co_return false;
            text_ += more->view().text();
        }
        text_.erase(0, text_.find(what) + what.size());
        co_return true;
    }
    [[nodiscard]] std::string const& unread() const noexcept { return text_; }
    tcp::stream& peer() noexcept { return peer_; }

private:
    tcp::stream peer_;
    std::string text_;
};

/// A server of streams that wait, or send `ticks` of them a second apart, and `client()` beside it.
struct events_app {
    web::router routes;
    int streams = 0;
    int ticks = 0;
    web::sse_options options;

    events_app() {
        routes.get("/events", [this](http::request& req) {
            auto produce = [this](web::event_sink& out) -> task<> {
                struct counted {
                    explicit counted(int& of) noexcept : count(of) { ++count; }
                    ~counted() { --count; }
                    int& count;
                } const here(streams);
                for (int i = 0; i < ticks; ++i) {
                    co_await rill::sleep(1s);
                    std::string const id = std::to_string(i);
                    co_await out.send({.data = "tick", .id = id});
                }
                event never_set;
                co_await never_set.wait();
            };
            return web::sse(req, produce, options);
        });
    }

    template <class Client>
    void serve(Client client, web::serve_options const& with = {}) {
        web::server server(routes, sim::server_address, with);
        auto const both = [&]() -> task<> {
            auto const first = [&]() -> task<> {
                co_await client(server);
                server.shutdown(5s);
            };
            co_await when_all(server.run_on_this_core(), first());
            test::expect(streams == 0, "no stream is left");
        };
        run_per_core(both, {.cores = 1});
        test::expect(server.take_report().cut == 0, "nothing had to be cut");
    }
};

}  // namespace

TEST_CASE("a stream that is silent says something in each interval, and one that sends does not") {
    auto const program = [] {
        events_app app;
        app.ticks = 5;
        app.options.heartbeat = 10s;
        app.serve([](web::server&) -> task<> {
            reader client(co_await tcp::connect(sim::server_address));
            co_await client.open();
            for (int i = 0; i < 5; ++i) {
                std::string const wanted = "id: " + std::to_string(i) + "\ndata: tick\n\n";
                bool const came = co_await client.until(wanted);
                test::expect(came, "each event comes whole");
            }
            duration since = test::elapsed();
            for (int i = 0; i < 3; ++i) {
                bool const came = co_await client.until("3\r\n:\n\n\r\n");
                duration const took = test::elapsed() - since;
                test::expect(came, "a heartbeat");
                test::expect(took >= 10s - slack && took <= 10s + slack, "in its time");
                since = test::elapsed();
            }
        });
    };
    static_cast<void>(test::seeds(seed_count, program, slow_world()));
}

TEST_CASE("a stream that only waits ends with its client (C025)") {
    auto const program = [] {
        events_app app;
        app.options.heartbeat = 0s;
        app.serve([&app](web::server&) -> task<> {
            reader client(co_await tcp::connect(sim::server_address));
            co_await client.open();
            bool const opened = co_await client.until("\r\n\r\n");
            test::expect(opened && app.streams == 1, "the head comes at once");
            if (test::choose(2) == 0) {
                client.peer().close();
            } else {
                client.peer().finish();
            }
            duration const left = test::elapsed();
            while (app.streams != 0) co_await rill::sleep(10ms);
            test::expect(test::elapsed() <= left + slack, "without a write");
        });
    };
    static_cast<void>(test::seeds(seed_count, program, slow_world()));
}

TEST_CASE("a graceful shutdown ends streams at once, whole") {
    auto const program = [] {
        events_app app;
        app.ticks = static_cast<int>(test::choose(3));
        app.serve([](web::server& server) -> task<> {
            reader client(co_await tcp::connect(sim::server_address));
            co_await client.open();
            bool const opened = co_await client.until("\r\n\r\n");
            test::expect(opened, "an answer");
            std::chrono::milliseconds const pause(test::choose(3'000));
            co_await rill::sleep(pause);
            duration const begin = test::elapsed();
            server.shutdown(5s);
            bool const ended = co_await client.until("0\r\n\r\n");
            test::expect(ended && client.unread().empty(), "ended, not cut");
            test::expect(test::elapsed() <= begin + slack, "at once");
        });
    };
    static_cast<void>(test::seeds(seed_count, program, slow_world()));
}

TEST_CASE("a client whose cable was cut is noticed by its heartbeat") {
    auto const program = [] {
        events_app app;
        app.options.heartbeat = 10s;
        web::serve_options with;
        with.http.write_timeout = 20s;
        app.serve(
            [&app](web::server&) -> task<> {
                // It takes nothing and says nothing, which is all that a server sees of a cut
                // cable.
                reader client(co_await tcp::connect(sim::server_address));
                co_await client.open();
                bool const opened = co_await client.until("\r\n\r\n");
                test::expect(opened, "an answer");
                duration const begin = test::elapsed();
                while (app.streams != 0) co_await rill::sleep(1s);
                test::expect(test::elapsed() >= begin, "given up");
            },
            with);
    };
    test::settings narrow = slow_world();
    narrow.window_bytes = 400;
    static_cast<void>(test::seeds(100, program, narrow));
}

TEST_CASE("ten thousand idle streams on one core hold no receive buffer") {
    constexpr int count = 10'000;
    auto const program = [] {
        events_app app;
        app.options.heartbeat = 0s;
        app.serve([&app](web::server&) -> task<> {
            std::vector<tcp::stream> clients;
            for (int i = 0; i < count; ++i) {
                clients.push_back(co_await tcp::connect(sim::server_address));
                co_await clients.back().write(ask);
            }
            while (app.streams != count) co_await rill::sleep(10ms);
            // What came to the clients is read, so that all that is held is the server's.
            for (tcp::stream& each : clients) {
                std::size_t taken = 0;
                while (taken == 0) taken = (co_await each.receive()).size();
            }
            co_await rill::sleep(1s);
            std::uint32_t const held = core::current().buffers().held();
            test::expect(held == 0, "nobody holds a buffer");
            clients.clear();
            while (app.streams != 0) co_await rill::sleep(10ms);
        });
    };
    static_cast<void>(test::simulate(1, program));
}
