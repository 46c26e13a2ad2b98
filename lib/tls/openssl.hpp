// OpenSSL's objects with owners, and its queue of errors as text.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>
#include <string>

namespace rill::tls {

template <auto Free>
struct freed_by {
    template <class T>
    void operator()(T* what) const noexcept {
        Free(what);
    }
};
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free>>;
using bio_method_ptr = std::unique_ptr<BIO_METHOD, freed_by<BIO_meth_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using certificate_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using ssl_context_ptr = std::unique_ptr<SSL_CTX, freed_by<SSL_CTX_free>>;
using ssl_ptr = std::unique_ptr<SSL, freed_by<SSL_free>>;

/// What OpenSSL says of `code`.
[[nodiscard]] inline std::string openssl_text(unsigned long code) {
    char const* const reason = ERR_reason_error_string(code);
    if (reason != nullptr) return reason;
    std::array<char, 256> text;
    ERR_error_string_n(code, text.data(), text.size());
    return text.data();
}

}  // namespace rill::tls
