// Addresses of sockets: IPv4, IPv6 and Unix paths, as text and as values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/base/result.hpp"

namespace rill {

/// Where a socket is bound or connected.
///
/// Text forms: `127.0.0.1:80`, `[::1]:80`, `[fe80::1%2]:80`, `:80` (all addresses, IPv6 and IPv4),
/// `localhost:80` (loopback, RFC 6761 section 6.3), `unix:/path`, `unix:@abstract`.
class RILL_API address {
public:
    /// What kind of address it is.
    enum class family : std::uint8_t {
        none,   ///< Nothing yet, or unknown.
        ipv4,   ///< IPv4.
        ipv6,   ///< IPv6.
        local,  ///< A path in the file system or an abstract name.
    };

    address() noexcept = default;

    /// An IPv4 address; `ip` in network order, `port` in host order.
    [[nodiscard]] static address v4(std::array<std::uint8_t, 4> ip, std::uint16_t port) noexcept;
    /// An IPv6 address; `scope` is the interface index of a link-local address, else 0.
    [[nodiscard]] static address v6(std::array<std::uint8_t, 16> ip, std::uint16_t port,
                                    std::uint32_t scope = 0) noexcept;
    /// A Unix path, at most 107 bytes; a leading `@` means the abstract name space.
    [[nodiscard]] static result<address> unix_path(std::string_view path);

    /// Reads one of the text forms. Errors: bad_address. No name is looked up.
    [[nodiscard]] static result<address> parse(std::string_view text);

    /// Which kind of address it is.
    [[nodiscard]] family kind() const noexcept { return family_; }
    /// The port in host order; 0 for Unix addresses.
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    /// The same address with another port.
    [[nodiscard]] address with_port(std::uint16_t port) const;
    /// The bytes of the IP address: 4, 16 or none.
    [[nodiscard]] std::array<std::uint8_t, 16> const& ip() const noexcept { return ip_; }
    /// The interface index of a link-local IPv6 address; 0 for none.
    [[nodiscard]] std::uint32_t scope() const noexcept { return scope_; }
    /// The Unix path; empty for IP addresses.
    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    /// True for `:port`: every local address, of both families.
    [[nodiscard]] bool any() const noexcept;
    /// The IPv4 address that an IPv4-mapped IPv6 address stands for; else the address itself.
    [[nodiscard]] address unmapped() const;

    /// `127.0.0.1:80`, `[::1]:80`, `unix:/path`; "unknown" for none.
    [[nodiscard]] std::string text() const;
    /// The host part alone, without brackets or port.
    [[nodiscard]] std::string host() const;

    friend bool operator==(address const& left, address const& right) = default;

private:
    family family_ = family::none;
    std::uint16_t port_ = 0;
    std::uint32_t scope_ = 0;
    std::array<std::uint8_t, 16> ip_{};
    std::string path_;
};

}  // namespace rill
