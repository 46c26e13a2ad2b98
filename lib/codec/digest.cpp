// Digests and HMAC by OpenSSL's EVP interface.
#include "codec/digest.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <cstdint>

#include "base/url_chars.hpp"
#include "rill/base/assert.hpp"
#include "rill/base/error.hpp"

namespace rill::codec {

namespace {

[[noreturn]] void fail() {
    throw error(std::make_error_code(std::errc::function_not_supported), "compute a digest", {},
                "OpenSSL lacks SHA-1, SHA-256 or HMAC: look at its configuration");
}

unsigned char const* octets(bytes data) noexcept {
    return reinterpret_cast<unsigned char const*>(data.data());
}

// The hash of the pieces by `kind`, of exactly `into.size()` bytes.
void hash_pieces(EVP_MD const* kind, std::span<std::string_view const> pieces,
                 std::span<unsigned char> into) {
    struct free_digest {
        void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
    };
    std::unique_ptr<EVP_MD_CTX, free_digest> const context(EVP_MD_CTX_new());
    bool good = context && EVP_DigestInit_ex(context.get(), kind, nullptr) == 1;
    for (std::string_view const piece : pieces) {
        good = good && EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1;
    }
    RILL_ASSERT(EVP_MD_get_size(kind) == static_cast<int>(into.size()), "a hash fits its place");
    if (!good || EVP_DigestFinal_ex(context.get(), into.data(), nullptr) != 1) fail();
}

}  // namespace

void hmac_sha256::free_context::operator()(void* context) const noexcept {
    EVP_MAC_CTX_free(static_cast<EVP_MAC_CTX*>(context));
}

hmac_sha256::hmac_sha256(bytes key) {
    EVP_MAC* const kind = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    if (kind == nullptr) fail();
    context_.reset(EVP_MAC_CTX_new(kind));
    EVP_MAC_free(kind);  // the context holds it
    char digest[] = "SHA256";
    OSSL_PARAM const parameters[] = {OSSL_PARAM_construct_utf8_string("digest", digest, 0),
                                     OSSL_PARAM_construct_end()};
    if (!context_ || EVP_MAC_init(static_cast<EVP_MAC_CTX*>(context_.get()), octets(key),
                                  key.size(), parameters) != 1) {
        fail();
    }
}

hmac_sha256 hmac_sha256::with_random_key() {
    std::array<std::byte, size> key{};
    auto* const into = reinterpret_cast<unsigned char*>(key.data());
    if (RAND_bytes(into, static_cast<int>(key.size())) != 1) fail();
    hmac_sha256 made(bytes(key.data(), key.size()));
    OPENSSL_cleanse(key.data(), key.size());
    return made;
}

hmac_sha256::hmac_sha256(hmac_sha256&& other) noexcept = default;
hmac_sha256& hmac_sha256::operator=(hmac_sha256&& other) noexcept = default;
hmac_sha256::~hmac_sha256() = default;

hmac_sha256::code hmac_sha256::of(std::span<std::string_view const> pieces) const {
    std::unique_ptr<void, free_context> const copy(
        EVP_MAC_CTX_dup(static_cast<EVP_MAC_CTX const*>(context_.get())));
    auto* const context = static_cast<EVP_MAC_CTX*>(copy.get());
    bool good = context != nullptr;
    for (std::string_view const piece : pieces) {
        good = good && EVP_MAC_update(context, octets(piece), piece.size()) == 1;
    }
    code made{};
    std::size_t written = 0;
    good = good && EVP_MAC_final(context, reinterpret_cast<unsigned char*>(made.data()), &written,
                                 made.size()) == 1;
    if (!good || written != made.size()) fail();
    return made;
}

std::string sha256_hex(std::span<std::string_view const> pieces) {
    std::array<unsigned char, hmac_sha256::size> hash{};
    hash_pieces(EVP_sha256(), pieces, hash);
    std::string text(2 * hash.size(), '\0');
    char* at = text.data();
    for (unsigned char const each : hash) at = rill::detail::put_hex(std::byte{each}, at);
    return text;
}

sha1_hash sha1(std::span<std::string_view const> pieces) {
    sha1_hash hash{};
    hash_pieces(EVP_sha1(), pieces, {reinterpret_cast<unsigned char*>(hash.data()), hash.size()});
    return hash;
}

code_text text_of(hmac_sha256::code const& code) noexcept {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    code_text text{};
    std::uint32_t held = 0;
    unsigned bits = 0;
    std::size_t at = 0;
    for (std::byte const each : code) {
        held = held << 8 | std::to_integer<std::uint32_t>(each);
        for (bits += 8; bits >= 6; bits -= 6) text[at++] = digits[held >> (bits - 6) & 63];
    }
    text[at] = digits[held << (6 - bits) & 63];
    return text;
}

bool equal_in_constant_time(std::string_view left, std::string_view right) noexcept {
    return left.size() == right.size() &&
           CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace rill::codec
