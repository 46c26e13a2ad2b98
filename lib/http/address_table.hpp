// Clients by address: how many connections each has open, and how many of its requests wait.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "rill/base/address.hpp"

namespace rill::http {

/// What counts against the limits of one client address, on all cores. Lives in its table for as
/// long as the address has a connection.
struct counted_address {
    std::array<std::uint64_t, 2> key{};
    std::atomic<std::uint32_t> requests = 0;
    std::uint32_t connections = 0;  // behind the table's lock
    std::uint32_t next = 0;         // in its bucket, or among the free ones
};

/// The addresses that have connections: a fixed number of entries, chained from buckets whose order
/// a seed decides, so that no peer can choose addresses that fall into one.
///
/// Core  any thread. Connections come and go behind one lock, which is held for a look into a
///       bucket; requests touch the entry of their own address alone.
/// Cost  all memory is taken when it is made.
class address_table {
public:
    /// Room for `size` addresses, at least one.
    address_table(std::uint32_t size, std::uint32_t ipv6_prefix_bits, std::uint64_t seed);
    address_table(address_table const&) = delete;
    address_table& operator=(address_table const&) = delete;

    /// What became of a connection.
    enum class verdict : std::uint8_t {
        counted,    // `entry` has one more
        over,       // the address has `most` already
        uncounted,  // the table is full, or this kind of peer has no address
    };
    struct outcome {
        verdict how = verdict::uncounted;
        counted_address* entry = nullptr;
        bool full = false;  // why it is not counted
    };
    /// One more connection of `peer`, which may have `most`; 0 is no limit.
    [[nodiscard]] outcome enter(address const& peer, std::uint32_t most) noexcept;
    /// One of its connections has ended; its requests have, too.
    void leave(counted_address& entry) noexcept;
    /// How many addresses have connections now.
    [[nodiscard]] std::uint32_t used() noexcept;

private:
    using key_type = std::array<std::uint64_t, 2>;
    static constexpr std::uint32_t none = 0xffff'ffff;

    [[nodiscard]] bool key_of(address const& peer, key_type& into) const noexcept;
    [[nodiscard]] std::uint32_t& bucket_of(key_type const& key) noexcept;

    std::mutex mutex_;
    std::vector<counted_address> entries_;
    std::vector<std::uint32_t> buckets_;  // a power of two, at least as many as entries
    std::uint32_t first_free_ = none;
    std::uint32_t used_ = 0;
    std::uint64_t seed_;
    key_type ipv6_mask_{};
};

}  // namespace rill::http
