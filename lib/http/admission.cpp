// The limits on connections and on requests that wait.
#include "http/admission.hpp"

namespace rill::http {

bool admission::wanted(server_options const& options) noexcept {
    return options.most_connections != 0 || options.most_connections_per_address != 0 ||
           options.most_requests != 0 || options.most_requests_per_address != 0 ||
           options.read_rate != 0 || options.write_rate != 0;
}

admission::admission(server_options const& options, std::uint64_t seed)
    : connections_(options.most_connections),
      requests_(options.most_requests),
      reads_(options.read_rate),
      writes_(options.write_rate),
      connections_per_address_(options.most_connections_per_address),
      requests_per_address_(options.most_requests_per_address) {
    if (connections_per_address_ != 0 || requests_per_address_ != 0) {
        addresses_.emplace(options.counted_addresses, options.ipv6_prefix_bits, seed);
    }
}

admission::entrance admission::enter(address const& peer) noexcept {
    if (!connections_.take()) return {.refused_by = limit::server};
    if (!addresses_) return {};
    auto const found = addresses_->enter(peer, connections_per_address_);
    if (found.how == address_table::verdict::over) {
        connections_.give();
        return {.refused_by = limit::address};
    }
    return {.from = found.entry, .table_full = found.full};
}

void admission::leave(counted_address* from) noexcept {
    if (from != nullptr) addresses_->leave(*from);
    connections_.give();
}

limit admission::take(counted_address* from) noexcept {
    if (from != nullptr && requests_per_address_ != 0) {
        // One too many for a moment never lets one in.
        if (from->requests.fetch_add(1, std::memory_order_relaxed) >= requests_per_address_) {
            from->requests.fetch_sub(1, std::memory_order_relaxed);
            return limit::address;
        }
    }
    if (requests_.take()) return limit::none;
    if (from != nullptr && requests_per_address_ != 0) {
        from->requests.fetch_sub(1, std::memory_order_relaxed);
    }
    return limit::server;
}

void admission::give(counted_address* from) noexcept {
    if (from != nullptr && requests_per_address_ != 0) {
        from->requests.fetch_sub(1, std::memory_order_relaxed);
    }
    requests_.give();
}

limit request_places::take(admission* doors, counted_address* from,
                           handler_bounds const* route) noexcept {
    if (route != nullptr && !route->requests.take()) return limit::route;
    if (doors != nullptr) {
        limit const refused_by = doors->take(from);
        if (refused_by != limit::none) {
            if (route != nullptr) route->requests.give();
            return refused_by;
        }
    }
    doors_ = doors;
    from_ = from;
    route_ = route;
    return limit::none;
}

void request_places::give() noexcept {
    if (doors_ != nullptr) std::exchange(doors_, nullptr)->give(from_);
    if (route_ != nullptr) std::exchange(route_, nullptr)->requests.give();
}

}  // namespace rill::http
