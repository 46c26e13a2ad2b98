// HTTP over TLS (RFC 9110 section 4.2.2): a connection that begins with a handshake.
#include "http/connection.hpp"
#include "http/proxied_client.hpp"
#include "rill/coro/event.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/tls/stream.hpp"

namespace rill::http {

namespace {

/// Until a shutdown has left a client that is not ready no more time.
task<> end_of_patience(server_core& home) {
    co_await home.stopping().wait();
    co_await sleep_until(later(home.home().now(), server_core::last_patience));
}

task<result<void>> shake(server_core& home, tls::stream& with) {
    struct one_more {
        std::uint32_t& count;
        explicit one_more(std::uint32_t& of) noexcept : count(of) { ++count; }
        one_more(one_more const&) = delete;
        one_more& operator=(one_more const&) = delete;
        ~one_more() { --count; }
    } const in_progress(home.handshakes());
    time_point const deadline = later(home.home().now(), home.options().handshake_timeout);
    auto first = co_await when_any(with.handshake(deadline), end_of_patience(home));
    if (first.index == 0) co_return std::get<0>(first.value);
    co_return errc::closed;
}

}  // namespace

task<> serve_secured_connection(server_core& home, byte_stream& peer, counted_address* from) {
    server_options const& options = home.options();
    if (options.most_handshakes != 0 && home.handshakes() == options.most_handshakes) {
        // A handshake costs more than a request: nothing is answered, and nothing computed.
        ++home.counters().connections;
        ++home.counters().handshakes_over_core;
        peer.close();
        co_return;
    }
    tls::stream secured(peer, *options.tls);
    result<void> const agreed = co_await shake(home, secured);
    if (!agreed) {
        server_counters& counters = home.counters();
        ++counters.connections;
        ++counters.handshakes_failed;
        ++(agreed.error() == errc::timed_out ? counters.timed_out : counters.refused);
        secured.close();
        co_return;
    }
    // A client that was told of by a proxy is known by the stream that its requests come from.
    proxied_client client(home, secured);
    auto const known = home.proxied().find(&peer);
    if (known != home.proxied().end()) client.note(address(known->second));
    co_await serve_connection(home, secured, from);
}

}  // namespace rill::http
