// One HTTP/1.1 connection of a server, from its first byte to its close.
#pragma once

#include "http/address_table.hpp"
#include "http/server_core.hpp"
#include "rill/coro/task.hpp"
#include "rill/io/byte_stream.hpp"

namespace rill::http {

/// Answers the requests of one client, in order, until either side ends it. Closes gracefully.
///
/// Idle, it is this one small frame and holds no buffer. `from` is where its requests count; null
/// where they do not.
/// Cancel: ends at once, without an answer to a request that is being handled.
[[nodiscard]] task<> serve_connection(server_core& home, byte_stream& peer,
                                      counted_address* from = nullptr);

/// The same for one that begins with a PROXY header, from a trusted proxy; any other is closed.
[[nodiscard]] task<> serve_proxied_connection(server_core& home, byte_stream& peer,
                                              counted_address* from = nullptr);

/// The same over TLS: a handshake first, then requests.
[[nodiscard]] task<> serve_secured_connection(server_core& home, byte_stream& peer,
                                              counted_address* from = nullptr);

/// Tells a client that there is no place for its connection: 503, and a graceful close, so that a
/// client that is sending meanwhile reads it (RFC 9112 section 9.6).
[[nodiscard]] task<> refuse_connection(server_core& home, byte_stream& peer);

}  // namespace rill::http
