// How an HTTP server treats its clients: limits, deadlines and counters. RFC 9110, RFC 9112.
#pragma once

#include <cstdint>
#include <type_traits>

#include "rill/base/network_set.hpp"
#include "rill/base/time.hpp"
#include "rill/http/client_info.hpp"
#include "rill/http/handler.hpp"
#include "rill/tls/context.hpp"

namespace rill::http {

/// What a server allows its clients. The defaults are safe for the open Internet.
struct server_options {
    /// Bytes of a request's head; over it the answer is 431. From 16 to 65535.
    std::uint32_t head_bytes = 16 * 1024;
    /// Bytes of a request's target; over it the answer is 414.
    std::uint32_t target_bytes = 8 * 1024;
    /// Field lines of a request; over it the answer is 431. At most 128.
    std::uint32_t field_count = 100;
    /// Bytes of a request's content; over it the answer is 413. 0 allows none. A route may have its
    /// own (`handler_limits`), and its own of the two deadlines of the same name.
    std::uint64_t body_bytes = 1024 * 1024;

    /// From the first byte of a head to its last; over it the connection ends, after 408 where
    /// something had come.
    duration head_timeout = 10s;
    /// For the whole content of a request: the time that the server waits for it, all waits
    /// together; over it the answer is 408. What a handler does between its reads does not count.
    duration body_timeout = 30s;
    /// How long a kept connection may be idle between requests, and before the first.
    duration idle_timeout = 75s;
    /// For a handler that returns a task; over it the handler is cancelled and the answer is 503.
    /// 0 is no deadline.
    duration handler_timeout = 0s;
    /// For the client to take what is written to it at once; over it the connection is cut.
    duration write_timeout = 30s;

    /// Requests that one connection may make; the last answer says close. 0 is no limit.
    std::uint64_t requests_per_connection = 0;

    /// Open connections, on all cores together; who comes beyond it gets 503 and is closed. 0 is no
    /// limit but that of the process's descriptors.
    std::uint32_t most_connections = 0;
    /// The same for one address of clients, of which IPv6 has one for each network
    /// (`ipv6_prefix_bits`). Local sockets have none. 0 is no limit; leave it so behind a proxy,
    /// which is one address.
    std::uint32_t most_connections_per_address = 0;
    /// Requests that wait, for their content or for a handler that returns a task, on all cores
    /// together; beyond it the answer is 503. What a plain function answers at once does not
    /// count. A route may have a limit of its own besides. 0 is no limit.
    std::uint32_t most_requests = 0;
    /// The same for one address of clients. 0 is no limit.
    std::uint32_t most_requests_per_address = 0;
    /// Leading bits of an IPv6 address that are one client: 1 to 128.
    std::uint32_t ipv6_prefix_bits = 64;
    /// Addresses that are counted at once, where there is a limit for each: 40 bytes of memory
    /// each. Connections of further ones are not held to that limit, and are counted in
    /// `addresses_uncounted`.
    std::uint32_t counted_addresses = 16 * 1024;
    /// Bytes per second that the server receives, heads included, all connections on all cores
    /// together: those that want more share it, and none is refused. What waits for its turn is no
    /// fault of its client and counts for none of the deadlines. 0 is no limit.
    std::uint64_t read_rate = 0;
    /// The same for what it sends.
    std::uint64_t write_rate = 0;
    /// The same for what each connection receives.
    std::uint64_t connection_read_rate = 0;
    /// The same for what each connection sends.
    std::uint64_t connection_write_rate = 0;
    /// Load shedding: how long a request may wait for its core before it is refused with 503, once
    /// that has been so for all requests of a `shed_interval`: then the core has more to do than it
    /// can, and the queue will not go away. 0 refuses nobody. It is off unless you set it, because
    /// a server whose clients would rather wait has to wait; 5 ms suit handlers of up to a
    /// millisecond. Do not set less than five times what the longest of them keeps its core.
    duration shed_delay = 0s;
    /// For how long a queue has to stand, and how long after the last refusal that is over.
    duration shed_interval = 100ms;
    /// What a client that gets 503 for one of these limits is told to wait (Retry-After), in whole
    /// seconds, rounded up; 0 says nothing.
    duration retry_after = 1s;

