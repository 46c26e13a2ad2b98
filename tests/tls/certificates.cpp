// Certificates for tests, made with OpenSSL.
#include "tls/certificates.hpp"

#include <doctest/doctest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace rill::test {

namespace {

std::string text_of(BIO* from) {
    char* data = nullptr;
    long const size = BIO_ctrl(from, BIO_CTRL_INFO, 0, &data);
    std::string text(data, static_cast<std::size_t>(size));
    BIO_free(from);
    return text;
}

std::string pem_of(X509* certificate) {
    BIO* const to = BIO_new(BIO_s_mem());
    REQUIRE(PEM_write_bio_X509(to, certificate) == 1);
    return text_of(to);
}

std::string pem_of(EVP_PKEY* key) {
    BIO* const to = BIO_new(BIO_s_mem());
    REQUIRE(PEM_write_bio_PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
    return text_of(to);
}

void extend(X509* certificate, int what, std::string const& value) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
    REQUIRE(extension != nullptr);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

X509* make(EVP_PKEY* key, std::string_view common, certificate_options const& with) {
    static long serial = 0;
    X509* const made = X509_new();
    X509_set_version(made, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made), ++serial);
    ASN1_TIME_set(X509_getm_notBefore(made), with.from);
    ASN1_TIME_set(X509_getm_notAfter(made), with.until);
    X509_set_pubkey(made, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC,
                               reinterpret_cast<unsigned char const*>(common.data()),
                               static_cast<int>(common.size()), -1, 0);
    if (!with.names.empty()) {
        extend(made, NID_subject_alt_name, std::string(with.names));
    }
    return made;
}

identity sign(X509* made, EVP_PKEY* key, X509_NAME const* issuer, EVP_PKEY* by) {
    X509_set_issuer_name(made, issuer);
    REQUIRE(X509_sign(made, by, EVP_sha256()) != 0);
    identity whole{pem_of(made), pem_of(key)};
    X509_free(made);
    EVP_PKEY_free(key);
    return whole;
}

}  // namespace

authority::authority(std::string_view name) : key_(EVP_EC_gen("P-256")) {
    own_ = make(key_, name, {});
    extend(own_, NID_basic_constraints, "critical,CA:TRUE");
    X509_set_issuer_name(own_, X509_get_subject_name(own_));
    REQUIRE(X509_sign(own_, key_, EVP_sha256()) != 0);
    pem_ = pem_of(own_);
}

authority::~authority() {
    X509_free(own_);
    EVP_PKEY_free(key_);
}

identity authority::issue(certificate_options const& with) const {
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    return sign(make(key, with.common, with), key, X509_get_subject_name(own_), key_);
}

identity self_signed(certificate_options const& with) {
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const made = make(key, with.common, with);
    return sign(made, key, X509_get_subject_name(made), key);
}

authority const& trusted() {
    static authority const instance("trusted");
    return instance;
}

authority const& stranger() {
    static authority const instance("stranger");
    return instance;
}

}  // namespace rill::test
