// The names of a simulated world and their addresses.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rill/base/address.hpp"

namespace rill {

class simulated_names {
public:
    /// Gives `name` these addresses, in this order; none: it fails at once.
    void add(std::string_view name, std::span<address const> addresses) {
        table_[std::string(name)].assign(addresses.begin(), addresses.end());
    }
    /// The addresses of `name`; null when nobody knows it.
    [[nodiscard]] std::vector<address> const* find(std::string_view name) const {
        auto const found = table_.find(name);
        return found == table_.end() ? nullptr : &found->second;
    }

private:
    std::map<std::string, std::vector<address>, std::less<>> table_;
};

}  // namespace rill
