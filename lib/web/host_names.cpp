// Names of hosts, exact and by their endings.
#include "web/host_names.hpp"

#include <algorithm>

namespace rill::web::detail {

std::optional<std::string_view> plain_host(std::string_view host,
                                           std::array<char, longest_host>& into) noexcept {
    // "[::1]:80", "example.org:80"
    std::size_t const bracket = host.starts_with('[') ? host.find(']') : 0;
    if (bracket == std::string_view::npos) return std::nullopt;
    host = host.substr(0, host.find(':', bracket));
    if (host.ends_with('.')) host.remove_suffix(1);
    if (host.empty() || host.size() > into.size()) return std::nullopt;
    std::transform(host.begin(), host.end(), into.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return std::string_view(into.data(), host.size());
}

void host_names::add(std::string_view name, router const* for_it) {
    if (name.starts_with("*.")) {
        endings_.emplace_back(name.substr(1), for_it);
    } else {
        exact_.emplace_back(name, for_it);
    }
}

void host_names::sort() {
    std::sort(exact_.begin(), exact_.end());
    std::sort(endings_.begin(), endings_.end(), [](named const& left, named const& right) {
        return left.first.size() > right.first.size();
    });
}

router const* host_names::find(std::string_view host) const noexcept {
    std::array<char, longest_host> memory;
    auto const wanted = plain_host(host, memory);
    if (!wanted) return nullptr;
    auto const at =
        std::lower_bound(exact_.begin(), exact_.end(), *wanted,
                         [](named const& one, std::string_view name) { return one.first < name; });
    if (at != exact_.end() && at->first == *wanted) return at->second;
    for (auto const& [ending, for_it] : endings_) {
        if (wanted->size() > ending.size() && wanted->ends_with(ending)) return for_it;
    }
    return nullptr;
}

}  // namespace rill::web::detail
