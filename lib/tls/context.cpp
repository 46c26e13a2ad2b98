// Contexts: PEM into an SSL_CTX, and the rules that hold for every connection.
#include "rill/tls/context.hpp"

#include <utility>

#include "rill/base/error.hpp"
#include "tls/context_state.hpp"

namespace rill::tls {

namespace {

// Forward secrecy and authenticated encryption only; TLS 1.3 has no others (RFC 9325 section 4.2).
constexpr char const* ciphers_of_1_2 = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr char const* groups = "X25519:P-256:P-384:P-521";

[[noreturn]] void fail(std::string_view what, std::string_view subject, std::string_view advice) {
    unsigned long const code = ERR_peek_error();
    std::string why(advice);
    if (code != 0) why += (why.empty() ? "" : "; ") + openssl_text(code);
    bool const from_system = code != 0 && ERR_GET_LIB(code) == ERR_LIB_SYS;
    auto const cause = from_system ? system_error(ERR_GET_REASON(code))
                                   : std::make_error_code(std::errc::invalid_argument);
    ERR_clear_error();
    throw error(cause, what, subject, why);
}

/// A PEM source: a file, or text; null where neither is given.
struct pem {
    pem(std::string_view file, std::string_view text, char const* what)
        : name(file.empty() ? std::string("PEM text") : std::string(file)), kind(what) {
        ERR_clear_error();
        if (!file.empty()) {
            from.reset(BIO_new_file(name.c_str(), "r"));
        } else if (!text.empty()) {
            from.reset(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
        } else {
            return;
        }
        if (from == nullptr) fail(kind, name, "the file cannot be read");
    }
    [[nodiscard]] certificate_ptr next() {
        certificate_ptr made(PEM_read_bio_X509(from.get(), nullptr, no_password, nullptr));
        return made;
    }
    /// A key with a password would ask for it on the terminal.
    static int no_password(char*, int, int, void*) noexcept { return 0; }

    std::string name;
    char const* kind;
    bio_ptr from;
};

void use_identity(SSL_CTX* ssl, pem certificates, pem keys) {
    if (certificates.from == nullptr && keys.from == nullptr) return;
    if (certificates.from == nullptr || keys.from == nullptr) {
        fail("use certificate", certificates.name, "give a certificate and its key");
    }
    auto const leaf = certificates.next();
    if (leaf == nullptr || SSL_CTX_use_certificate(ssl, leaf.get()) != 1) {
        fail(certificates.kind, certificates.name, "it has to begin with a PEM certificate");
    }
    while (auto issuer = certificates.next()) {
        if (SSL_CTX_add0_chain_cert(ssl, issuer.get()) != 1) {
            fail(certificates.kind, certificates.name, "of the issuers behind the certificate");
        }
        static_cast<void>(issuer.release());  // the context's now
    }
    ERR_clear_error();  // the end of the certificates is an error to OpenSSL
    key_ptr const key(PEM_read_bio_PrivateKey(keys.from.get(), nullptr, pem::no_password, nullptr));
    if (key == nullptr) fail(keys.kind, keys.name, "it has to be a PEM key without a password");
    if (SSL_CTX_use_PrivateKey(ssl, key.get()) != 1 || SSL_CTX_check_private_key(ssl) != 1) {
        fail(keys.kind, keys.name, "the key is not that of the certificate " + certificates.name);
    }
}

/// Those who are trusted. False where none were given.
bool trust(SSL_CTX* ssl, pem authorities, bool name_them) {
    if (authorities.from == nullptr) return false;
    int count = 0;
    for (; auto each = authorities.next(); ++count) {
        if (X509_STORE_add_cert(SSL_CTX_get_cert_store(ssl), each.get()) != 1 ||
            (name_them && SSL_CTX_add_client_CA(ssl, each.get()) != 1)) {
            fail(authorities.kind, authorities.name, {});
        }
    }
    if (count == 0) fail(authorities.kind, authorities.name, "there is no PEM certificate in it");
    ERR_clear_error();
    return true;
}

int number_of(version which) noexcept {
    return which == version::tls_1_2 ? TLS1_2_VERSION : TLS1_3_VERSION;
}

ssl_context_ptr make(SSL_METHOD const* method, version oldest, version newest) {
    ERR_clear_error();
    ssl_context_ptr ssl(SSL_CTX_new(method));
    if (ssl == nullptr) fail("make a TLS context", {}, {});
    SSL_CTX_set_options(ssl.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                       SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    // Writes are parts that move with their caller; buffers of idle connections are released.
    SSL_CTX_set_mode(ssl.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                    SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(ssl.get(), SSL_SESS_CACHE_OFF);
    if (SSL_CTX_set_min_proto_version(ssl.get(), number_of(oldest)) != 1 ||
        SSL_CTX_set_max_proto_version(ssl.get(), number_of(newest)) != 1 ||
        SSL_CTX_set_cipher_list(ssl.get(), ciphers_of_1_2) != 1 ||
        SSL_CTX_set1_groups_list(ssl.get(), groups) != 1) {
        fail("make a TLS context", {}, "OpenSSL's configuration forbids what rill asks for");
    }
    return ssl;
}

/// "h2,http/1.1" as RFC 7301 section 3.1 has it.
std::string protocol_list(std::string_view names) {
    constexpr std::size_t longest_name = 255;
    std::string list;
    while (!names.empty()) {
        auto const name = names.substr(0, names.find(','));
        names.remove_prefix(name.size() == names.size() ? name.size() : name.size() + 1);
        if (name.empty() || name.size() > longest_name) {
            ERR_clear_error();
            fail("offer the protocol", name, "write names as h2,http/1.1");
        }
        list += static_cast<char>(name.size());
        list += name;
    }
    return list;
}

unsigned char const* octets(std::string const& text) noexcept {
    return reinterpret_cast<unsigned char const*>(text.data());
}

}  // namespace

context_state::context_state(server_options const& with)
    : ssl_(make(TLS_server_method(), with.oldest, with.newest)),
      protocols_(protocol_list(with.protocols)),
      server_(true),
      verifies_(with.clients != client_certificates::none) {
    SSL_CTX* const ssl = ssl_.get();
    if (with.certificate_file.empty() && with.certificate.empty()) {
        fail("make a TLS server", {}, "it needs a certificate and a key");
    }
    use_identity(ssl, pem(with.certificate_file, with.certificate, "use certificate"),
                 pem(with.key_file, with.key, "use key"));
    // A session of a client with a certificate is of no use to another server (RFC 8446 C.4).
    static constexpr unsigned char session_context[] = "rill";
    SSL_CTX_set_session_id_context(ssl, session_context, sizeof session_context - 1);
    if (!protocols_.empty()) SSL_CTX_set_alpn_select_cb(ssl, choose_protocol, this);
    if (!verifies_) return;
    if (!trust(ssl, pem(with.client_authorities_file, with.client_authorities, "trust"), true)) {
        fail("verify clients", {}, "say who speaks for them: client_authorities_file");
    }
    bool const required = with.clients == client_certificates::required;
    SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                       nullptr);
}

context_state::context_state(client_options const& with)
    : ssl_(make(TLS_client_method(), with.oldest, with.newest)),
      protocols_(protocol_list(with.protocols)),
      server_(false),
      verifies_(!with.insecure) {
    SSL_CTX* const ssl = ssl_.get();
    use_identity(ssl, pem(with.certificate_file, with.certificate, "use certificate"),
                 pem(with.key_file, with.key, "use key"));
    // This call, alone among its kind, gives 0 for success.
    if (!protocols_.empty() &&
        SSL_CTX_set_alpn_protos(ssl, octets(protocols_),
                                static_cast<unsigned int>(protocols_.size())) != 0) {
        fail("offer protocols", with.protocols, {});
    }
    if (!verifies_) {
        SSL_CTX_set_verify(ssl, SSL_VERIFY_NONE, nullptr);
        return;
    }
    if (!trust(ssl, pem(with.authorities_file, with.authorities, "trust"), false) &&
        SSL_CTX_set_default_verify_paths(ssl) != 1) {
        fail("trust the system's certificates", {}, {});
    }
    SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER, nullptr);
}

int context_state::choose_protocol(SSL*, unsigned char const** chosen, unsigned char* size,
                                   unsigned char const* offered, unsigned int offered_size,
                                   void* self) noexcept {
    auto const& mine = static_cast<context_state*>(self)->protocols_;
    unsigned char* found = nullptr;
    int const outcome = SSL_select_next_proto(
        &found, size, octets(mine), static_cast<unsigned int>(mine.size()), offered, offered_size);
    *chosen = found;
    // RFC 7301 section 3.2: no overlap is fatal.
    return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

context::context(std::shared_ptr<context_state const> state) noexcept : state_(std::move(state)) {}

context context::server(server_options const& with) {
    return context(std::make_shared<context_state>(with));
}

context context::client(client_options const& with) {
    return context(std::make_shared<context_state>(with));
}

}  // namespace rill::tls
