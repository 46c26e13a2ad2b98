// Character classes of RFC 9110 and RFC 3986, and the scans that look at sixteen bytes at once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/url_chars.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rill::http1::detail {

inline constexpr std::uint8_t token_char = 1;    // tchar, RFC 9110 section 5.6.2
inline constexpr std::uint8_t value_char = 2;    // SP, HTAB, VCHAR, obs-text, section 5.5
inline constexpr std::uint8_t host_char = 4;     // unreserved, sub-delims, RFC 3986 section 3.2.2
inline constexpr std::uint8_t target_char = 8;   // see find_target_end
inline constexpr std::uint8_t quoted_char = 16;  // qdtext, RFC 9110 section 5.6.4
inline constexpr std::uint8_t path_char = 32;    // target_char without the `?` of a query

consteval std::array<std::uint8_t, 256> make_char_classes() {
    std::array<std::uint8_t, 256> classes{};
    constexpr std::string_view token_marks = "!#$%&'*+-.^_`|~";
    constexpr std::string_view host_marks = "-._~!$&'()*+,;=";
    for (unsigned c = 0; c < 256; ++c) {
        char const ch = static_cast<char>(c);
        bool const alphanumeric =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        bool const visible = c > 0x20 && c < 0x7f;
        unsigned bits = 0;
        if (alphanumeric || token_marks.find(ch) != token_marks.npos) bits |= token_char;
        if (alphanumeric || host_marks.find(ch) != host_marks.npos) bits |= host_char;
        if (visible || c == ' ' || c == '\t' || c >= 0x80) bits |= value_char;
        if (visible && c != '#') bits |= target_char;
        if ((bits & target_char) != 0 && c != '?') bits |= path_char;
        if ((bits & value_char) != 0 && c != '"' && c != '\\') bits |= quoted_char;
        classes[c] = static_cast<std::uint8_t>(bits);
    }
    return classes;
}

inline constexpr std::array<std::uint8_t, 256> char_classes = make_char_classes();

constexpr bool is_class(char c, std::uint8_t wanted) noexcept {
    return (char_classes[static_cast<unsigned char>(c)] & wanted) != 0;
}

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

using rill::detail::hex_value;

/// `scan_class<wanted>(p, end)`: the first byte of [p, end) outside the class, or end. For texts
/// that are short or rare.
template <std::uint8_t Wanted>
inline char const* scan_class(char const* p, char const* end) noexcept {
    while (p != end && is_class(*p, Wanted)) ++p;
    return p;
}

#if defined(__SSE2__)

inline constexpr std::ptrdiff_t block_bytes = 16;

inline __m128i load_block(char const* p) noexcept {
    return _mm_loadu_si128(reinterpret_cast<__m128i const*>(p));
}

/// Marks the bytes from `first` on, `count` of them in the alphabet.
inline __m128i in_range(__m128i block, char first, char count) noexcept {
    __m128i const offset = _mm_sub_epi8(block, _mm_set1_epi8(first));
    __m128i const last = _mm_set1_epi8(static_cast<char>(count - 1));
    return _mm_cmpeq_epi8(_mm_min_epu8(offset, last), offset);
}

/// One bit for each marked byte.
inline unsigned bits_of(__m128i marks) noexcept {
    return static_cast<unsigned>(_mm_movemask_epi8(marks));
}

inline unsigned first_bit(unsigned bits) noexcept {
    return static_cast<unsigned>(std::countr_zero(bits));
}

/// One bit for each byte that no field value may hold.
inline unsigned value_stops(__m128i block) noexcept {
    __m128i const low = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
    __m128i const tab = _mm_cmpeq_epi8(block, _mm_set1_epi8('\t'));
    __m128i const del = _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f));
    return bits_of(_mm_or_si128(_mm_andnot_si128(tab, low), del));
}

/// One bit for each byte that no request target may hold.
inline unsigned target_stops(__m128i block) noexcept {
    __m128i const hash = _mm_cmpeq_epi8(block, _mm_set1_epi8('#'));
    return bits_of(_mm_andnot_si128(hash, in_range(block, 0x21, 0x7f - 0x21))) ^ 0xffff;
}

