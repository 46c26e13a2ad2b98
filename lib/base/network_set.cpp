// Networks of IP addresses.
#include "rill/base/network_set.hpp"

#include <charconv>
#include <string>

#include "base/ip_literal.hpp"
#include "rill/base/error.hpp"

namespace rill {

namespace {

[[noreturn]] void refuse(std::string_view text) {
    throw error(errc::bad_address, "read a network", text,
                "write it as 10.0.0.0/8, 2001:db8::/32, 127.0.0.1 or unix:");
}

// True when the first `bits` of both are the same.
bool same_prefix(std::array<std::uint8_t, 16> const& a, std::array<std::uint8_t, 16> const& b,
                 unsigned bits) noexcept {
    for (std::size_t i = 0; bits != 0; ++i) {
        unsigned const here = bits < 8 ? bits : 8;
        unsigned const difference = static_cast<unsigned>(a[i] ^ b[i]) >> (8 - here);
        if (difference != 0) return false;
        bits -= here;
    }
    return true;
}

}  // namespace

network_set::network_set(std::span<std::string_view const> networks) {
    if (networks.size() > max_count) {
        throw error(errc::limit_exceeded, "keep a set of networks", {}, "256 at most");
    }
    networks_.reserve(networks.size());
    for (std::string_view const each : networks) networks_.push_back(parse(each));
}

network_set::network network_set::parse(std::string_view text) {
    if (text == "unix:") return {{}, address::family::local, 0};
    std::string_view const ip = text.substr(0, text.find('/'));
    bool const is_v4 = detail::is_ipv4(ip);
    if (!is_v4 && !detail::is_ipv6(ip)) refuse(text);
    auto const parsed = is_v4 ? address::parse(std::string(ip) + ":0")
                              : address::parse("[" + std::string(ip) + "]:0");
    if (!parsed) refuse(text);
    unsigned const most = is_v4 ? 32 : 128;
    unsigned bits = most;
    if (ip.size() != text.size()) {
        char const* const end = text.data() + text.size();
        auto const [stop, why] = std::from_chars(text.data() + ip.size() + 1, end, bits);
        if (why != std::errc() || stop != end || bits > most) refuse(text);
    }
    network const made{parsed->ip(), parsed->kind(), static_cast<std::uint8_t>(bits)};
    std::array<std::uint8_t, 16> masked{};
    for (unsigned i = 0; i < bits; ++i) {
        masked[i / 8] =
            static_cast<std::uint8_t>(masked[i / 8] | (made.ip[i / 8] & (0x80U >> i % 8)));
    }
    // 10.0.0.1/8 is somebody's mistake: was it the host or the network?
    if (masked != made.ip) refuse(text);
    return made;
}

bool network_set::contains(address const& which) const noexcept {
    bool const is_mapped = which.kind() == address::family::ipv6 &&
                           same_prefix(which.ip(), {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96);
    std::array<std::uint8_t, 16> ip = which.ip();
    if (is_mapped) ip = {ip[12], ip[13], ip[14], ip[15]};
    auto const kind = is_mapped ? address::family::ipv4 : which.kind();
    for (network const& each : networks_) {
        if (each.family == kind && same_prefix(each.ip, ip, each.bits)) return true;
    }
    return false;
}

}  // namespace rill
