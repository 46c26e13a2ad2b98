// One HTTP/1.1 connection of a server.
#include "http/connection.hpp"

#include "http/exchange.hpp"
#include "http/proxied_client.hpp"
#include "http/timed_waits.hpp"
#include "http/write_answer.hpp"
#include "io/preceded_stream.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/http/upgrade.hpp"
#include "rill/io/tcp.hpp"
#include "rill/io/throttle.hpp"
#include "rill/rt/sleep.hpp"

namespace rill::http {

namespace {

/// Until when to wait for a request. Who connected before a shutdown has mostly sent one already,
/// which is served.
time_point end_of_patience(server_core& home) noexcept {
    duration const patience =
        home.draining() ? server_core::last_patience : home.options().idle_timeout;
    return later(home.home().now(), patience);
}

/// Of a connection whose server looks at how long requests wait.
struct timed_state : connection_state {
    time_point answered = never;  // when the last answer of the burst had been sent
};
template <class Wait>
inline constexpr bool is_timed = std::is_same_v<Wait, timed_idle_wait>;
template <class Wait>
using state_for = std::conditional_t<is_timed<Wait>, timed_state, connection_state>;

/// Answers what `first` brings, and what belongs to it. Takes the lease over.
template <class Wait>
task<next_step> serve_burst(server_core& home, byte_stream& peer, lease& first,
                            state_for<Wait>& state, counted_address* from) {
    using progress = exchange::progress;
    exchange burst(home, peer, std::move(first), state, from);
    for (;;) {
        progress step = burst.advance();
        if (step > progress::lost) {
            step = co_await burst.resolve(step);
            if (step == progress::answered) continue;
        }
        if (step == progress::lost) co_return next_step::cut;
        if (!burst.output().empty()) {
            burst.settle();
            if constexpr (is_timed<Wait>) {
                timed_write write(home.home(), peer, burst.output(), burst.write_deadline());
                auto const sent = co_await as_result(write);
                state.answered = write.done();
                if (!burst.sent(sent)) co_return next_step::cut;
            } else {
                auto const sent =
                    co_await as_result(peer.write(burst.output(), burst.write_deadline()));
                if (!burst.sent(sent)) co_return next_step::cut;
            }
        }
        if (step == progress::ended) co_return next_step::close;
        if (step == progress::upgraded) co_return next_step::hand_over;
        if (step == progress::used_up) co_return next_step::wait;
    }
}

/// The client gets what was written: FIN, then what it still sends is dropped, then close.
task<> close_gracefully(server_core& home, byte_stream& peer) {
    peer.finish();
    server_options const& options = home.options();
    time_point const deadline = later(home.home().now(), options.drain_timeout);
    std::size_t dropped = 0;
    // A stream that is slow by our own rates would excuse itself for ever.
    while (dropped < options.drain_bytes && home.home().now() < deadline) {
        auto const rest = co_await as_result(peer.receive(deadline));
        if (!rest || !*rest) break;
        dropped += rest->size();
    }
}

/// The protocol behind HTTP has the connection to itself.
task<> run_session(server_core& home, byte_stream& peer, handover& next) {
    if (next.rest.empty()) {
        upgraded connection(peer, home.stopping());
        co_await next.session.run(connection);
    } else {
        preceded_stream whole(std::move(next.rest), peer);
        upgraded connection(whole, home.stopping());
        co_await next.session.run(connection);
    }
}

// `Wait` is a `timed_idle_wait` where requests that have waited for too long are refused.
template <class Wait>
task<> serve_requests(server_core& home, byte_stream& peer, counted_address* from) {
    ++home.counters().connections;
    state_for<Wait> state{};
    state.requests_left = home.options().requests_per_connection;
    next_step after = next_step::wait;
    // Out of memory for one connection is no reason to end the others.
    std::exception_ptr failure;
    try {
        for (bool first_request = true; after == next_step::wait; first_request = false) {
            if (home.draining() && !first_request) break;
            Wait request(home, peer, end_of_patience(home));
            co_await request;
            if (request.input() == nullptr) {
                if (request.timed_out()) ++home.counters().timed_out;
                break;
            }
            if constexpr (is_timed<Wait>) {
                time_point const now = home.home().clock();
                duration const waited = request.waited(now, std::exchange(state.answered, never));
                state.late = home.delays()->refuses(waited, now);
            }
            after = co_await serve_burst<Wait>(home, peer, *request.input(), state, from);
        }
        if (after == next_step::hand_over) {
            co_await run_session(home, peer, *state.next);
            state.next.reset();
            after = next_step::close;
        }
        if (after == next_step::close) co_await close_gracefully(home, peer);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) tcp::detail::log_handler_failure("HTTP connection", std::move(failure));
    peer.close();
}

/// The same over a stream that keeps to the rates of the connection and of the server. Those of a
/// route are the exchange's to set.
template <class Wait>
task<> serve_throttled(server_core& home, byte_stream& peer, counted_address* from) {
    byte_rate reads(home.options().connection_read_rate);
    byte_rate writes(home.options().connection_write_rate);
    throttled_stream slowed(peer);
    slowed.set_read_rate(server_core::rate_of_connection, &reads);
    slowed.set_write_rate(server_core::rate_of_connection, &writes);
    if (home.doors() != nullptr) {
        slowed.set_read_rate(server_core::rate_of_server, &home.doors()->reads());
        slowed.set_write_rate(server_core::rate_of_server, &home.doors()->writes());
    }
    // A client that was told of by a proxy is known by the stream that its requests come from.
    proxied_client client(home, slowed);
    auto const known = home.proxied().find(&peer);
    if (known != home.proxied().end()) client.note(address(known->second));
    co_await serve_requests<Wait>(home, slowed, from);
}

template <class Wait>
task<> serve(server_core& home, byte_stream& peer, counted_address* from) {
    return home.throttles() ? serve_throttled<Wait>(home, peer, from)
                            : serve_requests<Wait>(home, peer, from);
}

}  // namespace

task<> serve_connection(server_core& home, byte_stream& peer, counted_address* from) {
    return home.delays() != nullptr ? serve<timed_idle_wait>(home, peer, from)
                                    : serve<idle_wait>(home, peer, from);
}

task<> refuse_connection(server_core& home, byte_stream& peer) {
    struct one_more {
        std::uint32_t& count;
        explicit one_more(std::uint32_t& of) noexcept : count(of) { ++count; }
        one_more(one_more const&) = delete;
        one_more& operator=(one_more const&) = delete;
        ~one_more() { --count; }
    } const told(home.told());
    buffer text = home.take_buffer();
    write_busy(home, text, {.keep_alive = false});
    time_point const deadline = later(home.home().now(), home.options().drain_timeout);
    auto const sent = co_await as_result(peer.write(text.view(), deadline));
    home.keep_buffer(std::move(text));
    if (sent) co_await close_gracefully(home, peer);
    peer.close();
}

}  // namespace rill::http
