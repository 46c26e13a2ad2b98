// Clients by address.
#include "http/address_table.hpp"

#include <algorithm>
#include <bit>

#include "rill/base/assert.hpp"

namespace rill::http {

namespace {

// The finisher of splitmix64: every bit of the input reaches every bit of the output.
std::uint64_t mixed(std::uint64_t of) noexcept {
    of ^= of >> 30;
    of *= 0xbf58'476d'1ce4'e5b9;
    of ^= of >> 27;
    of *= 0x94d0'49bb'1331'11eb;
    return of ^ of >> 31;
}

std::uint64_t word_of(std::array<std::uint8_t, 16> const& ip, std::size_t at) noexcept {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i) word = word << 8 | ip[at + i];
    return word;
}

// The first `bits` of 64.
std::uint64_t mask_of(std::uint32_t bits) noexcept {
    if (bits == 0) return 0;
    return bits >= 64 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} >> bits);
}

}  // namespace

address_table::address_table(std::uint32_t size, std::uint32_t ipv6_prefix_bits, std::uint64_t seed)
    : entries_(std::max(size, 1U)),
      buckets_(std::bit_ceil(entries_.size()), none),
      seed_(seed),
      ipv6_mask_{mask_of(ipv6_prefix_bits),
                 mask_of(ipv6_prefix_bits > 64 ? ipv6_prefix_bits - 64 : 0)} {
    RILL_ASSERT(ipv6_prefix_bits >= 1 && ipv6_prefix_bits <= 128, "set ipv6_prefix_bits to 1..128");
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
        entries_[i].next = std::exchange(first_free_, i);
    }
}

bool address_table::key_of(address const& peer, key_type& into) const noexcept {
    auto const& ip = peer.ip();
    if (peer.kind() == address::family::ipv4) {
        std::uint64_t four = 0;
        for (std::size_t i = 0; i < 4; ++i) four = four << 8 | ip[i];
        // As the IPv4-mapped address (RFC 4291 section 2.5.5.2), which `unmapped` leaves to IPv4.
        into = {0, 0xffff'0000'0000 | four};
        return true;
    }
    if (peer.kind() != address::family::ipv6) return false;
    into = {word_of(ip, 0) & ipv6_mask_[0], word_of(ip, 8) & ipv6_mask_[1]};
    return true;
}

std::uint32_t& address_table::bucket_of(key_type const& key) noexcept {
    std::uint64_t const hash = mixed(mixed(key[0] ^ seed_) + key[1]);
    return buckets_[hash & (buckets_.size() - 1)];
}

address_table::outcome address_table::enter(address const& peer, std::uint32_t most) noexcept {
    key_type key;
    if (!key_of(peer, key)) return {};
    std::lock_guard const lock(mutex_);
    std::uint32_t& bucket = bucket_of(key);
    for (std::uint32_t at = bucket; at != none; at = entries_[at].next) {
        counted_address& entry = entries_[at];
        if (entry.key != key) continue;
        if (most != 0 && entry.connections >= most) return {.how = verdict::over};
        ++entry.connections;
        return {.how = verdict::counted, .entry = &entry};
    }
    if (first_free_ == none) return {.full = true};
    std::uint32_t const at = first_free_;
    counted_address& entry = entries_[at];
    first_free_ = entry.next;
    entry.key = key;
    entry.connections = 1;
    entry.next = std::exchange(bucket, at);
    ++used_;
    return {.how = verdict::counted, .entry = &entry};
}

void address_table::leave(counted_address& entry) noexcept {
    std::lock_guard const lock(mutex_);
    if (--entry.connections != 0) return;
    auto const index = static_cast<std::uint32_t>(&entry - entries_.data());
    std::uint32_t* link = &bucket_of(entry.key);
    while (*link != index) link = &entries_[*link].next;
    *link = entry.next;
    entry.next = std::exchange(first_free_, index);
    --used_;
}

std::uint32_t address_table::used() noexcept {
    std::lock_guard const lock(mutex_);
    return used_;
}

}  // namespace rill::http
