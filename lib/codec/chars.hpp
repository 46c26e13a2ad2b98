// Character classes of RFC 9110 and RFC 3986, and the scans that look at sixteen bytes at once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rill::http1::detail {

inline constexpr std::uint8_t token_char = 1;    // tchar, RFC 9110 section 5.6.2
inline constexpr std::uint8_t value_char = 2;    // SP, HTAB, VCHAR, obs-text, section 5.5
inline constexpr std::uint8_t host_char = 4;     // unreserved, sub-delims, RFC 3986 section 3.2.2
inline constexpr std::uint8_t target_char = 8;   // see find_target_end
inline constexpr std::uint8_t quoted_char = 16;  // qdtext, RFC 9110 section 5.6.4

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

/// 0 to 15, or -1 for no hexadecimal digit.
constexpr int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    char const lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// `scan_class<wanted>(p, end)`: the first byte of [p, end) outside the class, or end.
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

/// One bit for each byte that no field value may hold.
inline unsigned value_stops(__m128i block) noexcept {
    __m128i const low = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
    __m128i const tab = _mm_cmpeq_epi8(block, _mm_set1_epi8('\t'));
    __m128i const del = _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_andnot_si128(tab, low), del)));
}

/// One bit for each colon, and for each byte up to space or from 0x80 on: what ends a name. The
/// compare is signed, so that bytes from 0x80 up count as small.
inline unsigned name_stops(__m128i block) noexcept {
    __m128i const low = _mm_cmplt_epi8(block, _mm_set1_epi8(0x21));
    __m128i const colon = _mm_cmpeq_epi8(block, _mm_set1_epi8(':'));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(low, colon)));
}

/// One bit for each byte that no request target may hold.
inline unsigned target_stops(__m128i block) noexcept {
    __m128i const low = _mm_cmplt_epi8(block, _mm_set1_epi8(0x21));
    __m128i const del = _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f));
    __m128i const hash = _mm_cmpeq_epi8(block, _mm_set1_epi8('#'));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(low, del), hash)));
}

/// The first stop in [p, end), or end. `view` is where the readable memory starts: the last, part
/// block is read backwards from `end`, so nothing outside [view, end) is touched.
template <auto Stops, std::uint8_t Wanted>
inline char const* scan_blocks(char const* view, char const* p, char const* end) noexcept {
    while (end - p >= block_bytes) {
        unsigned const stops = Stops(load_block(p));
        if (stops != 0) return p + std::countr_zero(stops);
        p += block_bytes;
    }
    if (end - view < block_bytes) return scan_class<Wanted>(p, end);
    char const* const last = end - block_bytes;
    unsigned const stops = Stops(load_block(last)) >> (p - last);
    return stops != 0 ? p + std::countr_zero(stops) : end;
}

/// True when `text` is surely a host: up to 16 letters, digits, `.` and `-`, and at most a port of
/// up to four digits. False says nothing. The 15 bytes before `text` must be readable.
inline bool is_plain_host(std::string_view text) noexcept {
    auto const size = static_cast<unsigned>(text.size());
    if (size == 0 || size > 16) return false;
    auto const in_range = [](__m128i block, char first, char count) {
        __m128i const offset = _mm_sub_epi8(block, _mm_set1_epi8(first));
        return _mm_cmpeq_epi8(_mm_min_epu8(offset, _mm_set1_epi8(static_cast<char>(count - 1))),
                              offset);
    };
    __m128i const block = load_block(text.data() + size - 16);
    __m128i const letters = in_range(_mm_or_si128(block, _mm_set1_epi8(0x20)), 'a', 26);
    __m128i const digits = in_range(block, '0', 10);
    __m128i const marks = in_range(block, '-', 2);  // - and .
    auto const bits = [size](__m128i mask) {
        return static_cast<unsigned>(_mm_movemask_epi8(mask)) >> (16 - size);
    };
    unsigned const all = (1U << size) - 1;
    unsigned const names = bits(_mm_or_si128(_mm_or_si128(letters, digits), marks));
    if (names == all) return true;
    unsigned const colon = all & ~names;  // one odd byte, not the first, then up to four digits
    unsigned const after = all & ~(colon | (colon - 1));
    return (colon & (colon - 1)) == 0 && colon != 1 && (after >> 5 & colon) == 0 &&
           (after & ~bits(digits)) == 0 &&
           text[static_cast<std::size_t>(std::countr_zero(colon))] == ':';
}

inline char const* find_name_end(char const* view, char const* p, char const* end) noexcept {
    return scan_blocks<name_stops, token_char>(view, p, end);
}

inline char const* find_value_end(char const* view, char const* p, char const* end) noexcept {
    return scan_blocks<value_stops, value_char>(view, p, end);
}

/// Targets hold visible ASCII but `#`: a fragment is never sent (RFC 9112 section 3.2). Characters
/// that RFC 3986 wants escaped, such as `|` and `{`, pass: browsers send them in queries.
inline char const* find_target_end(char const* view, char const* p, char const* end) noexcept {
    return scan_blocks<target_stops, target_char>(view, p, end);
}

#else

inline bool is_plain_host(std::string_view) noexcept {
    return false;
}

inline char const* find_name_end(char const*, char const* p, char const* end) noexcept {
    return scan_class<token_char>(p, end);
}
inline char const* find_value_end(char const*, char const* p, char const* end) noexcept {
    return scan_class<value_char>(p, end);
}
inline char const* find_target_end(char const*, char const* p, char const* end) noexcept {
    return scan_class<target_char>(p, end);
}

#endif

}  // namespace rill::http1::detail
