// OpenSSL behind a BIO of our own. Names of peers: RFC 9525; SNI: RFC 6066 section 3.
#include "tls/engine.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "base/ip_literal.hpp"
#include "rill/base/address.hpp"
#include "rill/base/assert.hpp"
#include "rill/rt/core.hpp"

namespace rill::tls {

struct engine::bio {
    static engine& of(BIO* what) noexcept { return *static_cast<engine*>(BIO_get_data(what)); }

    static int read(BIO* what, char* into, std::size_t size, std::size_t* count) noexcept {
        BIO_clear_retry_flags(what);
        lease& input = of(what).input_;
        *count = copy_bytes({reinterpret_cast<std::byte*>(into), size}, input.view());
        input.consume(*count);
        if (!input) input.reset();
        if (*count != 0) return 1;
        BIO_set_retry_read(what);
        return 0;
    }

    static int write(BIO* what, char const* from, std::size_t size, std::size_t* count) noexcept {
        BIO_clear_retry_flags(what);
        engine& self = of(what);
        *count = 0;
        if (!self.writing_ && self.output_.size() >= most_unsent) {
            BIO_set_retry_write(what);
            return 0;
        }
        try {
            if (!self.output_.append({reinterpret_cast<std::byte const*>(from), size})) return 0;
        } catch (std::bad_alloc const&) {
            return 0;  // an error of this connection
        }
        *count = size;
        return 1;
    }

    static long control(BIO*, int what, long, void*) noexcept {
        return what == BIO_CTRL_FLUSH ? 1 : 0;
    }
};

BIO_METHOD const* engine::method() {
    static bio_method_ptr const made = [] {
        bio_method_ptr fresh(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "rill"));
        if (fresh == nullptr || BIO_meth_set_read_ex(fresh.get(), bio::read) != 1 ||
            BIO_meth_set_write_ex(fresh.get(), bio::write) != 1 ||
            BIO_meth_set_ctrl(fresh.get(), bio::control) != 1) {
            throw std::bad_alloc();
        }
        return fresh;
    }();
    return made.get();
}

engine::engine(context_state const& with, std::string_view name)
    : ssl_(SSL_new(with.get())),
      name_(name),
      server_(with.is_server()),
      verifies_(with.verifies()) {
    bio_ptr through(BIO_new(method()));
    if (ssl_ == nullptr || through == nullptr) throw std::bad_alloc();
    BIO_set_data(through.get(), this);
    BIO_set_init(through.get(), 1);
    BIO* const both_ways = through.release();
    SSL_set_bio(ssl_.get(), both_ways, both_ways);
    if (server_) {
        SSL_set_accept_state(ssl_.get());
    } else {
        SSL_set_connect_state(ssl_.get());
        expect(name);
    }
    if (verifies_) SSL_set_verify(ssl_.get(), SSL_get_verify_mode(ssl_.get()), judge);
    // The core's clock, so that a simulated world judges by its own.
    if (core const* const home = core::current_or_null()) {
        auto const now = std::chrono::system_clock::to_time_t(home->wall_now());
        X509_VERIFY_PARAM_set_time(SSL_get0_param(ssl_.get()), now);
    }
}

/// Whom the client wants to reach.
void engine::expect(std::string_view name) {
    RILL_ASSERT(!name.empty() || !verifies_, "say whom the certificate has to be for: its name");
    if (name.empty()) return;
    X509_VERIFY_PARAM* const rules = SSL_get0_param(ssl_.get());
    if (rill::detail::is_ipv4(name) || rill::detail::is_ipv6(name)) {
        if (X509_VERIFY_PARAM_set1_ip_asc(rules, name_.c_str()) != 1) throw std::bad_alloc();
        return;
    }
    // A dot at the end is no part of the name that certificates have (RFC 6066 section 3).
    if (name_.ends_with('.')) name_.pop_back();
    // The common name is not looked at, and a star is a whole label (RFC 9525 section 6.3).
    X509_VERIFY_PARAM_set_hostflags(
        rules, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (X509_VERIFY_PARAM_set1_host(rules, name_.data(), name_.size()) != 1 ||
        SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                 name_.data()) != 1) {
        throw error(std::make_error_code(std::errc::invalid_argument), "TLS to", name_,
                    "this is no name of a host");
    }
}

