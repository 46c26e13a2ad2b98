// The names of a simulated world: what each host has for addresses, and how long asking takes.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "names.hpp"
#include "rill/base/address.hpp"
#include "rill/base/time.hpp"

namespace rill {

class simulated_world;

/// A name of a simulated world.
struct simulated_name {
    std::string host;
    std::vector<address> addresses = {};  // ports do not matter; none: `failure`
    duration delay = duration::zero();    // from the question to the answer
    std::error_code failure = make_error_code(errc::no_such_name);
};

/// Answers questions at their time. Hosts that were not added do not exist.
class simulated_names {
public:
    explicit simulated_names(simulated_world& in) noexcept : world_(in) {}
    simulated_names(simulated_names const&) = delete;
    simulated_names& operator=(simulated_names const&) = delete;

    void add(simulated_name what) {
        std::string host = what.host;
        table_.insert_or_assign(std::move(host), std::move(what));
    }
    /// Gives `name` these addresses, in this order; none: it fails at once.
    void add(std::string_view name, std::span<address const> addresses) {
        add(simulated_name{.host = std::string(name),
                           .addresses = {addresses.begin(), addresses.end()}});
    }

    void ask(name_query& what);
    void forget(name_query& what) noexcept;

private:
    void answer(name_query& what);

    simulated_world& world_;
    std::map<std::string, simulated_name, std::less<>> table_;
    // Questions on their way: their time and number on the agenda. Looked up only, so that the
    // order of addresses has no effect.
    std::map<name_query*, std::pair<time_point, std::uint64_t>> asked_;
};

}  // namespace rill