    /// Bytes of answers that are collected for one send while further pipelined requests wait.
    std::uint32_t output_bytes = 64 * 1024;
    /// Bytes that are read and dropped after an error answer, so that it is not lost with a reset;
    /// and of content that a handler left unread, so that the connection can be kept.
    std::uint32_t drain_bytes = 256 * 1024;
    /// How long that may take.
    duration drain_timeout = 2s;

    /// HTTP over TLS: certificate, key and rules (`tls::context::server`); null serves without. It
    /// must outlive the server.
    tls::context const* tls = nullptr;
    /// For the handshake of TLS; over it the connection is closed.
    duration handshake_timeout = 10s;
    /// Handshakes at once on each core; a connection beyond them is closed. 0 is no bound.
    std::uint32_t most_handshakes = 1024;

    /// Proxies whose word for their clients is taken (`request::client`); null trusts nobody.
    /// Limits for each address count the peers of connections. It must outlive the server.
    network_set const* trusted_proxies = nullptr;
    /// Which fields they write.
    forwarded_fields forwarded = forwarded_fields::x_forwarded;
    /// Each connection begins with a header of the PROXY protocol, version 1 or 2; one that does
    /// not, or comes from elsewhere than `trusted_proxies`, is closed without an answer.
    bool proxy_header = false;
    /// For that header to come as a whole.
    duration proxy_header_timeout = 5s;

    /// A client that has ended its side of the stream still gets its answer. Off, such a client
    /// counts as gone and its handler is cancelled: TCP cannot tell the two apart.
    bool half_close = false;
};
static_assert(std::is_trivially_destructible_v<server_options>);

/// What the connections of one core have seen.
struct server_counters {
    std::uint64_t connections = 0;   ///< Accepted.
    std::uint64_t requests = 0;      ///< Complete heads.
    std::uint64_t refused = 0;       ///< Ended by a client's protocol error or limit.
    std::uint64_t timed_out = 0;     ///< Ended by a deadline.
    std::uint64_t clients_gone = 0;  ///< Handlers cancelled because the client had left.
    std::uint64_t failed = 0;        ///< Handlers that threw something unexpected.
    /// Connections refused by `most_connections`.
    std::uint64_t connections_over_server = 0;
    /// Connections refused by `most_connections_per_address`.
    std::uint64_t connections_over_address = 0;
    /// Requests refused by `most_requests`.
    std::uint64_t requests_over_server = 0;
    /// Requests refused by `most_requests_per_address`.
    std::uint64_t requests_over_address = 0;
    /// Requests refused by the limit of their route.
    std::uint64_t requests_over_route = 0;
    /// Requests refused because they had waited for longer than `shed_delay`.
    std::uint64_t requests_shed = 0;
    /// Connections whose address found the table of `counted_addresses` full.
    std::uint64_t addresses_uncounted = 0;
    /// Connections that came to no agreement on TLS, those in `refused` and `timed_out` included.
    std::uint64_t handshakes_failed = 0;
    /// Connections refused by `most_handshakes`.
    std::uint64_t handshakes_over_core = 0;
    std::uint64_t turns = 0;   ///< Turns of the cores' loops, until the server had ended.
    std::uint64_t enters = 0;  ///< Transitions into the kernel that those made.
};

/// What answers requests: a router, or one function for all.
class service {
public:
    /// The handler for a request; never an empty one. Called on every core at once.
    [[nodiscard]] virtual handler choose(request& req) const = 0;
    /// True where some handler has a rate of its own (`handler_limits::read_rate`, `write_rate`);
    /// such a handler returns a task.
    [[nodiscard]] virtual bool throttles() const noexcept { return false; }

protected:
    ~service() = default;
};

}  // namespace rill::http
