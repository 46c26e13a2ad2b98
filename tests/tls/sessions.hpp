// Two ends of TLS for tests, over a pipe or a connection.
#pragma once

#include <string>
#include <string_view>

#include "rill/coro/when_all.hpp"
#include "rill/io/pipe.hpp"
#include "rill/tls/stream.hpp"
#include "support/streams.hpp"
#include "tls/certificates.hpp"

namespace rill::test {

/// A server for a.example that `trusted` speaks for.
[[nodiscard]] inline tls::context server_context(tls::server_options with = {}) {
    static identity const own = trusted().issue({.names = "DNS:a.example"});
    with.certificate = own.certificate;
    with.key = own.key;
    return tls::context::server(with);
}

/// A client that believes `trusted`.
[[nodiscard]] inline tls::context client_context(tls::client_options with = {}) {
    if (!with.insecure) with.authorities = trusted().certificate();
    return tls::context::client(with);
}

/// A handshake, and a close where it failed, so that the other side sees an end.
inline task<> shake(tls::stream& of, result<void>& outcome) {
    outcome = co_await of.handshake();
    if (!outcome) of.close();
}

/// How the handshake of both sides ended.
struct outcomes {
    result<void> client;
    result<void> server;
};

inline task<> shake_both(tls::stream& client, tls::stream& server, outcomes& into) {
    co_await when_all(shake(client, into.client), shake(server, into.server));
}

/// Both ends over a pipe, shaken.
struct session {
    explicit session(pipe_options with = {}, tls::context const& client = client_context(),
                     tls::context const& server = server_context(),
                     std::string_view name = "a.example")
        : pipe(with), client_end(pipe.first(), client, name), server_end(pipe.second(), server) {}
    ~session() {
        client_end.close();
        server_end.close();
    }
    task<> begin() { co_await shake_both(client_end, server_end, how); }

    byte_pipe pipe;
    tls::stream client_end;
    tls::stream server_end;
    outcomes how;
};

}  // namespace rill::test
