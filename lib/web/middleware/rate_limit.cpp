// Requests by key and time.
#include "rill/web/middleware/rate_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

#include "codec/digest.hpp"
#include "rill/base/assert.hpp"
#include "rill/rt/core.hpp"
#include "web/middleware/token_buckets.hpp"

namespace rill::web {

namespace {

struct tokens_left {
    std::uint32_t count;
    std::int64_t reset_seconds;
};

std::int64_t whole_seconds(duration length) noexcept {
    return std::chrono::ceil<std::chrono::seconds>(length).count();
}

std::uint64_t some_seed() {
    std::array<std::string_view, 1> const pieces = {"buckets"};
    auto const code = codec::hmac_sha256::with_random_key().of(pieces);
    std::uint64_t seed = 0;
    std::memcpy(&seed, code.data(), sizeof(seed));
    return seed;
}

// The bytes of an address that tell one client from another.
std::string key_of(address const& client, std::uint32_t ipv6_prefix_bits) {
    address const plain = client.unmapped();
    bool const is_v4 = plain.kind() == address::family::ipv4;
    if (!is_v4 && plain.kind() != address::family::ipv6) return {};
    std::size_t const bits = is_v4 ? 32 : std::min<std::uint32_t>(ipv6_prefix_bits, 128);
    std::string key(1, is_v4 ? '4' : '6');
    for (std::size_t i = 0; i * 8 < bits; ++i) {
        std::size_t const kept = std::min<std::size_t>(bits - i * 8, 8);
        key += static_cast<char>(plain.ip()[i] & (0xff00U >> kept & 0xffU));
    }
    return key;
}

}  // namespace

struct rate_limit::parts {
    parts(rate_limit_options const& options, key_function by)
        : key(std::move(by)),
          buckets(options.requests, options.window, options.keys, some_seed()),
          policy(fmt::format("\"default\";q={};w={}", options.requests,
                             whole_seconds(options.window))) {}
    key_function key;
    token_buckets buckets;
    std::string policy;
};

rate_limit::rate_limit(rate_limit_options const& options)
    : rate_limit(options, [bits = options.ipv6_prefix_bits](http::request const& req) {
          return key_of(req.client().address, bits);
      }) {}

rate_limit::rate_limit(rate_limit_options const& options, key_function key) {
    RILL_ASSERT(options.requests != 0, "a limit lets somebody in");
    RILL_ASSERT(options.window > duration::zero(), "a limit is one of time");
    parts_ = std::make_unique<parts>(options, std::move(key));
}
rate_limit::rate_limit(rate_limit&&) noexcept = default;
rate_limit& rate_limit::operator=(rate_limit&&) noexcept = default;
rate_limit::~rate_limit() = default;

std::optional<http::response> rate_limit::before(http::request& req) const {
    std::string const key = parts_->key(req);
    if (key.empty()) return std::nullopt;
    auto const got = parts_->buckets.take(key, core::current().now());
    std::int64_t const seconds = whole_seconds(got.wait);
    req.attach(tokens_left{got.left, seconds});
    if (got.passes) return std::nullopt;
    http::response answer = http::to_response(http::problem(429));
    answer.headers().set("retry-after", std::to_string(seconds));
    after(req, answer);
    return answer;
}

void rate_limit::after(http::request& req, http::response& answer) const {
    auto const* const left = req.attached<tokens_left>();
    if (left == nullptr) return;
    fmt::memory_buffer text;
    fmt::format_to(std::back_inserter(text), "\"default\";r={};t={}", left->count,
                   left->reset_seconds);
    answer.headers().set("ratelimit-policy", parts_->policy);
    answer.headers().set("ratelimit", {text.data(), text.size()});
}

}  // namespace rill::web