void engine::feed(lease input) noexcept {
    RILL_ASSERT(!input_, "feed an engine that has used up its input");
    input_ = std::move(input);
}

bool engine::may_read() const noexcept {
    return input_ || SSL_has_pending(ssl_.get()) == 1;
}

engine::progress engine::handshake() noexcept {
    ERR_clear_error();
    progress const outcome = step(SSL_do_handshake(ssl_.get()));
    agreed_ = outcome == progress::done;
    return outcome;
}

engine::progress engine::read(mutable_bytes into, std::size_t& count) noexcept {
    ERR_clear_error();
    return step(SSL_read_ex(ssl_.get(), into.data(), into.size(), &count));
}

engine::progress engine::write(bytes what) noexcept {
    writing_ = true;
    progress outcome = progress::done;
    while (!what.empty() && outcome == progress::done) {
        std::size_t count = 0;
        ERR_clear_error();
        outcome = step(SSL_write_ex(ssl_.get(), what.data(), what.size(), &count));
        what = what.without_first(count);
    }
    writing_ = false;
    // Without renegotiation nothing is waited for here.
    if (outcome == progress::done || outcome == progress::failed) return outcome;
    note(errc::bad_record, "a write cannot go on");
    return progress::failed;
}

void engine::end() noexcept {
    writing_ = true;
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
    ERR_clear_error();
    writing_ = false;
}

engine::progress engine::step(int outcome) noexcept {
    if (outcome > 0) return progress::done;
    switch (SSL_get_error(ssl_.get(), outcome)) {
        case SSL_ERROR_WANT_READ:
            return progress::wants_input;
        case SSL_ERROR_WANT_WRITE:
            return progress::wants_output;
        case SSL_ERROR_ZERO_RETURN:
            return progress::ended;
        default:
            break;
    }
    unsigned long const code = ERR_peek_error();
    try {
        diagnose(code);
    } catch (std::bad_alloc const&) {
        note(errc::handshake_failed, {});
    }
    ERR_clear_error();
    return progress::failed;
}

void engine::note(std::error_code cause, std::string_view text) noexcept {
    if (cause_) return;
    cause_ = cause;
    try {
        failure_ = text;
    } catch (std::bad_alloc const&) {
        failure_.clear();
    }
}

/// Turns OpenSSL's first error into a code and a sentence.
void engine::diagnose(unsigned long code) {
    bool const early = !agreed_;
    if (cause_) return;  // the certificate
    int const reason = ERR_GET_REASON(code);
    std::string text = code == 0 ? "out of memory" : openssl_text(code);
    if (ERR_GET_LIB(code) != ERR_LIB_SSL) {
        return note(early ? errc::handshake_failed : errc::bad_record, text);
    }
    if (reason > SSL_AD_REASON_OFFSET) {
        int const alert = reason - SSL_AD_REASON_OFFSET;
        text = std::string("the peer sent the alert: ") + SSL_alert_desc_string_long(alert);
        if (alert == SSL_AD_PROTOCOL_VERSION) return note(errc::no_common_version, text);
        if (alert == SSL_AD_NO_APPLICATION_PROTOCOL) return note(errc::no_common_protocol, text);
        return note(errc::refused_by_peer, text);
    }
    switch (reason) {
        case SSL_R_HTTP_REQUEST:
        case SSL_R_HTTPS_PROXY_REQUEST:
            return note(errc::not_tls, "the peer speaks HTTP without TLS");
        case SSL_R_WRONG_VERSION_NUMBER:
            if (!early) break;
            return note(errc::not_tls, "what came is no TLS record");
        case SSL_R_UNSUPPORTED_PROTOCOL:
        case SSL_R_VERSION_TOO_LOW:
        case SSL_R_NO_PROTOCOLS_AVAILABLE:
            return note(errc::no_common_version,
                        "the peer wants a version of TLS that is not spoken here");
        case SSL_R_NO_APPLICATION_PROTOCOL:
            return note(errc::no_common_protocol, "the peer offers none of our protocols");
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
            return note(errc::certificate_missing, "the peer showed no certificate");
        default:
            break;
    }
    note(early ? errc::handshake_failed : errc::bad_record, text);
}

