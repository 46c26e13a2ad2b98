// Splitting, checking and joining URLs.
#include "rill/base/url.hpp"

#include <algorithm>
#include <array>

#include "base/ip_literal.hpp"
#include "base/url_chars.hpp"
#include "rill/base/percent.hpp"

namespace rill {

namespace detail {

// The five components as they are written; what is absent differs from what is empty.
struct url_parts {
    std::optional<std::string_view> scheme;
    std::optional<std::string_view> authority;
    std::string_view path;
    std::optional<std::string_view> query;
    std::optional<std::string_view> fragment;
};

}  // namespace detail

namespace {

using detail::is_encoded;
using detail::url_parts;

struct known_scheme {
    std::string_view name;
    std::uint16_t port;
    bool path_is_never_empty;
};

// The schemes of the protocols that rill speaks; each needs a host.
constexpr std::array<known_scheme, 6> known_schemes{{
    {"http", 80, true},
    {"https", 443, true},
    {"mqtt", 1883, false},
    {"mqtts", 8883, false},
    {"ws", 80, true},
    {"wss", 443, true},
}};

known_scheme const* find_scheme(std::string_view name) noexcept {
    for (known_scheme const& known : known_schemes) {
        if (known.name == name) return &known;
    }
    return nullptr;
}

bool is_scheme(std::string_view text) noexcept {
    auto const allowed = [](char c) {
        return detail::is_alpha(c) || detail::is_digit(c) || c == '+' || c == '-' || c == '.';
    };
    return !text.empty() && detail::is_alpha(text[0]) && std::ranges::all_of(text, allowed);
}

// Cuts `text` at the first `mark` and returns what is behind it, if there is one.
std::optional<std::string_view> cut_behind(std::string_view& text, char mark) noexcept {
    std::size_t const at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    std::string_view const behind = text.substr(at + 1);
    text = text.substr(0, at);
    return behind;
}

// Splits a URL or a relative reference. The fragment goes first: a `?` behind a `#` is part of it.
std::optional<url_parts> split(std::string_view text) noexcept {
    url_parts parts;
    parts.fragment = cut_behind(text, '#');
    parts.query = cut_behind(text, '?');
    std::size_t const mark = text.find_first_of(":/");
    if (mark != std::string_view::npos && text[mark] == ':') {
        parts.scheme = text.substr(0, mark);
        if (!is_scheme(*parts.scheme)) return std::nullopt;
        text.remove_prefix(mark + 1);
    }
    if (text.starts_with("//")) {
        text.remove_prefix(2);
        std::size_t const slash = std::min(text.find('/'), text.size());
        parts.authority = text.substr(0, slash);
        text.remove_prefix(slash);
    }
    parts.path = text;
    if (!is_encoded(parts.path, url_set::path)) return std::nullopt;
    if (parts.query && !is_encoded(*parts.query, url_set::query)) return std::nullopt;
    if (parts.fragment && !is_encoded(*parts.fragment, url_set::fragment)) return std::nullopt;
    return parts;
}

std::optional<std::uint16_t> read_port(std::string_view digits) noexcept {
    std::uint32_t value = 0;
    for (char const c : digits) {
        if (!detail::is_digit(c)) return std::nullopt;
        value = value * 10 + static_cast<std::uint32_t>(c - '0');
        if (value > 65535) return std::nullopt;
    }
    return static_cast<std::uint16_t>(value);
}

// "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
bool is_future_address(std::string_view text) noexcept {
    if (text.empty() || detail::lower(text[0]) != 'v') return false;
    std::size_t const dot = text.find('.');
    if (dot == std::string_view::npos || dot < 2 || dot + 1 == text.size()) return false;
    return std::ranges::all_of(text.substr(1, dot - 1),
                               [](char c) { return detail::hex_value(c) >= 0; }) &&
           std::ranges::all_of(text.substr(dot + 1),
                               [](char c) { return detail::in_set(c, url_set::userinfo); });
}

void lower_all(std::string& text, std::size_t from) noexcept {
    std::transform(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                   text.begin() + static_cast<std::ptrdiff_t>(from), detail::lower);
}

void remove_last_segment(std::string& out) {
    std::size_t const slash = out.rfind('/');
    out.erase(slash == std::string::npos ? 0 : slash);
}

}  // namespace

std::string remove_dot_segments(std::string_view path) {
    std::string out;
    out.reserve(path.size());
    while (!path.empty()) {
        if (path.starts_with("../")) {
            path.remove_prefix(3);
        } else if (path.starts_with("./") || path.starts_with("/./")) {
            path.remove_prefix(2);
        } else if (path == "/.") {
            path = "/";
        } else if (path.starts_with("/../")) {
            path.remove_prefix(3);
            remove_last_segment(out);
        } else if (path == "/..") {
            path = "/";
            remove_last_segment(out);
        } else if (path == "." || path == "..") {
            break;
        } else {
            std::size_t const end = std::min(path.find('/', 1), path.size());
            out += path.substr(0, end);
            path.remove_prefix(end);
        }
    }
    return out;
}

url::piece url::add(std::string_view what) {
    piece const where{static_cast<std::uint32_t>(text_.size()),
                      static_cast<std::uint32_t>(what.size())};
    text_ += what;
    return where;
}

// What is between the brackets. A zone is marked by `%25`: the percent sign itself is encoded.
bool url::add_literal(std::string_view inside) {
    if (is_future_address(inside)) {
        host_kind_ = url_host_kind::future;
        host_ = add(inside);
        return true;
    }
    std::size_t const mark = inside.find('%');
    std::string_view const address = inside.substr(0, mark);
    if (!detail::is_ipv6(address)) return false;
    host_kind_ = url_host_kind::ipv6;
    host_ = add(address);
    lower_all(text_, host_.at);
    if (mark == std::string_view::npos) return true;
    std::string_view zone = inside.substr(mark);
    if (!zone.starts_with("%25")) return false;
    zone.remove_prefix(3);
    // A NUL would end the name early where it is given to the system.
    bool const is_usable = !zone.empty() && zone.find("%00") == std::string_view::npos;
    if (!is_usable || !is_encoded(zone, url_set::unreserved)) return false;
    text_ += "%25";
    zone_ = add(zone);
    return true;
}

bool url::add_host(std::string_view host) {
    if (host.starts_with('[')) {
        if (!host.ends_with(']')) return false;
        text_ += '[';
        if (!add_literal(host.substr(1, host.size() - 2))) return false;
        text_ += ']';
        return true;
    }
    if (!is_encoded(host, url_set::host)) return false;
    host_kind_ = detail::is_ipv4(host) ? url_host_kind::ipv4 : url_host_kind::name;
    host_ = add(host);
    lower_all(text_, host_.at);
    return true;
}

bool url::add_authority(std::string_view authority) {
    text_ += "//";
    std::string_view rest = authority;
    if (auto const host = cut_behind(rest, '@')) {
        if (!is_encoded(rest, url_set::userinfo)) return false;
        userinfo_ = add(rest);
        text_ += '@';
        rest = *host;
    }
    // A colon inside brackets belongs to the address.
    std::size_t const bracket = rest.rfind(']');
    std::size_t const colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (!add_host(rest.substr(0, colon))) return false;
    if (colon == std::string_view::npos || colon + 1 == rest.size()) return true;
    port_ = read_port(rest.substr(colon + 1));
    if (!port_) return false;
    text_ += ':';
    text_ += std::to_string(*port_);
    return true;
}

result<url> url::build(url_parts const& parts) {
    url out;
    out.scheme_ = out.add(*parts.scheme);
    lower_all(out.text_, 0);
    known_scheme const* const known = find_scheme(out.scheme());
    out.text_ += ':';
    if (parts.authority && !out.add_authority(*parts.authority)) return errc::bad_url;
    if (known != nullptr && out.host().empty()) return errc::bad_url;
    std::string path(parts.path);
    if (path.empty() && known != nullptr && known->path_is_never_empty) path = "/";
    // Joined as it is, such a path would be read as an authority (RFC 3986 section 3.3).
    if (!parts.authority && path.starts_with("//")) path.insert(0, "/.");
    out.path_ = out.add(path);
    if (parts.query) {
        out.has_query_ = true;
        out.text_ += '?';
        out.query_ = out.add(*parts.query);
    }
    out.target_ = {out.path_.at, static_cast<std::uint32_t>(out.text_.size()) - out.path_.at};
    if (parts.fragment) {
        out.has_fragment_ = true;
        out.text_ += '#';
        out.fragment_ = out.add(*parts.fragment);
    }
    if (out.text_.size() > maximum_bytes) return errc::limit_exceeded;
    return out;
}

result<url> url::parse(std::string_view text) {
    if (text.size() > maximum_bytes) return errc::limit_exceeded;
    std::optional<url_parts> const parts = split(text);
    if (!parts || !parts->scheme) return errc::bad_url;
    return build(*parts);
}

result<url> url::resolve(std::string_view reference) const {
    if (reference.size() > maximum_bytes) return errc::limit_exceeded;
    std::optional<url_parts> target = split(reference);
    std::optional<url_parts> const base = split(text_);
    if (!target || !base || !base->scheme) return errc::bad_url;
    std::string path;
    if (target->scheme || target->authority) {
        path = remove_dot_segments(target->path);
    } else if (target->path.empty()) {
        path = base->path;
        if (!target->query) target->query = base->query;
    } else if (target->path.starts_with('/')) {
        path = remove_dot_segments(target->path);
    } else {
        // Merge: the reference takes the place of the base's last segment.
        std::size_t const slash = base->path.rfind('/');
        if (base->authority && base->path.empty()) path = "/";
        if (slash != std::string_view::npos) path = base->path.substr(0, slash + 1);
        path = remove_dot_segments(path.append(target->path));
    }
    if (!target->scheme && !target->authority) target->authority = base->authority;
    if (!target->scheme) target->scheme = base->scheme;
    target->path = path;
    return build(*target);
}

std::optional<std::uint16_t> url::effective_port() const noexcept {
    if (port_) return port_;
    if (known_scheme const* const known = find_scheme(scheme())) return known->port;
    return std::nullopt;
}

std::string url::zone() const {
    result<std::string> decoded = percent_decode(view(zone_));
    RILL_ASSERT(decoded, "parse accepts only zones that can be decoded");
    return *std::move(decoded);
}

std::string url::host_field() const {
    bool const is_literal =
        host_kind_ == url_host_kind::ipv6 || host_kind_ == url_host_kind::future;
    std::string out;
    if (is_literal) out += '[';
    out += host();
    if (is_literal) out += ']';
    known_scheme const* const known = find_scheme(scheme());
    if (port_ && (known == nullptr || known->port != *port_)) {
        out += ':';
        out += std::to_string(*port_);
    }
    return out;
}

}  // namespace rill
