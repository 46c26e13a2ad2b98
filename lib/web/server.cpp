// A router on an address: one listener and one set of connections per core, stopped together.
#include "rill/web/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include "http/admission.hpp"
#include "http/connection.hpp"
#include "http/server_core.hpp"
#include "rill/base/log.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/coro/describe.hpp"
#include "rill/coro/event.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/rt/signals.hpp"
#include "rill/rt/sleep.hpp"
#include "rt/driver.hpp"
#include "web/stop_signal.hpp"

namespace rill::web {

namespace {

class router_service final : public http::service {
public:
    explicit router_service(router const& app) noexcept : app_(app) {}
    http::handler choose(http::request& req) const override { return app_.choose(req); }
    bool throttles() const noexcept override { return app_.throttles(); }

private:
    router const& app_;
};

/// Counts the connections of one core and tells when the last has gone.
struct connection_count {
    explicit connection_count(http::admission* of_server) noexcept : doors(of_server) {}
    http::admission* doors;  // null where the server has no limits that cores share
    std::size_t open = 0;
    event all_gone;
    event accepting_over;
};

/// One open connection in the count, also where its task is destroyed instead of ending.
class counted_connection {
public:
    explicit counted_connection(connection_count& in) noexcept : in_(&in) {
        ++in.open;
        in.all_gone.reset();
    }
    counted_connection(counted_connection&& other) noexcept
        : in_(std::exchange(other.in_, nullptr)) {}
    counted_connection& operator=(counted_connection&&) = delete;
    ~counted_connection() {
        if (in_ != nullptr && --in_->open == 0) in_->all_gone.set();
    }

protected:
    connection_count* in_;  // null once it was moved from
};

/// One that was let in, and its place.
class admitted_connection : public counted_connection {
public:
    admitted_connection(connection_count& in, http::counted_address* from) noexcept
        : counted_connection(in), from_(from) {}
    admitted_connection(admitted_connection&&) noexcept = default;
    admitted_connection& operator=(admitted_connection&&) = delete;
    ~admitted_connection() {
        if (in_ != nullptr && in_->doors != nullptr) in_->doors->leave(from_);
    }
    [[nodiscard]] http::counted_address* from() const noexcept { return from_; }

private:
    http::counted_address* from_;
};

/// No coroutine of its own: the group's frame keeps the arguments, and an idle connection is the
/// smaller for it.
task<> serve_one(http::server_core& home, admitted_connection const& place,
                 tcp::stream const& peer) {
    auto* const serve = home.options().proxy_header     ? http::serve_proxied_connection
                        : home.options().tls != nullptr ? http::serve_secured_connection
                                                        : http::serve_connection;
    return serve(home, peer.bytes_of(), place.from());
}
task<> refuse_one(http::server_core& home, counted_connection const&, tcp::stream const& peer) {
    return http::refuse_connection(home, peer.bytes_of());
}

/// Looks for a place for a connection from `peer`, and counts it or why there is none.
http::admission::entrance let_in(http::admission* doors, http::server_counters& seen,
                                 tcp::stream const& peer) {
    if (doors == nullptr) return {};
    auto const place = doors->enter(peer.remote_address());
    if (place.table_full) ++seen.addresses_uncounted;
    if (place.refused_by == http::limit::server) ++seen.connections_over_server;
    if (place.refused_by == http::limit::address) ++seen.connections_over_address;
    return place;
}

address parse(std::string_view text) {
    auto parsed = address::parse(text);
    if (!parsed) {
        throw error(parsed.error(), "serve on", text,
                    "write it as :8080, 127.0.0.1:80, [::1]:80 or unix:/path");
    }
    return *std::move(parsed);
}

void add(http::server_counters& sum, http::server_counters const& more) noexcept {
    sum.connections += more.connections;
    sum.requests += more.requests;
    sum.refused += more.refused;
    sum.timed_out += more.timed_out;
    sum.clients_gone += more.clients_gone;
    sum.failed += more.failed;
    sum.connections_over_server += more.connections_over_server;
    sum.connections_over_address += more.connections_over_address;
    sum.requests_over_server += more.requests_over_server;
    sum.requests_over_address += more.requests_over_address;
    sum.requests_over_route += more.requests_over_route;
    sum.requests_shed += more.requests_shed;
    sum.handshakes_failed += more.handshakes_failed;
    sum.handshakes_over_core += more.handshakes_over_core;
    sum.addresses_uncounted += more.addresses_uncounted;
    sum.turns += more.turns;
    sum.enters += more.enters;
}

}  // namespace

class server::state {
public:
    state(router& app, std::string_view at, serve_options const& options)
        : answers_(app), at_(parse(at)), options_(options) {
        app.freeze();
    }

