// Why a TLS connection was refused or ended: one code for each cause that a program may tell apart.
#pragma once

#include <system_error>
#include <type_traits>

#include "rill/base/export.hpp"

namespace rill::tls {

/// The failures of TLS. `stream::failure` has the whole sentence.
enum class errc {
    handshake_failed = 1,        ///< The two sides found no terms, or one broke the protocol.
    not_tls,                     ///< What came is not TLS at all.
    no_common_version,           ///< No version of TLS that both sides accept.
    no_common_protocol,          ///< No protocol that both sides speak (ALPN, RFC 7301).
    refused_by_peer,             ///< The peer sent an alert.
    truncated,                   ///< The stream ended without a close_notify: it may have been cut.
    bad_record,                  ///< A record does not authenticate, or breaks the protocol.
    certificate_missing,         ///< The peer had to show a certificate and showed none.
    certificate_expired,         ///< The certificate, or one above it, has expired.
    certificate_not_yet_valid,   ///< The certificate, or one above it, is not valid yet.
    certificate_self_signed,     ///< Nobody but itself speaks for the certificate.
    certificate_unknown_issuer,  ///< The certificate comes from nobody who is trusted.
    certificate_wrong_name,      ///< The certificate is for somebody else.
    certificate_refused,         ///< The certificate is no good for another reason.
};

/// The category of `errc`, named "tls".
[[nodiscard]] RILL_API std::error_category const& tls_category() noexcept;

/// Makes `errc` usable where a `std::error_code` is expected.
[[nodiscard]] inline std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), tls_category()};
}

}  // namespace rill::tls

template <>
struct std::is_error_code_enum<rill::tls::errc> : std::true_type {};
