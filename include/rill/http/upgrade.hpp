// upgrade: a connection that speaks another protocol after its answer.
// RFC 9110 sections 7.8 (Upgrade), 15.2.2 (101) and 15.5.22 (426).
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "rill/base/export.hpp"
#include "rill/coro/event.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"
#include "rill/io/byte_stream.hpp"

namespace rill::http {

/// A connection that has left HTTP behind.
class upgraded {
public:
    /// For the library: `peer` on a server that sets `stopping`.
    upgraded(byte_stream& peer, event& stopping) noexcept : peer_(peer), stopping_(stopping) {}

    /// The bytes, beginning with the first one behind the request.
    [[nodiscard]] byte_stream& stream() const noexcept { return peer_; }
    /// Is set when a graceful shutdown of the server begins. A session that does not end then is
    /// cut when the grace period is over.
    [[nodiscard]] event& stopping() const noexcept { return stopping_; }

private:
    byte_stream& peer_;
    event& stopping_;
};

namespace detail {

[[nodiscard]] RILL_API response upgrade_answer(request const& req, std::string_view protocol,
                                               upgrade_session session);

}  // namespace detail

/// The answer that changes the connection to `protocol` ("websocket"): 101, and then
/// `session(upgraded&)`, a coroutine, has the connection to itself. When it ends, the connection is
/// ended gracefully. No limit or deadline of HTTP counts any more, and nobody watches for the
/// client's end: the session reads.
///
/// A client that does not offer to change (Upgrade lists the protocol, Connection lists `upgrade`,
/// and the version is HTTP/1.1) gets 426, which names the protocol. Further fields of the 101 are
/// set on what is returned.
///
/// Errors    `error` where `protocol` is no field value. A handler that reads its content itself
///           has to read it to its end first; else the answer is 500.
/// Lifetime  `session` is moved in and lives until its task has ended. The request ends before it:
///           copy what is needed of it.
template <class Session>
[[nodiscard]] response upgrade(request const& req, std::string_view protocol, Session session) {
    static_assert(std::is_invocable_r_v<task<>, Session&, upgraded&>,
                  "rill: a session is a coroutine: task<> f(http::upgraded& peer)");
    return detail::upgrade_answer(req, protocol, upgrade_session(std::move(session)));
}

}  // namespace rill::http