/// The same for paths, which a `?` ends.
inline unsigned path_stops(__m128i block) noexcept {
    __m128i const hash = _mm_cmpeq_epi8(block, _mm_set1_epi8('#'));
    __m128i const mark = _mm_cmpeq_epi8(block, _mm_set1_epi8('?'));
    __m128i const visible = in_range(block, 0x21, 0x7f - 0x21);
    return bits_of(_mm_andnot_si128(_mm_or_si128(hash, mark), visible)) ^ 0xffff;
}

/// One bit for each byte that is no letter, digit, `-` or `_`: of these most tokens are made.
inline unsigned word_stops(__m128i block) noexcept {
    __m128i const letters = in_range(_mm_or_si128(block, _mm_set1_epi8(0x20)), 'a', 26);
    __m128i const digits = in_range(block, '0', 10);
    __m128i const marks = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('-')),
                                       _mm_cmpeq_epi8(block, _mm_set1_epi8('_')));
    return bits_of(_mm_or_si128(_mm_or_si128(letters, digits), marks)) ^ 0xffff;
}

/// The first byte of [p, end) that `Stops` marks, or `end`, where less than a block is left. The
/// block that is looked at ends with these bytes, so that nothing behind `end` is touched.
template <auto Stops>
inline char const* find_in_tail(char const* p, char const* end) noexcept {
    auto const before = static_cast<unsigned>(block_bytes - (end - p));
    unsigned const stops = Stops(load_block(p - before)) >> before;
    return stops != 0 ? p + first_bit(stops) : end;
}

/// The first byte of [p, end) that `Stops` marks, or `end`. Before `end` lie 16 readable bytes, of
/// which some may stand before p.
template <auto Stops, std::uint8_t>
inline char const* find_in_blocks(char const* p, char const* end) noexcept {
    for (; end - p >= block_bytes; p += block_bytes) {
        unsigned const stops = Stops(load_block(p));
        if (stops != 0) [[likely]]
            return p + first_bit(stops);
    }
    return find_in_tail<Stops>(p, end);
}

/// True when `text`, with 15 readable bytes before it, is surely a host: up to 16 letters, digits,
/// `-` and `.`, and a port below 60000. False says nothing.
inline bool is_plain_host(std::string_view text) noexcept {
    std::size_t const size = text.size();
    if (size == 0 || size > block_bytes) return false;
    __m128i const block = load_block(text.data() + size - block_bytes);
    __m128i const letters = in_range(_mm_or_si128(block, _mm_set1_epi8(0x20)), 'a', 26);
    __m128i const digits = in_range(block, '0', 10);
    __m128i const names = _mm_or_si128(_mm_or_si128(letters, digits), in_range(block, '-', 2));
    unsigned const odd = (bits_of(names) ^ 0xffff) >> (block_bytes - size);
    if (odd == 0) return true;
    unsigned const name_size = first_bit(odd);
    std::size_t const port_size = size - name_size - 1;
    return text[name_size] == ':' && name_size != 0 && port_size - 1 < 5 &&
           bits_of(digits) >> (block_bytes - port_size) == (1U << port_size) - 1 &&
           (port_size < 5 || text[name_size + 1] < '6');
}

#else

template <std::nullptr_t, std::uint8_t Wanted>
inline char const* find_in_blocks(char const* p, char const* end) noexcept {
    return scan_class<Wanted>(p, end);
}
inline constexpr std::nullptr_t value_stops = nullptr;
inline constexpr std::nullptr_t target_stops = nullptr;
inline constexpr std::nullptr_t path_stops = nullptr;
inline constexpr std::nullptr_t word_stops = nullptr;

inline bool is_plain_host(std::string_view) noexcept {
    return false;
}

#endif

/// The first byte that no field value may hold.
inline char const* find_value_end(char const* p, char const* end) noexcept {
    return find_in_blocks<value_stops, value_char>(p, end);
}

/// The first byte that no token may hold.
inline char const* find_token_end(char const* p, char const* end) noexcept {
    return scan_class<token_char>(find_in_blocks<word_stops, token_char>(p, end), end);
}

/// Targets hold visible ASCII but `#`: a fragment is never sent (RFC 9112 section 3.2). Characters
/// that RFC 3986 wants escaped, such as `|` and `{`, pass: browsers send them in queries.
inline char const* find_target_end(char const* p, char const* end) noexcept {
    return find_in_blocks<target_stops, target_char>(p, end);
}
inline char const* find_path_end(char const* p, char const* end) noexcept {
    return find_in_blocks<path_stops, path_char>(p, end);
}

}  // namespace rill::http1::detail
