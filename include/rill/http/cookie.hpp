// cookie: one cookie as an answer sets it, and the keys that sign cookies.
// RFC 6265 section 4.1, draft-ietf-httpbis-rfc6265bis (SameSite, prefixes, sizes).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "rill/base/export.hpp"

namespace rill::http {

/// When a browser sends a cookie with a request that another site has caused.
enum class same_site : std::uint8_t {
    lax,     ///< When a link or the address bar leads here, not for forms, images or scripts.
    strict,  ///< Never.
    none,    ///< Always; the cookie must be secure.
};

/// A cookie to be set: `answer.set_cookie({.name = "theme", .value = "dark"})`. As it stands it
/// ends with the browser's session, and is for this host alone, for TLS, and not for scripts.
struct cookie {
    /// A token. One that begins with `__Host-` needs `secure`, the path "/" and no domain; one with
    /// `__Secure-` needs `secure`: browsers take no other cookie of such a name.
    std::string_view name = {};
    /// ASCII without white space, quotes, comma, semicolon and backslash. Encode other text first.
    std::string_view value = {};
    /// Below which paths it is sent; empty for the directory of the request.
    std::string_view path = "/";
    /// For this name and all below it; empty for this host alone.
    std::string_view domain = {};
    /// For how long; zero or less removes it. Browsers let it win over `expires`.
    std::optional<std::chrono::seconds> max_age = {};
    /// Until when: the years 1601 to 9999. Without both it goes with the browser's session.
    std::optional<std::chrono::sys_seconds> expires = {};
    /// Only over TLS. Browsers except `localhost`; for others, a server without TLS turns it off.
    bool secure = true;
    /// Scripts of the page do not see it.
    bool http_only = true;
    /// Whether requests that other sites cause carry it.
    http::same_site same_site = same_site::lax;
    /// A jar of its own for each site that embeds this one; it must be secure.
    bool partitioned = false;

    /// The most bytes of name and value together: browsers drop larger cookies.
    static constexpr std::size_t max_size = 4096;
};
static_assert(std::is_trivially_destructible_v<cookie>);

/// The value of a Set-Cookie field.
/// Errors    `error` invalid_argument for what a browser would drop or take for something else:
///           characters that do not belong, a prefix whose rules are broken, too large.
[[nodiscard]] RILL_API std::string text_of(cookie const& value);

/// Keys that sign cookies, so that a client cannot make or change one: HMAC-SHA256 over the name
/// and the value. What it says can be read by everybody, and be sent again.
///
/// The first key signs, all of them are tried when a cookie comes back. To change keys, put a new
/// one in front, and drop the old one when its cookies have run out.
///
/// Core: any thread may use it at once.
class RILL_API cookie_keys {
public:
    /// The fewest bytes of a key; take 32 random ones.
    static constexpr std::size_t min_key_size = 16;
    /// The most keys.
    static constexpr std::size_t max_count = 8;

    /// Copies the keys.
    /// Errors    `error` invalid_argument for no key, more than `max_count`, or a key that is too
    ///           short.
    explicit cookie_keys(std::span<std::string_view const> keys);
    /// One key. Errors as above.
    explicit cookie_keys(std::string_view key) : cookie_keys(std::span(&key, 1)) {}
    cookie_keys(cookie_keys&& other) noexcept;
    cookie_keys& operator=(cookie_keys&& other) noexcept;
    ~cookie_keys();

    /// `value` with its signature behind it, to be set under `name`; a cookie's value again.
    [[nodiscard]] std::string sign(std::string_view name, std::string_view value) const;
    /// The value in a text that `sign` has made for the same name with one of the keys; nothing for
    /// any other text. Lifetime: a part of `text`.
    [[nodiscard]] std::optional<std::string_view> verify(std::string_view name,
                                                         std::string_view text) const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace rill::http
