// Which known field a name is: one table look-up and one compare, no search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

/// Length, first and last letter tell all known names apart; the factors were searched for that.
constexpr std::size_t known_slot(std::string_view name) noexcept {
    auto const lower = [](char c) { return static_cast<unsigned char>(c | 0x20); };
    return (name.size() * 2 + lower(name.front()) * 25U + lower(name.back()) * 23U) % 64;
}

consteval std::array<known_field, 64> make_known_slots() {
    std::array<known_field, 64> slots{};
    slots.fill(known_field::none);
    for (std::size_t i = 0; i < known_field_count; ++i) {
        known_field& slot = slots[known_slot(known_names[i])];
        if (slot != known_field::none) throw i;
        slot = static_cast<known_field>(i);
    }
    return slots;
}

inline constexpr std::array<known_field, 64> known_slots = make_known_slots();

/// The names padded to two blocks, so that a compare needs no loop.
struct padded_name {
    std::array<char, 31> text;
    std::uint8_t size;
};

consteval std::array<padded_name, known_field_count + 1> make_padded_names() {
    std::array<padded_name, known_field_count + 1> padded{};  // the last, of no bytes, is `none`
    for (std::size_t i = 0; i < known_field_count; ++i) {
        for (std::size_t at = 0; at < known_names[i].size(); ++at) {
            padded[i].text[at] = known_names[i][at];
        }
        padded[i].size = static_cast<std::uint8_t>(known_names[i].size());
    }
    return padded;
}

alignas(32) inline constexpr auto padded_names = make_padded_names();

/// True when the token of `size` bytes is `lower`, which holds only a to z and `-`, in any case.
/// Setting bit 5 maps no other tchar onto these.
inline bool equal_known(char const* token, char const* lower, std::size_t size) noexcept {
    for (std::size_t at = 0; at < size; ++at) {
        if ((token[at] | 0x20) != lower[at]) return false;
    }
    return true;
}

/// As `find_known_field`, for a name that is already known to be a token of one byte or more.
/// Memory up to `readable` may be looked at.
inline known_field find_known_token(char const* name, std::size_t size,
                                    [[maybe_unused]] char const* readable) noexcept {
    known_field const which = known_slots[known_slot({name, size})];
    padded_name const& known = padded_names[static_cast<std::size_t>(which)];
    if (known.size != size) return known_field::none;
#if defined(__SSE2__)
    if (size <= 16 && readable - name >= 16) {
        auto const block = [](char const* p) {
            return _mm_loadu_si128(reinterpret_cast<__m128i const*>(p));
        };
        __m128i const lower = _mm_or_si128(block(name), _mm_set1_epi8(0x20));
        __m128i const equal = _mm_cmpeq_epi8(lower, block(known.text.data()));
        auto const different = ~static_cast<unsigned>(_mm_movemask_epi8(equal));
        return different << (32 - size) == 0 ? which : known_field::none;
    }
#endif
    return equal_known(name, known.text.data(), size) ? which : known_field::none;
}

}  // namespace rill::http1::detail
