// connect: a WebSocket to a server. RFC 6455 sections 3 and 4.1.
#pragma once

#include <span>
#include <string_view>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/base/time.hpp"
#include "rill/codec/http_fields.hpp"
#include "rill/coro/task.hpp"
#include "rill/ws/socket.hpp"

namespace rill::ws {

/// How a client connects.
struct connect_options {
    /// Limits and deadlines of the connection.
    socket_options socket = {};
    /// Subprotocols that are offered, the best first: "chat.v2, chat.v1". `socket.protocol()` is
    /// the one that the server has chosen.
    std::string_view protocols = {};
    /// Further fields of the request: Origin, Cookie, Authorization. They live until the await
    /// ends.
    std::span<http1::field const> fields = {};
    /// How long name, connection and handshake may take together.
    duration timeout = 30s;
};
static_assert(std::is_trivially_destructible_v<connect_options>);

/// Connects to `url` ("ws://example.org/chat?room=1") and makes the opening handshake.
///
/// Errors    `error`: those of `tcp::connect`; `bad_url`; `unsupported` for wss, which is not there
///           yet; `protocol`, with the status or the reason, where the server refuses or answers
///           what is no answer to this handshake; `limit_exceeded` where its head has more than
///           16 KiB; invalid_argument for a field that cannot be sent; `timed_out`.
/// Lifetime  `url` and the texts of the options live until the await ends.
/// Cancel    closes the connection.
[[nodiscard]] RILL_API task<socket> connect(std::string_view url, connect_options with = {});

}  // namespace rill::ws
