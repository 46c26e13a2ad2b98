// What one server has for all its cores together: the limits on connections and on requests that
// wait, and its rates.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "http/address_table.hpp"
#include "rill/http/handler.hpp"
#include "rill/http/places.hpp"
#include "rill/http/server.hpp"

namespace rill::http {

/// By which limit something was refused.
enum class limit : std::uint8_t { none, server, address, route };

/// The limits of one server and what counts against them. Made only where there is one.
///
/// Core  any thread.
class admission {
public:
    /// True where `options` have a limit that a server holds over all its cores.
    [[nodiscard]] static bool wanted(server_options const& options) noexcept;

    /// `seed` decides the order of the table of addresses.
    admission(server_options const& options, std::uint64_t seed);

    /// What became of a connection.
    struct entrance {
        limit refused_by = limit::none;
        counted_address* from = nullptr;  // null where its address is not counted
        bool table_full = false;
    };
    /// One more connection. `leave` follows, unless it was refused.
    [[nodiscard]] entrance enter(address const& peer) noexcept;
    void leave(counted_address* from) noexcept;

    /// Places for a request of an address (null where it is not counted).
    [[nodiscard]] limit take(counted_address* from) noexcept;
    void give(counted_address* from) noexcept;

    /// Of what is received and sent.
    [[nodiscard]] byte_rate& reads() noexcept { return reads_; }
    [[nodiscard]] byte_rate& writes() noexcept { return writes_; }

    [[nodiscard]] std::uint32_t connections() const noexcept { return connections_.taken(); }
    [[nodiscard]] std::uint32_t requests() const noexcept { return requests_.taken(); }
    /// Addresses in the table.
    [[nodiscard]] std::uint32_t addresses() noexcept { return addresses_ ? addresses_->used() : 0; }

private:
    places connections_;
    places requests_;
    byte_rate reads_;
    byte_rate writes_;
    std::uint32_t connections_per_address_;
    std::uint32_t requests_per_address_;
    std::optional<address_table> addresses_;
};

/// The places of one request that waits: of its route, its address and the server.
class request_places {
public:
    request_places() noexcept = default;
    request_places(request_places const&) = delete;
    request_places& operator=(request_places const&) = delete;
    ~request_places() { give(); }

    /// Takes all of them, or none. Either pointer may be null: no such limit.
    [[nodiscard]] limit take(admission* doors, counted_address* from,
                             handler_bounds const* route) noexcept;
    /// Gives back what was taken.
    void give() noexcept;

private:
    admission* doors_ = nullptr;
    counted_address* from_ = nullptr;
    handler_bounds const* route_ = nullptr;
};

}  // namespace rill::http
