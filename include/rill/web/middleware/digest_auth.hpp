// digest_auth: a proof of a password that does not show it. RFC 7616.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/base/time.hpp"
#include "rill/web/middleware.hpp"
#include "rill/web/middleware/user.hpp"

namespace rill::web {

/// How long challenges are good.
struct digest_auth_options {
    /// How long a nonce is taken; later its user is told to try again with a new one (`stale`),
    /// which browsers do without asking. Not zero.
    duration nonce_lifetime = 300s;
    /// How many nonces in use are remembered, so that no answer to one is taken twice; beyond it
    /// the oldest is forgotten, and is stale from then on. Not zero.
    std::size_t nonces = 4096;
};
static_assert(std::is_trivially_destructible_v<digest_auth_options>);

/// Lets in who proves to know a password, with SHA-256 and `qop=auth`; others get 401 and a
/// challenge. MD5 is not offered. Each proof counts once: the counts (`nc`) of a nonce rise.
///
/// It does not hide what is asked and answered, and the hashes that it keeps are as good as the
/// passwords here: over TLS `basic_auth` with a slow hash keeps them better.
///
/// Core  any; the nonces are behind one lock, which is held for a look into their table.
class RILL_API digest_auth {
public:
    /// `realm` is what browsers show, and part of each proof. Errors: `error` where it holds a
    /// control character.
    explicit digest_auth(std::string_view realm, digest_auth_options const& options = {});
    digest_auth(digest_auth&&) noexcept;
    digest_auth& operator=(digest_auth&&) noexcept;
    ~digest_auth();

    /// Adds a user. Call it before the server starts.
    digest_auth&& user(std::string_view name, std::string_view password) &&;
    /// The same.
    digest_auth& user(std::string_view name, std::string_view password) &;
    /// Lets in, or answers.
    std::optional<http::response> before(http::request& req) const;

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace rill::web
