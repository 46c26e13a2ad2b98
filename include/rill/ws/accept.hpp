// accept: the answer that makes a WebSocket of a request. RFC 6455 section 4.2.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rill/base/export.hpp"
#include "rill/coro/task.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"
#include "rill/http/upgrade.hpp"
#include "rill/ws/socket.hpp"

namespace rill::ws {

/// What a server agrees to.
struct accept_options {
    /// Limits and deadlines of the connection.
    socket_options socket = {};
    /// Subprotocols that are spoken, the best first: "chat.v2, chat.v1". The first that the client
    /// offers is agreed on; where it offers none of them, there is none.
    std::string_view protocols = {};
    /// Origins whose pages may connect: "https://example.org, https://example.com:8443", or "*" for
    /// any. Empty allows those of the host that the request is for. Others get 403; clients that
    /// are no browsers send no origin and are let in.
    std::string_view origins = {};
};
static_assert(std::is_trivially_destructible_v<accept_options>);

namespace detail {

/// What the handshake has come to.
struct agreement {
    http::response refusal;  // where it is no 101
    bool accepted = false;
    std::string key_answer;
    std::string protocol;
};
[[nodiscard]] RILL_API agreement shake_hands(http::request const& req,
                                             accept_options const& options);
[[nodiscard]] RILL_API http::response finish_handshake(http::response answer,
                                                       agreement const& with);

/// A session without its type.
struct session_ref {
    void* object;
    task<> (*run)(void* object, socket& peer);
};
[[nodiscard]] RILL_API task<> serve(http::upgraded& peer, socket_options const& options,
                                    std::string_view protocol, session_ref session);

template <class Session>
class owned_session {
public:
    owned_session(Session session, socket_options const& options, std::string protocol)
        : session_(std::move(session)), options_(options), protocol_(std::move(protocol)) {}

    task<> operator()(http::upgraded& peer) {
        return serve(peer, options_, protocol_, {&session_, [](void* object, socket& to) -> task<> {
                                                     return (*static_cast<Session*>(object))(to);
                                                 }});
    }

private:
    Session session_;
    socket_options options_;
    std::string protocol_;
};

}  // namespace detail

/// The answer that changes the connection to a WebSocket, on which `session(ws::socket&)`, a
/// coroutine, then runs: `return ws::accept(req, talk);`. When it ends, the connection is closed
/// with 1000, or 1011 after an exception; when the server shuts down, with 1001.
///
/// Returns   101; 426 that names version 13 for what is no WebSocket of that version; 400 for a
///           malformed key; 403 for a foreign origin.
/// Lifetime  `session` is moved in and lives until its task has ended. The request ends before it:
///           copy what is needed of it (path parameters, cookies, who has logged in).
template <class Session>
[[nodiscard]] http::response accept(http::request const& req, Session session,
                                    accept_options const& options = {}) {
    static_assert(std::is_invocable_r_v<task<>, Session&, socket&>,
                  "rill: a WebSocket session is a coroutine: task<> f(ws::socket& peer)");
    detail::agreement agreed = detail::shake_hands(req, options);
    if (!agreed.accepted) return std::move(agreed.refusal);
    detail::owned_session<Session> owned(std::move(session), options.socket, agreed.protocol);
    return detail::finish_handshake(http::upgrade(req, "websocket", std::move(owned)), agreed);
}

/// A handler of requests that accepts each: `app.ws` makes one. Owns the session, of which each
/// connection gets a copy, and the texts of the options.
template <class Session>
class acceptor {
public:
    /// Accepts with these options.
    acceptor(Session session, accept_options const& options)
        : session_(std::move(session)),
          options_(options),
          protocols_(options.protocols),
          origins_(options.origins) {}

    /// Answers a request.
    http::response operator()(http::request& req) const {
        accept_options with = options_;
        with.protocols = protocols_;
        with.origins = origins_;
        return accept(req, session_, with);
    }

private:
    Session session_;
    accept_options options_;
    std::string protocols_;
    std::string origins_;
};

}  // namespace rill::ws
