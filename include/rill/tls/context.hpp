// context: certificates, keys and rules that any number of TLS connections share. RFC 8446, RFC
// 5246.
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>

#include "rill/base/export.hpp"

namespace rill::tls {

class context_state;

/// The versions that there are here. Older ones are not spoken (RFC 8996).
enum class version { tls_1_2, tls_1_3 };

/// What a server asks of its clients' certificates.
enum class client_certificates {
    none,      ///< None is asked for.
    asked,     ///< One that is shown is verified; a client without one is let in.
    required,  ///< A client without one that verifies is refused.
};

/// What a server's connections are made with. Files and texts are PEM; give one of both.
struct server_options {
    /// The file of the certificate, those of its issuers behind it.
    std::string_view certificate_file = {};
    /// The same as text.
    std::string_view certificate = {};
    /// The file of the certificate's key.
    std::string_view key_file = {};
    /// The same as text.
    std::string_view key = {};
    /// Names of protocols for ALPN, the best first: "h2,http/1.1". A client that offers names and
    /// none of these is refused. Empty: names are not looked at.
    std::string_view protocols = {};
    /// The oldest version that is accepted.
    version oldest = version::tls_1_2;
    /// The newest one.
    version newest = version::tls_1_3;
    /// Whether clients show certificates.
    client_certificates clients = client_certificates::none;
    /// The file of the certificates that speak for those of clients; needed where `clients` asks.
    std::string_view client_authorities_file = {};
    /// The same as text.
    std::string_view client_authorities = {};
};
static_assert(std::is_trivially_destructible_v<server_options>);

/// What a client's connections are made with. Files and texts are PEM; give one of both.
struct client_options {
    /// The file of those who are trusted to speak for servers, they alone. Empty, with
    /// `authorities` empty too: the trust store of the system.
    std::string_view authorities_file = {};
    /// The same as text.
    std::string_view authorities = {};
    /// Whoever answers is taken for the server: no certificate and no name is looked at. Anybody on
    /// the way can then read and change everything. For tests.
    bool insecure = false;
    /// Names of protocols to offer by ALPN, the best first: "h2,http/1.1".
    std::string_view protocols = {};
    /// The oldest version that is accepted.
    version oldest = version::tls_1_2;
    /// The newest one.
    version newest = version::tls_1_3;
    /// The file of the client's own certificate, where the server asks for one.
    std::string_view certificate_file = {};
    /// The same as text.
    std::string_view certificate = {};
    /// The file of that certificate's key.
    std::string_view key_file = {};
    /// The same as text.
    std::string_view key = {};
};
static_assert(std::is_trivially_destructible_v<client_options>);

/// Certificates, keys and rules; a handle that may be copied, and shared by all cores.
///
/// Only cipher suites with forward secrecy and authenticated encryption are spoken; renegotiation
/// and compression are not.
///
/// Core  any thread.
class RILL_API context {
public:
    /// For the side that accepts. Throws `error`, with the file in it, where something cannot be
    /// read, is no PEM, or the key is not the certificate's. Reads files: make it at the start.
    [[nodiscard]] static context server(server_options const& with);
    /// For the side that connects. Verifies the server by default. Throws and reads as `server`.
    [[nodiscard]] static context client(client_options const& with = {});

    /// For the layers of rill.
    [[nodiscard]] context_state const& state() const noexcept { return *state_; }

private:
    friend class stream;
    explicit context(std::shared_ptr<context_state const> state) noexcept;

    std::shared_ptr<context_state const> state_;
};

}  // namespace rill::tls
