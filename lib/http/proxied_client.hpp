// Whose connection it is that a proxy speaks for.
#pragma once

#include <utility>

#include "http/server_core.hpp"
#include "rill/io/byte_stream.hpp"

namespace rill::http {

/// What the proxy of a connection has said of its client, as long as the connection lives.
class proxied_client {
public:
    proxied_client(server_core& home, byte_stream& peer) noexcept : home_(home), peer_(peer) {}
    proxied_client(proxied_client const&) = delete;
    proxied_client& operator=(proxied_client const&) = delete;
    ~proxied_client() { home_.proxied().erase(&peer_); }
    void note(address client) { home_.proxied()[&peer_] = std::move(client); }

private:
    server_core& home_;
    byte_stream& peer_;
};

}  // namespace rill::http
