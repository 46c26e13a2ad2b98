// Which known field a name is: one table look-up and one compare, no search.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/chars.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::http1::detail {

/// In the order of `known_field`.
inline constexpr std::array<std::string_view, known_field_count> known_names = {
    "accept",
    "accept-encoding",
    "accept-language",
    "authorization",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "last-event-id",
    "origin",
    "range",
    "referer",
    "sec-websocket-extensions",
    "sec-websocket-key",
    "sec-websocket-protocol",
    "sec-websocket-version",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "x-forwarded-for",
    "x-forwarded-proto",
};

/// Four bytes in lower case, as one word.
constexpr std::uint32_t lower_word(char const* p) noexcept {
    std::array<char, 4> bytes{p[0], p[1], p[2], p[3]};
    return std::bit_cast<std::uint32_t>(bytes) | 0x20202020;
}

/// Length and last four letters tell all known names apart; the factor was searched for that. No
/// known name is shorter, and other names may have any slot.
constexpr std::size_t known_slot(char const* name_end, std::size_t size) noexcept {
    auto const key = lower_word(name_end - 4) + static_cast<std::uint32_t>(size);
    return (key * 0x65c9d729U) >> 26;
}

/// One known name: its last 16 letters, right-aligned, so that a name in memory is compared by the
/// block that ends with it.
struct known_name {
    alignas(16) std::array<char, 16> tail{};
    std::uint16_t used = 0;       // a bit for each byte of the tail that counts
    std::uint16_t size = 0xffff;  // which no name in a head has
    known_field which = known_field::none;
};

consteval std::array<known_name, 64> make_known_slots() {
    std::array<known_name, 64> slots{};
    for (std::size_t i = 0; i < known_field_count; ++i) {
        std::string_view const name = known_names[i];
        known_name& slot = slots[known_slot(name.data() + name.size(), name.size())];
        if (slot.which != known_field::none) throw i;
        std::size_t const in_tail = std::min<std::size_t>(name.size(), 16);
        std::copy(name.end() - static_cast<std::ptrdiff_t>(in_tail), name.end(),
                  slot.tail.end() - static_cast<std::ptrdiff_t>(in_tail));
        slot.used = static_cast<std::uint16_t>(0xffffU << (16 - in_tail));
        slot.size = static_cast<std::uint16_t>(name.size());
        slot.which = static_cast<known_field>(i);
    }
    return slots;
}

inline constexpr std::array<known_name, 64> known_slots = make_known_slots();

/// True when the first `size` bytes at `name` are `lower`, which holds only a to z and `-`, in any
/// case. Setting bit 5 maps no other visible character onto these.
inline bool equal_known(char const* name, char const* lower, std::size_t size) noexcept {
    for (std::size_t at = 0; at < size; ++at) {
        if ((name[at] | 0x20) != lower[at]) return false;
    }
    return true;
}

/// As `find_known_field`, for a name of one visible character or more, with 16 bytes of readable
/// memory before its end.
inline known_field find_known_token(char const* name, char const* name_end) noexcept {
    auto const size = static_cast<std::size_t>(name_end - name);
    known_name const& known = known_slots[known_slot(name_end, size)];
    if (known.size != size) return known_field::none;
    if (known.which == known_field::none) __builtin_unreachable();  // it has no size
    std::size_t left = size;
#if defined(__SSE2__)
    __m128i const tail = _mm_load_si128(reinterpret_cast<__m128i const*>(known.tail.data()));
    __m128i const lower = _mm_or_si128(load_block(name_end - 16), _mm_set1_epi8(0x20));
    unsigned const equal = bits_of(_mm_cmpeq_epi8(lower, tail));
    if ((equal & known.used) != known.used) return known_field::none;
    if (size <= 16) [[likely]]
        return known.which;
    left -= 16;
#endif
    char const* const whole = known_names[static_cast<std::size_t>(known.which)].data();
    return equal_known(name, whole, left) ? known.which : known_field::none;
}

}  // namespace rill::http1::detail
