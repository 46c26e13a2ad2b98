// Text of addresses, both ways. RFC 3986 3.2.2 for the bracketed form, RFC 5952 for IPv6 output.
#include "rill/base/address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace rill {

namespace {

constexpr std::size_t unix_path_limit = 107;

template <class Number>
std::optional<Number> number(std::string_view text, int base = 10) {
    Number value{};
    auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || code != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

std::optional<std::array<std::uint8_t, 4>> parse_v4(std::string_view text) {
    std::array<std::uint8_t, 4> ip{};
    for (std::size_t i = 0; i < 4; ++i) {
        std::size_t const dot = i < 3 ? text.find('.') : text.size();
        if (dot == std::string_view::npos) return {};
        std::string_view const part = text.substr(0, dot);
        if (part.size() > 3 || (part.size() > 1 && part[0] == '0')) return {};
        auto const value = number<std::uint8_t>(part);
        if (!value) return {};
        ip[i] = *value;
        text.remove_prefix(std::min(dot + 1, text.size()));
    }
    return ip;
}

// The groups of one side of "::", appended to `groups`.
bool parse_groups(std::string_view text, std::array<std::uint16_t, 8>& groups, std::size_t& count) {
    while (!text.empty()) {
        std::size_t const colon = std::min(text.find(':'), text.size());
        std::string_view const part = text.substr(0, colon);
        if (colon == text.size() && part.find('.') != std::string_view::npos) {
            auto const v4 = parse_v4(part);
            if (!v4 || count > 6) return false;
            groups[count++] = static_cast<std::uint16_t>((*v4)[0] << 8 | (*v4)[1]);
            groups[count++] = static_cast<std::uint16_t>((*v4)[2] << 8 | (*v4)[3]);
            return true;
        }
        auto const value = number<std::uint16_t>(part, 16);
        if (!value || part.size() > 4 || count == 8) return false;
        groups[count++] = *value;
        if (colon + 1 == text.size()) return false;
        text.remove_prefix(std::min(colon + 1, text.size()));
    }
    return true;
}

std::optional<std::array<std::uint8_t, 16>> parse_v6(std::string_view text) {
    std::array<std::uint16_t, 8> head{};
    std::array<std::uint16_t, 8> tail{};
    std::size_t head_count = 0;
    std::size_t tail_count = 0;
    std::size_t const gap = text.find("::");
    if (gap == std::string_view::npos) {
        if (!parse_groups(text, head, head_count) || head_count != 8) return {};
    } else {
        if (!parse_groups(text.substr(0, gap), head, head_count)) return {};
        if (!parse_groups(text.substr(gap + 2), tail, tail_count)) return {};
        if (head_count + tail_count > 7) return {};
    }
    std::copy_n(tail.begin(), tail_count, head.end() - static_cast<std::ptrdiff_t>(tail_count));
    std::array<std::uint8_t, 16> ip{};
    for (std::size_t i = 0; i < 8; ++i) {
        ip[2 * i] = static_cast<std::uint8_t>(head[i] >> 8);
        ip[2 * i + 1] = static_cast<std::uint8_t>(head[i] & 0xff);
    }
    return ip;
}

constexpr std::array<std::uint8_t, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool is_mapped(std::array<std::uint8_t, 16> const& ip) {
    return std::equal(mapped_prefix.begin(), mapped_prefix.end(), ip.begin());
}

std::string v6_text(std::array<std::uint8_t, 16> const& ip) {
    if (is_mapped(ip)) return fmt::format("::ffff:{}.{}.{}.{}", ip[12], ip[13], ip[14], ip[15]);
    std::array<unsigned, 8> groups{};
    for (std::size_t i = 0; i < 8; ++i) {
        groups[i] = static_cast<unsigned>(ip[2 * i]) << 8 | ip[2 * i + 1];
    }
    std::size_t best = 8;
    std::size_t best_length = 1;
    for (std::size_t i = 0; i < 8; ++i) {
        std::size_t length = 0;
        while (i + length < 8 && groups[i + length] == 0) ++length;
        if (length > best_length) {
            best = i;
            best_length = length;
        }
    }
    std::string text;
    for (std::size_t i = 0; i < 8; ++i) {
        if (i == best) {
            text += "::";
            i += best_length - 1;
            continue;
        }
        if (!text.empty() && text.back() != ':') text += ':';
        text += fmt::format("{:x}", groups[i]);
    }
    return text;
}

}  // namespace

address address::v4(std::array<std::uint8_t, 4> ip, std::uint16_t port) noexcept {
    address made;
    made.family_ = family::ipv4;
    made.port_ = port;
    std::copy(ip.begin(), ip.end(), made.ip_.begin());
    return made;
}

address address::v6(std::array<std::uint8_t, 16> ip, std::uint16_t port,
                    std::uint32_t scope) noexcept {
    address made;
    made.family_ = family::ipv6;
    made.port_ = port;
    made.scope_ = scope;
    made.ip_ = ip;
    return made;
}

result<address> address::unix_path(std::string_view path) {
    if (path.empty() || path.size() > unix_path_limit ||
        path.find('\0') != std::string_view::npos) {
        return errc::bad_address;
    }
    address made;
    made.family_ = family::local;
    made.path_ = path;
    return made;
}

result<address> address::parse(std::string_view text) {
    if (text.starts_with("unix:")) return unix_path(text.substr(5));
    std::size_t const colon = text.rfind(':');
    if (colon == std::string_view::npos) return errc::bad_address;
    auto const port = number<std::uint16_t>(text.substr(colon + 1));
    if (!port) return errc::bad_address;
    std::string_view host = text.substr(0, colon);
    if (host.empty()) return v6({}, *port);
    if (host == "localhost") return v4({127, 0, 0, 1}, *port);
    if (host.front() != '[') {
        auto const ip = parse_v4(host);
        if (!ip) return errc::bad_address;
        return v4(*ip, *port);
    }
    if (host.back() != ']') return errc::bad_address;
    host = host.substr(1, host.size() - 2);
    std::uint32_t scope = 0;
    if (std::size_t const percent = host.find('%'); percent != std::string_view::npos) {
        auto const index = number<std::uint32_t>(host.substr(percent + 1));
        if (!index) return errc::bad_address;
        scope = *index;
        host = host.substr(0, percent);
    }
    auto const ip = parse_v6(host);
    if (!ip) return errc::bad_address;
    return v6(*ip, *port, scope);
}

address address::with_port(std::uint16_t port) const {
    address made = *this;
    made.port_ = port;
    return made;
}

bool address::any() const noexcept {
    return family_ == family::ipv6 && ip_ == std::array<std::uint8_t, 16>{};
}

address address::unmapped() const {
    if (family_ != family::ipv6 || !is_mapped(ip_)) return *this;
    return v4({ip_[12], ip_[13], ip_[14], ip_[15]}, port_);
}

std::string address::host() const {
    switch (family_) {
        case family::ipv4:
            return fmt::format("{}.{}.{}.{}", ip_[0], ip_[1], ip_[2], ip_[3]);
        case family::ipv6:
            return scope_ == 0 ? v6_text(ip_) : fmt::format("{}%{}", v6_text(ip_), scope_);
        case family::local:
            return path_;
        case family::none:
            break;
    }
    return "unknown";
}

std::string address::text() const {
    switch (family_) {
        case family::ipv4:
            return fmt::format("{}:{}", host(), port_);
        case family::ipv6:
            return fmt::format("[{}]:{}", host(), port_);
        case family::local:
            return "unix:" + path_;
        case family::none:
            break;
    }
    return "unknown";
}

}  // namespace rill
