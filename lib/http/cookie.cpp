// Writes, signs and looks up cookies.
// RFC 6265 sections 4.1.1, 5.2 and 5.4; draft-ietf-httpbis-rfc6265bis sections 4.1.3 and 5.7.
#include "rill/http/cookie.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "codec/digest.hpp"
#include "rill/base/error.hpp"
#include "rill/codec/cookies.hpp"
#include "rill/codec/http_date.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"

namespace rill::http {

namespace {

using namespace std::chrono_literals;

[[noreturn]] void refuse(std::string_view name, std::string_view advice) {
    // A name may hold anything here: it is written only where it can be read.
    throw error(std::make_error_code(std::errc::invalid_argument), "set cookie",
                http1::is_token(name) ? name : std::string_view(), advice);
}

bool has_prefix(std::string_view name, std::string_view prefix) noexcept {
    return http1::equal_ignoring_case(name.substr(0, prefix.size()), prefix);
}

// Browsers drop a cookie that breaks one of these rules, and nobody would know why.
void check_rules(cookie const& value) {
    if (has_prefix(value.name, "__Secure-") && !value.secure) {
        refuse(value.name, "a name with __Secure- is for secure cookies");
    }
    if (has_prefix(value.name, "__Host-") &&
        (!value.secure || value.path != "/" || !value.domain.empty())) {
        refuse(value.name, "a name with __Host- needs secure, the path / and no domain");
    }
    if (value.same_site == same_site::none && !value.secure) {
        refuse(value.name, "same_site none needs secure");
    }
    if (value.partitioned && !value.secure) refuse(value.name, "partitioned needs secure");
    constexpr std::chrono::sys_seconds first = std::chrono::sys_days(1601y / 1 / 1);
    constexpr std::chrono::sys_seconds end = std::chrono::sys_days(10000y / 1 / 1);
    if (value.expires && (*value.expires < first || *value.expires >= end)) {
        refuse(value.name, "expires lies in the years 1601 to 9999");
    }
}

void check(cookie const& value) {
    if (!http1::is_token(value.name)) {
        refuse(value.name, "a name is made of letters, digits and !#$%&'*+-.^_`|~");
    }
    if (!codec::is_cookie_value(value.value)) {
        refuse(value.name,
               "a value has no space, quote, comma, semicolon, backslash or control "
               "character: encode it, as by percent_encode");
    }
    if (value.name.size() + value.value.size() > cookie::max_size) {
        refuse(value.name, "name and value share 4096 bytes");
    }
    constexpr std::size_t longest_attribute = 1024;  // browsers ignore a longer one
    if (!value.path.empty() &&
        (!codec::is_cookie_path(value.path) || value.path.size() > longest_attribute)) {
        refuse(value.name, "a path begins with / and has no ; or control character");
    }
    if (!value.domain.empty() &&
        (!codec::is_cookie_domain(value.domain) || value.domain.size() > longest_attribute)) {
        refuse(value.name, "a domain is made of letters, digits, hyphens and dots");
    }
    check_rules(value);
}

// Name, path and domain together say which cookie it is (RFC 6265 section 5.3, step 11). They stand
// first behind the value, so that two texts can be compared.
std::string place_of(cookie const& value) {
    std::string text;
    if (!value.domain.empty()) text.append("; Domain=").append(value.domain);
    if (!value.path.empty()) text.append("; Path=").append(value.path);
    return text;
}

std::string_view name_of(same_site which) noexcept {
    switch (which) {
        case same_site::strict:
            return "Strict";
        case same_site::none:
            return "None";
        case same_site::lax:
            break;
    }
    return "Lax";
}

// True when `text`, the value of a Set-Cookie field, sets the cookie of that name and place.
bool sets(std::string_view text, std::string_view name, std::string_view place) noexcept {
    if (!text.starts_with(name) || text.substr(name.size(), 1) != "=") return false;
    std::size_t const attributes = text.find(';');
    std::string_view const rest = attributes == text.npos ? "" : text.substr(attributes);
    if (!rest.starts_with(place)) return false;
    std::string_view const behind = rest.substr(place.size());
    return !behind.starts_with("; Path=") && (behind.empty() || behind.front() == ';');
}

}  // namespace

std::string text_of(cookie const& value) {
    check(value);
    std::string text(value.name);
    text.append("=").append(value.value).append(place_of(value));
    if (value.max_age) {
        fmt::format_to(std::back_inserter(text), "; Max-Age={}",
                       std::max<std::chrono::seconds::rep>(value.max_age->count(), 0));
    }
    if (value.expires) {
        std::array<char, codec::http_date_size> date{};
        codec::format_http_date(*value.expires, date);
        text.append("; Expires=").append(date.data(), date.size());
    }
    if (value.secure) text += "; Secure";
    if (value.http_only) text += "; HttpOnly";
    text.append("; SameSite=").append(name_of(value.same_site));
    if (value.partitioned) text += "; Partitioned";
    return text;
}

void response::set_cookie(cookie const& value) {
    std::string const text = text_of(value);
    // One answer sets one cookie once (RFC 6265 section 4.1.1).
    std::string const place = place_of(value);
    std::vector<std::string> others;
    bool is_set = false;
    for (field const each : headers_) {
        if (!same_name(each.name, "set-cookie")) continue;
        if (sets(each.value, value.name, place)) {
            is_set = true;
        } else {
            others.emplace_back(each.value);
        }
    }
    if (is_set) {
        headers_.erase("set-cookie");
        for (std::string const& each : others) headers_.add("Set-Cookie", each);
    }
    headers_.add("Set-Cookie", text);
}

void response::set_cookie(cookie const& value, cookie_keys const& keys) {
    check(value);
    std::string const signed_value = keys.sign(value.name, value.value);
    cookie with_signature = value;
    with_signature.value = signed_value;
    set_cookie(with_signature);
}

void response::remove_cookie(cookie const& which) {
    cookie gone = which;
    gone.value = {};
    gone.max_age = 0s;
    gone.expires = std::chrono::sys_seconds(0s);
    set_cookie(gone);
}

std::optional<std::string_view> request::cookie(std::string_view name) const {
    for (field const each : headers()) {
        if (!same_name(each.name, "cookie")) continue;
        codec::cookie_reader cookies(each.value);
        while (auto const found = cookies.next()) {
            if (found->name == name) return found->value;
        }
    }
    return std::nullopt;
}

std::optional<std::string_view> request::cookie(std::string_view name,
                                                cookie_keys const& keys) const {
    auto const text = cookie(name);
    return text ? keys.verify(name, *text) : std::nullopt;
}

struct cookie_keys::state {
    std::vector<codec::hmac_sha256> keys;

