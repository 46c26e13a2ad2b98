// SHA-1, SHA-256, message authentication with it, and comparing in a time that tells nothing.
// RFC 2104 (HMAC), FIPS 180-4, RFC 4648 section 5 (base64url).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "rill/base/bytes.hpp"

namespace rill::codec {

/// HMAC with SHA-256 by one key. Any thread may use one at once.
class hmac_sha256 {
public:
    /// How many bytes a code has.
    static constexpr std::size_t size = 32;
    using code = std::array<std::byte, size>;

    /// Keeps what is derived from `key`. Throws `error` when the library of cryptography fails.
    explicit hmac_sha256(bytes key);
    /// With a key that nobody knows and that is gone with the program.
    [[nodiscard]] static hmac_sha256 with_random_key();
    hmac_sha256(hmac_sha256&& other) noexcept;
    hmac_sha256& operator=(hmac_sha256&& other) noexcept;
    ~hmac_sha256();

    /// The code of the pieces, one behind the other. Throws as the constructor.
    [[nodiscard]] code of(std::span<std::string_view const> pieces) const;

private:
    struct free_context {
        void operator()(void* context) const noexcept;
    };
    std::unique_ptr<void, free_context> context_;  // with the key, before any data
};

/// SHA-256 of the pieces, one behind the other, in hexadecimal digits of lower case. Throws as
/// `hmac_sha256` does. Spec: FIPS 180-4.
[[nodiscard]] std::string sha256_hex(std::span<std::string_view const> pieces);

/// SHA-1 of the pieces, one behind the other: for protocols that ask for it, and for no secret.
/// Throws as `hmac_sha256` does. Spec: FIPS 180-4.
using sha1_hash = std::array<std::byte, 20>;
[[nodiscard]] sha1_hash sha1(std::span<std::string_view const> pieces);

/// A code as text: base64url without padding.
using code_text = std::array<char, (hmac_sha256::size * 4 + 2) / 3>;
[[nodiscard]] code_text text_of(hmac_sha256::code const& code) noexcept;

/// True when both are the same; how long it takes depends on their sizes alone.
[[nodiscard]] bool equal_in_constant_time(std::string_view left, std::string_view right) noexcept;

}  // namespace rill::codec
