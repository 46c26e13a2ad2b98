// Certificates for tests, made when the tests run: no key is kept anywhere.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <ctime>
#include <string>
#include <string_view>

namespace rill::test {

/// Certificate and key as PEM.
struct identity {
    std::string certificate;
    std::string key;
};

/// What a certificate says. Moments are such that the worlds' clocks lie between the defaults.
struct certificate_options {
    std::string_view names = {};   ///< "DNS:a.example,IP:127.0.0.1", as OpenSSL writes it.
    std::string_view common = "";  ///< The common name of the subject.
    std::time_t from = 3600;
    std::time_t until = 4'070'908'800;  // in 2099
};

/// Somebody who speaks for certificates.
class authority {
public:
    explicit authority(std::string_view name);
    authority(authority const&) = delete;
    authority& operator=(authority const&) = delete;
    ~authority();

    /// A certificate that it has signed.
    [[nodiscard]] identity issue(certificate_options const& with) const;
    /// Its own certificate as PEM.
    [[nodiscard]] std::string const& certificate() const { return pem_; }

private:
    EVP_PKEY* key_;
    X509* own_;
    std::string pem_;
};

/// A certificate that speaks for itself.
[[nodiscard]] identity self_signed(certificate_options const& with);

/// The authority that tests trust, and one that they do not.
[[nodiscard]] authority const& trusted();
[[nodiscard]] authority const& stranger();

}  // namespace rill::test
