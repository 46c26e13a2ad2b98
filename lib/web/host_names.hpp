// Which router is for a host. RFC 9110 section 7.2, RFC 3986 section 3.2.2.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rill::web {

class router;

namespace detail {

// Longer names are nobody's: that is the bound of the DNS.
inline constexpr std::size_t longest_host = 253;

// The one spelling of a host that is compared: lower case, without port and without a dot at the
// end. It lies in `into`. Nothing for one that is too long or empty.
std::optional<std::string_view> plain_host(std::string_view host,
                                           std::array<char, longest_host>& into) noexcept;

class host_names {
public:
    // "*.example.org" stands for all that end in ".example.org".
    void add(std::string_view name, router const* for_it);
    void sort();
    [[nodiscard]] bool empty() const noexcept { return exact_.empty() && endings_.empty(); }
    // The router for the host of a request, or null.
    [[nodiscard]] router const* find(std::string_view host) const noexcept;

private:
    using named = std::pair<std::string, router const*>;
    std::vector<named> exact_;    // sorted by name
    std::vector<named> endings_;  // ".example.org"; the longest first
};

}  // namespace detail
}  // namespace rill::web