    [[nodiscard]] serve_options const& options() const noexcept { return options_; }

    task<> run_core();
    void shutdown(duration grace) noexcept { stop_.request(grace); }

    address local_address() {
        std::unique_lock lock(mutex_);
        started_.wait(lock, [this] { return listening_ || failure_; });
        if (failure_) std::rethrow_exception(failure_);
        return bound_;
    }
    void could_not_start(std::exception_ptr why) {
        std::lock_guard const lock(mutex_);
        if (!failure_) failure_ = std::move(why);
        started_.notify_all();
    }
    serve_report take_report() {
        std::lock_guard const lock(mutex_);
        return std::move(report_);
    }

private:
    task<> accept_all(tcp::listener& from, http::server_core& home, connection_count& count,
                      task_group& group);
    task<> stop_core(tcp::listener& from, http::server_core& home, connection_count& count,
                     task_group& group, stop_signal::waiter& stop);
    http::admission* doors();
    task<> wait_for_all(connection_count& count, stop_signal::waiter& stop, time_point since,
                        duration most);
    tcp::listener listen();
    tcp::listener try_to_listen();
    void report_cut(task_group& group);

    router_service answers_;
    address at_;
    serve_options options_;
    stop_signal stop_;

    std::mutex mutex_;
    std::optional<http::admission> doors_;  // made by the first core
    std::condition_variable started_;
    address bound_;
    bool listening_ = false;
    std::exception_ptr failure_;
    serve_report report_;
};

http::admission* server::state::doors() {
    if (!http::admission::wanted(options_.http)) return nullptr;
    std::lock_guard const lock(mutex_);
    if (!doors_) {
        std::array<std::byte, sizeof(std::uint64_t)> seed;
        core::current().io().random(seed);
        doors_.emplace(options_.http, std::bit_cast<std::uint64_t>(seed));
    }
    return &*doors_;
}

tcp::listener server::state::listen() {
    try {
        return try_to_listen();
    } catch (...) {
        could_not_start(std::current_exception());
        throw;
    }
}

tcp::listener server::state::try_to_listen() {
    // The first core to come finds the port; the others share it, also where 0 was asked for.
    std::lock_guard const lock(mutex_);
    tcp::listener_options options = options_.listener;
    options.must_be_first = !listening_ && !options_.share_port;
    tcp::listener made(listening_ ? at_.with_port(bound_.port()) : at_, options);
    if (!listening_) {
        bound_ = made.local_address();
        if (bound_.kind() == address::family::local) bound_ = at_;
        listening_ = true;
        started_.notify_all();
    }
    return made;
}

task<> server::state::run_core() {
    tcp::listener listener = listen();
    http::server_core home(core::current(), answers_, options_.http, doors());
    connection_count count(home.doors());
    stop_signal::waiter stop(stop_);
    auto body = [&](task_group& group) -> task<> {
        co_await when_all(accept_all(listener, home, count, group),
                          stop_core(listener, home, count, group, stop));
    };
    co_await with_task_group(body);
    auto const totals = core::current().totals();
    home.counters().turns = totals.turns;
    home.counters().enters = totals.enters;
    std::lock_guard const lock(mutex_);
    add(report_.counters, home.counters());
}

task<> server::state::accept_all(tcp::listener& from, http::server_core& home,
                                 connection_count& count, task_group& group) {
    for (;;) {
        auto accepted = co_await as_result(from.accept());
        if (!accepted) break;
        auto const place = let_in(count.doors, home.counters(), *accepted);
        if (place.refused_by == http::limit::none) {
            group.spawn(serve_one, std::ref(home), admitted_connection(count, place.from),
                        *std::move(accepted));
        } else if (home.told() < http::server_core::most_told) {
            group.spawn(refuse_one, std::ref(home), counted_connection(count),
                        *std::move(accepted));
        }
    }
    count.accepting_over.set();
}

task<> server::state::stop_core(tcp::listener& from, http::server_core& home,
                                connection_count& count, task_group& group,
                                stop_signal::waiter& stop) {
    co_await stop.changed().wait();
    time_point const since = core::current().now();
    // Connections that the kernel has accepted already are served: `accept_all` ends after them.
    from.close();
    home.drain();
    co_await count.accepting_over.wait();
    co_await wait_for_all(count, stop, since, http::server_core::last_patience);
    home.end_idle();
    // Without grace, too, idle connections end by themselves and are not cut.
    co_await yield();
    co_await wait_for_all(count, stop, since, duration::max());
    if (count.open == 0) co_return;
    report_cut(group);
    group.cancel(cancel_reason::shutdown);
}

/// Until the last connection has ended, or the grace is over, which may become shorter meanwhile,
/// or `most` since the beginning.
task<> server::state::wait_for_all(connection_count& count, stop_signal::waiter& stop,
                                   time_point since, duration most) {
    while (count.open != 0) {
        stop.changed().reset();
        time_point const until = later(since, std::min(stop_.grace(), most));
        if (core::current().now() >= until) break;
        static_cast<void>(
            co_await when_any(count.all_gone.wait(), stop.changed().wait(), sleep_until(until)));
    }
}

void server::state::report_cut(task_group& group) {
    std::lock_guard const lock(mutex_);
    group.for_each([this](chain& each) {
        ++report_.cut;
        // The place that matters is the innermost one: where the handler waits.
        chain* innermost = &each;
        while (operation* const wait = innermost->waiting_for()) {
            chain* const inner = wait->inner_chain();
            if (inner == nullptr) break;
            innermost = inner;
        }
        report_.alive.push_back(describe(*innermost));
    });
}

server::server(router& app, std::string_view address, serve_options const& options)
    : state_(std::make_unique<state>(app, address, options)) {}

server::~server() = default;

serve_report server::take_report() {
    return state_->take_report();
}

serve_report server::run() {
    try {
        run_per_core([this]() -> task<> { return run_on_this_core(); }, state_->options().run);
    } catch (...) {
        state_->could_not_start(std::current_exception());
        throw;
    }
    return state_->take_report();
}

task<> server::run_on_this_core() {
    return state_->run_core();
}

void server::shutdown(duration grace) noexcept {
    state_->shutdown(grace);
}

void server::shutdown() noexcept {
    state_->shutdown(state_->options().grace);
}

address server::local_address() const {
    return state_->local_address();
}

namespace {

/// Turns signals into a shutdown: the first a graceful one, the second one at once.
task<> watch_signals(server& of, event& over) {
    signal_watch signals(signal_set(SIGINT, SIGTERM));
    for (int count = 0;; ++count) {
        auto const what = co_await when_any(signals.next(), over.wait());
        if (what.index == 1) co_return;
        log::info("stopping", {{"signal", std::get<0>(what.value)}, {"at_once", count > 0}});
        if (count > 0) {
            of.shutdown(0s);
        } else {
            of.shutdown();
        }
    }
}

/// For benchmarks: what the loops did for the requests.
void print_statistics(http::server_counters const& counters) {
    // lint: allow(banned) serve speaks for main, also where the log is off
    std::fputs(fmt::format("rill: turns={} requests={} enters={}\n", counters.turns,
                           counters.requests, counters.enters)
                   .c_str(),
               stderr);
}

task<> serve_core(server& of, bool with_signals) {
    event over;
    auto serving = [](server& self, event& ended) -> task<> {
        co_await self.run_on_this_core();
        ended.set();
    };
    if (with_signals && core::current().index() == 0) {
        co_await when_all(serving(of, over), watch_signals(of, over));
    } else {
        co_await serving(of, over);
    }
}

}  // namespace

int serve(router& app, std::string_view address, serve_options const& options) {
    try {
        server instance(app, address, options);
        run_per_core([&]() -> task<> { return serve_core(instance, options.handle_signals); },
                     options.run);
        serve_report const report = instance.take_report();
        for (std::string const& alive : report.alive) {
            // lint: allow(banned) serve speaks for main, also where the log is off
            std::fputs(fmt::format("rill: cut at shutdown:\n{}", alive).c_str(), stderr);
        }
        if (std::getenv("RILL_STATS") != nullptr) print_statistics(report.counters);
        return report.cut == 0 ? 0 : 1;
    } catch (std::exception const& failure) {
        // lint: allow(banned) serve speaks for main, also where the log is off
        std::fputs(fmt::format("rill: {}\n", failure.what()).c_str(), stderr);
        return 1;
    }
}

}  // namespace rill::web
