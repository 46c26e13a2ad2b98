// The category of TLS failures.
#include "rill/tls/error.hpp"

#include <string>

namespace rill::tls {

namespace {

class category final : public std::error_category {
public:
    char const* name() const noexcept override { return "tls"; }

    std::string message(int value) const override {
        switch (static_cast<errc>(value)) {
            case errc::handshake_failed:
                return "the TLS handshake failed";
            case errc::not_tls:
                return "the peer does not speak TLS";
            case errc::no_common_version:
                return "no common version of TLS";
            case errc::no_common_protocol:
                return "no common protocol (ALPN)";
            case errc::refused_by_peer:
                return "refused by the peer";
            case errc::truncated:
                return "the stream was cut: it ended without a close_notify";
            case errc::bad_record:
                return "a record of the peer is broken";
            case errc::certificate_missing:
                return "the peer showed no certificate";
            case errc::certificate_expired:
                return "the certificate has expired";
            case errc::certificate_not_yet_valid:
                return "the certificate is not valid yet";
            case errc::certificate_self_signed:
                return "the certificate is self-signed";
            case errc::certificate_unknown_issuer:
                return "the certificate comes from nobody who is trusted";
            case errc::certificate_wrong_name:
                return "the certificate is for another name";
            case errc::certificate_refused:
                return "the certificate is refused";
        }
        return "unknown code";
    }
};

}  // namespace

std::error_category const& tls_category() noexcept {
    static category const instance;
    return instance;
}

}  // namespace rill::tls
