// server and serve: a router answers on an address, on all cores, until it is told to stop.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rill/base/address.hpp"
#include "rill/base/export.hpp"
#include "rill/base/time.hpp"
#include "rill/http/server.hpp"
#include "rill/io/tcp.hpp"
#include "rill/rt/run.hpp"
#include "rill/web/router.hpp"

namespace rill::web {

/// How a server runs.
struct serve_options {
    /// Limits and deadlines of clients.
    http::server_options http = {};
    /// Backlog, port sharing, and the sockets' options.
    tcp::listener_options listener = {};
    /// How many cores, and how they are made.
    run_options run = {};
    /// How long a graceful shutdown waits for what is running.
    duration grace = 10s;
    /// Other processes may serve the same port, and the kernel spreads connections over all. Off, a
    /// server that finds its port taken says so instead of getting a share of the connections.
    bool share_port = false;
    /// `serve` only: SIGINT and SIGTERM begin a graceful shutdown, a second one cuts it short.
    bool handle_signals = true;
};
static_assert(std::is_trivially_destructible_v<serve_options>);

/// How a server ended.
struct serve_report {
    /// Connections that had to be cut because the grace period was over.
    std::size_t cut = 0;
    /// What each of those waited for, for a log.
    std::vector<std::string> alive;
    /// Counters of all cores together.
    http::server_counters counters;
};

/// An HTTP server. `serve` is the short way to one.
class RILL_API server {
public:
    /// Serves `app`, which must outlive it and is frozen by it. Name and options of the address as
    /// in `tcp::listener`.
    server(router& app, std::string_view address, serve_options const& options = {});
    server(server const&) = delete;
    server& operator=(server const&) = delete;
    ~server();

    /// Serves on all cores until `shutdown`; one thread each. Throws `error` when the address
    /// cannot be listened on or a core cannot be made.
    ///
    /// Called after `shutdown`, it returns at once.
    serve_report run();

    /// The server's work on the core that awaits it, for programs that have cores of their own.
    /// Ends after `shutdown`.
    [[nodiscard]] task<> run_on_this_core();

    /// How it ended, once all cores have; for programs that have cores of their own.
    [[nodiscard]] serve_report take_report();

    /// Begins a graceful shutdown, and returns at once: no further connection is accepted, running
    /// requests are finished, connections that are idle have 100 ms of the grace for a request that
    /// may be on its way and are then closed, and after `grace` the rest is cancelled.
    /// A second call with less grace cuts it short. Any thread, also from a handler.
    void shutdown(duration grace) noexcept;
    /// The same with the grace of the options.
    void shutdown() noexcept;

    /// Where it listens, with the real port where 0 was asked for; waits until it does. Any thread.
    /// Throws `error` when it could not listen.
    [[nodiscard]] rill::address local_address() const;

private:
    class state;
    std::unique_ptr<state> state_;
};

/// Serves `app` on `address` (":8080", "127.0.0.1:80", "[::1]:80") on all cores until SIGINT or
/// SIGTERM, finishes what is running, and returns the exit code for `main`: 0, or 1 when something
/// had to be cut or the server could not start; what and why is then on stderr.
RILL_API int serve(router& app, std::string_view address, serve_options const& options = {});

}  // namespace rill::web