    // A name is a token, so that the first "=" ends it. The label keeps these codes apart from
    // others that a program makes with the same key.
    static codec::code_text signature(codec::hmac_sha256 const& key, std::string_view name,
                                      std::string_view value) {
        std::array<std::string_view, 4> const pieces{"rill cookie 1 ", name, "=", value};
        return codec::text_of(key.of(pieces));
    }
};

cookie_keys::cookie_keys(std::span<std::string_view const> keys)
    : state_(std::make_unique<state>()) {
    if (keys.empty() || keys.size() > max_count) {
        throw error(std::make_error_code(std::errc::invalid_argument), "keep keys for cookies", {},
                    "one key to sign with, and seven older ones at most");
    }
    state_->keys.reserve(keys.size());
    for (std::string_view const key : keys) {
        if (key.size() < min_key_size) {
            throw error(std::make_error_code(std::errc::invalid_argument), "keep keys for cookies",
                        {}, "a key has 16 bytes or more: `openssl rand -hex 32` makes one");
        }
        state_->keys.emplace_back(key);
    }
}

cookie_keys::cookie_keys(cookie_keys&& other) noexcept = default;
cookie_keys& cookie_keys::operator=(cookie_keys&& other) noexcept = default;
cookie_keys::~cookie_keys() = default;

std::string cookie_keys::sign(std::string_view name, std::string_view value) const {
    auto const signature = state::signature(state_->keys.front(), name, value);
    std::string text(value);
    text.append(".").append(signature.data(), signature.size());
    return text;
}

std::optional<std::string_view> cookie_keys::verify(std::string_view name,
                                                    std::string_view text) const {
    constexpr std::size_t added = std::tuple_size_v<codec::code_text> + 1;
    if (text.size() < added || text[text.size() - added] != '.') return std::nullopt;
    std::string_view const value = text.substr(0, text.size() - added);
    std::string_view const said = text.substr(text.size() - added + 1);
    for (codec::hmac_sha256 const& key : state_->keys) {
        auto const right = state::signature(key, name, value);
        if (codec::equal_in_constant_time(said, {right.data(), right.size()})) return value;
    }
    return std::nullopt;
}

}  // namespace rill::http
