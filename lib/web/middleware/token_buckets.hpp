// Buckets of tokens by key, in a table of fixed size.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "rill/base/time.hpp"

namespace rill::web {

// A bucket is one moment: when it will be full again. A token is worth `window / requests`, so a
// request may pass while that moment lies less than a whole window away from the present
// (the generic cell rate algorithm of ITU-T I.371). Keys are told apart by 64 bits under a seed
// that nobody else knows; two that have them in common share a bucket.
class token_buckets {
public:
    static constexpr std::size_t ways = 8;
    static constexpr std::size_t lock_count = 64;

    token_buckets(std::uint32_t requests, duration window, std::size_t keys, std::uint64_t seed)
        : token_(std::max<duration>(window / requests, duration(1))),
          window_(token_ * requests),
          seed_(seed),
          sets_(std::bit_ceil(std::max<std::size_t>((keys + ways - 1) / ways, 1))) {}

    struct outcome {
        bool passes;
        std::uint32_t left;  // tokens, after this request
        duration wait;       // until there is a token again; where it passes, until all are there
    };
    [[nodiscard]] outcome take(std::string_view key, time_point now) {
        std::uint64_t const hash = hash_of(key);
        std::size_t const at = hash & (sets_.size() - 1);
        std::lock_guard const held(locks_[at % lock_count]);
        bucket& mine = find(sets_[at], hash, now);
        time_point const full = std::max(mine.full, now) + token_;
        if (full - now > window_) return {false, 0, full - now - window_};
        mine.full = full;
        return {true, static_cast<std::uint32_t>((window_ - (full - now)) / token_), full - now};
    }

private:
    struct bucket {
        std::uint64_t hash = 0;
        time_point full{};
    };
    using set = std::array<bucket, ways>;

    // The bucket of that key, or in its place the one that loses least.
    static bucket& find(set& in, std::uint64_t hash, time_point now) noexcept {
        bucket* fullest = in.data();
        for (bucket& each : in) {
            if (each.hash == hash) return each;
            if (each.full < fullest->full) fullest = &each;
        }
        *fullest = {hash, now};
        return *fullest;
    }
    // FNV-1a over the key, with the seed at both ends and a mixer behind it.
    [[nodiscard]] std::uint64_t hash_of(std::string_view key) const noexcept {
        std::uint64_t hash = seed_ ^ 0xcbf29ce484222325U;
        for (char const c : key) {
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
        }
        hash = (hash ^ hash >> 30 ^ seed_) * 0xbf58476d1ce4e5b9U;
        hash = (hash ^ hash >> 27) * 0x94d049bb133111ebU;
        return hash ^ hash >> 31;
    }

    duration token_;
    duration window_;
    std::uint64_t seed_;
    std::vector<set> sets_;  // a power of two
    std::array<std::mutex, lock_count> locks_;
};

}  // namespace rill::web
