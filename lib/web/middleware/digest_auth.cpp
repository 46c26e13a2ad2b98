// Proofs of passwords. RFC 7616 sections 3.3 to 3.5.
#include "rill/web/middleware/digest_auth.hpp"

#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "codec/digest.hpp"
#include "rill/rt/core.hpp"
#include "web/middleware/challenge.hpp"
#include "web/middleware/nonces.hpp"

namespace rill::web {

namespace {

// What a client says, its quotes resolved, in the order of these names.
enum part { username, realm, nonce, uri, response, cnonce, nc, qop, algorithm, part_count };
constexpr std::array<std::string_view, part_count> part_names = {
    "username", "realm", "nonce", "uri", "response", "cnonce", "nc", "qop", "algorithm"};
using proof = std::array<std::string, part_count>;

// Each once, and all of them. Parameters of other names say nothing here.
std::optional<proof> read_proof(std::string_view text) {
    proof read;
    unsigned seen = 0;
    codec::auth_parameter_reader all(text);
    while (auto const each = all.next()) {
        for (std::size_t i = 0; i < part_count; ++i) {
            if (!http1::equal_ignoring_case(each->name, part_names[i])) continue;
            bool const quoted = each->value.starts_with('"');
            auto plain = quoted ? http1::unquote(each->value) : std::string(each->value);
            if ((seen & 1U << i) != 0 || !plain) return std::nullopt;
            seen |= 1U << i;
            read[i] = *std::move(plain);
        }
    }
    if (all.failed() || seen != (1U << part_count) - 1) return std::nullopt;
    return read;
}

// Eight hexadecimal digits, not all zero.
std::optional<std::uint32_t> read_count(std::string_view text) noexcept {
    std::uint32_t count = 0;
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count, 16);
    bool const whole = failure == std::errc{} && end == text.data() + text.size();
    if (!whole || text.size() != 8 || count == 0) return std::nullopt;
    return count;
}

template <class... Texts>
std::string hash_of(Texts const&... texts) {
    std::array<std::string_view, sizeof...(Texts)> const pieces = {texts...};
    return codec::sha256_hex(pieces);
}

}  // namespace

struct digest_auth::parts {
    parts(std::string_view of, digest_auth_options const& options)
        : realm(of),
          challenge(challenge_of("Digest", of) + ", qop=\"auth\", algorithm=SHA-256, nonce=\""),
          given(options.nonce_lifetime, options.nonces) {}

    // Section 3.4.1.
    [[nodiscard]] bool is_right(proof const& said, std::string_view method) const {
        auto const found = hashes.find(said[part::username]);
        bool const known = found != hashes.end();
        // Who is nobody is looked at for as long as who is somebody.
        std::string const secret = known ? found->second : hash_of(said[part::nonce], challenge);
        std::string const asked = hash_of(method, ":", said[part::uri]);
        std::string const wanted = hash_of(secret, ":", said[part::nonce], ":", said[part::nc], ":",
                                           said[part::cnonce], ":auth:", asked);
        bool const same = codec::equal_in_constant_time(wanted, said[part::response]);
        return same && known;
    }

    std::string realm;
    std::string challenge;                                   // up to the nonce
    std::map<std::string, std::string, std::less<>> hashes;  // of user:realm:password
    nonces given;
};

digest_auth::digest_auth(std::string_view realm, digest_auth_options const& options)
    : parts_(std::make_unique<parts>(realm, options)) {}
digest_auth::digest_auth(digest_auth&&) noexcept = default;
digest_auth& digest_auth::operator=(digest_auth&&) noexcept = default;
digest_auth::~digest_auth() = default;

digest_auth& digest_auth::user(std::string_view name, std::string_view password) & {
    std::string hash = hash_of(name, ":", parts_->realm, ":", password);
    parts_->hashes.insert_or_assign(std::string(name), std::move(hash));
    return *this;
}
digest_auth&& digest_auth::user(std::string_view name, std::string_view password) && {
    user(name, password);
    return std::move(*this);
}

std::optional<http::response> digest_auth::before(http::request& req) const {
    time_point const now = core::current().now();
    auto const refuse = [&](bool stale) {
        std::string text = parts_->challenge + parts_->given.make(now) + "\"";
        if (stale) text += ", stale=true";
        return unauthorized(text);
    };
    auto const sent = credentials_of(req);
    if (!sent || !sent->is("digest")) return refuse(false);
    auto const said = read_proof(sent->rest);
    if (!said) return refuse(false);
    auto const count = read_count((*said)[part::nc]);
    if (!count || (*said)[part::realm] != parts_->realm || (*said)[part::uri] != req.target() ||
        (*said)[part::qop] != "auth" ||
        !http1::equal_ignoring_case((*said)[part::algorithm], "sha-256")) {
        return refuse(false);
    }
    auto age = parts_->given.look((*said)[part::nonce], now);
    if (age == nonces::verdict::forged) return refuse(false);
    if (!parts_->is_right(*said, req.method_text())) return refuse(false);
    if (age == nonces::verdict::good) age = parts_->given.use((*said)[part::nonce], *count);
    if (age != nonces::verdict::good) return refuse(age == nonces::verdict::stale);
    set_user(req, (*said)[part::username]);
    return std::nullopt;
}

}  // namespace rill::web