namespace {

bytes octets_of(ASN1_STRING const* text) noexcept {
    return {reinterpret_cast<std::byte const*>(ASN1_STRING_get0_data(text)),
            static_cast<std::size_t>(ASN1_STRING_length(text))};
}

/// One name of a certificate; empty where it is of a kind that names no host. The bytes are the
/// peer's: only what names are made of gets into messages.
std::string name_of(GENERAL_NAME const& name) {
    std::string text;
    if (name.type == GEN_DNS) {
        for (char const c : octets_of(name.d.dNSName).text()) text += c > ' ' && c < 127 ? c : '?';
    } else if (name.type == GEN_IPADD) {
        bytes const raw = octets_of(name.d.iPAddress);
        std::array<std::uint8_t, 4> v4{};
        std::array<std::uint8_t, 16> v6{};
        if (raw.size() == v4.size()) {
            std::memcpy(v4.data(), raw.data(), raw.size());
            text = address::v4(v4, 0).host();
        } else if (raw.size() == v6.size()) {
            std::memcpy(v6.data(), raw.data(), raw.size());
            text = address::v6(v6, 0).host();
        }
    }
    return text;
}

/// Whom the certificate is for, as its subject alternative names have it.
std::string names_of(X509* certificate) {
    constexpr int most_listed = 8;
    std::string list;
    auto* const names = static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
    int const count = names == nullptr ? 0 : sk_GENERAL_NAME_num(names);
    for (int i = 0; i < count && i < most_listed; ++i) {
        std::string const name = name_of(*sk_GENERAL_NAME_value(names, i));
        if (!name.empty()) list += (list.empty() ? "" : ", ") + name;
    }
    GENERAL_NAMES_free(names);
    return list.empty() ? "no host" : list;
}

errc cause_of(long verdict) noexcept {
    switch (verdict) {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return errc::certificate_expired;
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return errc::certificate_not_yet_valid;
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            return errc::certificate_self_signed;
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
        case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        case X509_V_ERR_CERT_SIGNATURE_FAILURE:
        case X509_V_ERR_CERT_UNTRUSTED:
            return errc::certificate_unknown_issuer;
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return errc::certificate_wrong_name;
        default:
            return errc::certificate_refused;
    }
}

}  // namespace

/// Called with each verdict on the peer's certificate; notes the first bad one.
int engine::judge(int good, X509_STORE_CTX* verdict) noexcept {
    if (good == 1) return 1;
    auto* const ssl = static_cast<SSL*>(
        X509_STORE_CTX_get_ex_data(verdict, SSL_get_ex_data_X509_STORE_CTX_idx()));
    engine& self = bio::of(SSL_get_rbio(ssl));
    int const code = X509_STORE_CTX_get_error(verdict);
    errc const cause = cause_of(code);
    try {
        if (cause == errc::certificate_wrong_name) {
            std::string const names = names_of(X509_STORE_CTX_get_current_cert(verdict));
            self.note(cause, "the certificate is for " + names + ", and not for " + self.name_);
        } else {
            self.note(cause,
                      std::string("the certificate: ") + X509_verify_cert_error_string(code));
        }
    } catch (std::bad_alloc const&) {
        self.note(cause, {});
    }
    return 0;
}

}  // namespace rill::tls
