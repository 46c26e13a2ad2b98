// rate_limit: how often somebody may ask. RFC 6585 section 4 (429); the fields RateLimit and
// RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/base/time.hpp"
#include "rill/web/middleware.hpp"

namespace rill::web {

/// A bucket of tokens for each key: a request takes one, and they come back at a steady rate.
struct rate_limit_options {
    /// Requests of one key in `window`, and at once. Not zero.
    std::uint32_t requests = 60;
    /// The time in which that many tokens come back. Not zero.
    duration window = 60s;
    /// Keys that are remembered at once, on all cores, rounded up to a power of two; all memory (16
    /// bytes each) is taken at the start. Where the eight places that a key may have are taken, the
    /// fullest bucket among them is forgotten, so who asks most is remembered longest.
    std::size_t keys = 65536;
    /// How many bits of an IPv6 address tell one client from another; 0 to 128.
    std::uint32_t ipv6_prefix_bits = 64;
};
static_assert(std::is_trivially_destructible_v<rate_limit_options>);

/// Answers 429 with Retry-After to who asks too often, and tells the others in RateLimit and
/// RateLimit-Policy what is left.
///
/// Core  all cores share the buckets; each request holds one of 64 locks for some instructions.
class RILL_API rate_limit {
public:
    /// What stands for a client; requests with an empty key are not counted.
    using key_function = std::function<std::string(http::request const&)>;

    /// By the address of the client (`request::client`, which knows of trusted proxies). Who has no
    /// IP address is not counted.
    explicit rate_limit(rate_limit_options const& options = {});
    /// By a key of your own: a user, a token, a path.
    rate_limit(rate_limit_options const& options, key_function key);
    rate_limit(rate_limit&&) noexcept;
    rate_limit& operator=(rate_limit&&) noexcept;
    ~rate_limit();

    /// Takes a token, or answers.
    std::optional<http::response> before(http::request& req) const;
    /// Adds the fields.
    void after(http::request& req, http::response& answer) const;

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace rill::web
