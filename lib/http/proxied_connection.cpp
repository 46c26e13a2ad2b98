// Connections that begin with a PROXY header. HAProxy's specification, sections 2 and 4.
#include <algorithm>
#include <string>
#include <utility>

#include "http/connection.hpp"
#include "http/idle_wait.hpp"
#include "http/proxied_client.hpp"
#include "rill/codec/proxy_header.hpp"
#include "rill/rt/core.hpp"

namespace rill::http {

namespace {

/// Reads the header and leaves what follows it in the stream. A shutdown ends the wait for it as it
/// ends that for a request.
task<codec::proxy_header> read_header(server_core& home, byte_stream& peer) {
    codec::proxy_header found;
    std::string begin;
    time_point const deadline = later(home.home().now(), home.options().proxy_header_timeout);
    while (found.state == codec::proxy_header::progress::need_more) {
        time_point const last = later(home.home().now(), server_core::last_patience);
        idle_wait wait(home, peer, home.draining() ? std::min(deadline, last) : deadline);
        co_await wait;
        if (wait.input() == nullptr) {
            if (wait.timed_out()) ++home.counters().timed_out;
            break;
        }
        lease more = std::move(*wait.input());
        std::size_t const before = begin.size();
        begin += more.view().text().substr(0, codec::proxy_header::max_size - before);
        found = codec::parse_proxy_header(begin);
        if (found.state != codec::proxy_header::progress::complete) {
            if (begin.size() == codec::proxy_header::max_size) break;
            continue;
        }
        more.consume(found.size - before);
        if (more) receive_operation::give_back(peer, std::move(more));
    }
    co_return found;
}

}  // namespace

task<> serve_proxied_connection(server_core& home, byte_stream& peer, counted_address* from) {
    network_set const* const trusted = home.options().trusted_proxies;
    bool const is_trusted = trusted != nullptr && trusted->contains(peer.remote_address());
    codec::proxy_header header;
    if (is_trusted) header = co_await read_header(home, peer);
    if (header.state != codec::proxy_header::progress::complete) {
        // Nothing is answered: whoever this is does not speak for a client.
        ++home.counters().connections;
        ++home.counters().refused;
        peer.close();
        co_return;
    }
    proxied_client client(home, peer);
    if (header.client.kind() != address::family::none) client.note(header.client);
    auto* const serve = home.options().tls != nullptr ? serve_secured_connection : serve_connection;
    co_await serve(home, peer, from);
}

}  // namespace rill::http
