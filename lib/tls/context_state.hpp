// What a context is: one SSL_CTX, and what of its options each connection asks again.
#pragma once

#include <string>

#include "rill/tls/context.hpp"
#include "tls/openssl.hpp"

namespace rill::tls {

/// Invariant: nothing changes once the context is made, so that all cores may share it. OpenSSL
/// locks what it changes itself.
class context_state {
public:
    explicit context_state(server_options const& with);
    explicit context_state(client_options const& with);
    context_state(context_state const&) = delete;
    context_state& operator=(context_state const&) = delete;

    [[nodiscard]] SSL_CTX* get() const noexcept { return ssl_.get(); }
    [[nodiscard]] bool is_server() const noexcept { return server_; }
    /// False for a client that takes whoever answers.
    [[nodiscard]] bool verifies() const noexcept { return verifies_; }

private:
    ssl_context_ptr ssl_;
    std::string protocols_;  // as they travel: each behind its length
    bool server_;
    bool verifies_;

    static int choose_protocol(SSL* of, unsigned char const** chosen, unsigned char* size,
                               unsigned char const* offered, unsigned int offered_size,
                               void* self) noexcept;
};

}  // namespace rill::tls
