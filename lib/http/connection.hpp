// One HTTP/1.1 connection of a server, from its first byte to its close.
#pragma once

#include "http/server_core.hpp"
#include "rill/coro/task.hpp"
#include "rill/io/byte_stream.hpp"

namespace rill::http {

/// Answers the requests of one client, in order, until either side ends it. Closes gracefully.
///
/// Idle, it is this one small frame and holds no buffer.
/// Cancel: ends at once, without an answer to a request that is being handled.
[[nodiscard]] task<> serve_connection(server_core& home, byte_stream& peer);

}  // namespace rill::http
