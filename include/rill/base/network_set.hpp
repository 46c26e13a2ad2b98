// network_set: networks of IP addresses, such as those of trusted proxies. RFC 4632 (CIDR).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "rill/base/address.hpp"
#include "rill/base/export.hpp"

namespace rill {

/// A fixed set of networks: "10.0.0.0/8", "2001:db8::/32", "127.0.0.1" for one address, and "unix:"
/// for all local sockets.
///
/// Core: any thread may ask it at once.
class RILL_API network_set {
public:
    /// The most networks; each question looks at all.
    static constexpr std::size_t max_count = 256;

    /// Errors    `error` bad_address for what is no network, or has bits behind its prefix;
    ///           limit_exceeded for more than `max_count`.
    network_set(std::initializer_list<std::string_view> networks)
        : network_set(std::span(networks.begin(), networks.size())) {}
    /// The same for a list that is known at run time.
    explicit network_set(std::span<std::string_view const> networks);

    /// True when one of them holds the address, whatever its port. An IPv4 address that is written
    /// as an IPv6 one counts as the IPv4 address.
    [[nodiscard]] bool contains(address const& which) const noexcept;

private:
    struct network {
        std::array<std::uint8_t, 16> ip;
        address::family family;
        std::uint8_t bits;
    };
    static network parse(std::string_view text);

    std::vector<network> networks_;
};

}  // namespace rill
