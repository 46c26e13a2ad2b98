// Walks over field lines by two masks of 64 bytes: where the colons are, and where there is
// anything but visible ASCII and spaces. Each byte is looked at once for both (RFC 9112 section 5).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/chars.hpp"

namespace rill::http1::detail {

#if defined(__SSE2__)

/// Stands on one field line of [begin, end) at a time. Before `end` lie 16 readable bytes, of which
/// some may stand before `begin`; behind it nothing is touched.
class line_scanner {
public:
    /// Stands on the line at `begin`.
    [[gnu::always_inline]] line_scanner(char const* begin, char const* end) noexcept
        : window_(begin), end_(end) {
        load();
    }
    /// Steps to the line at `line`, which is not behind what was asked for last and two more bytes.
    [[gnu::always_inline]] void step_to(char const* line) noexcept {
        std::ptrdiff_t const offset = line - window_;
        if (offset >= window_bytes) [[unlikely]] {
            window_ = line;
            load();
            return;
        }
        std::uint64_t const rest = ~std::uint64_t{0} << offset;
        colons_ &= rest;
        odds_ &= rest;
    }
    /// The first colon of the line; null when `end`, or what no name may hold,
    /// comes first.
    [[gnu::always_inline]] char const* find_colon() noexcept {
        while (colons_ == 0) [[unlikely]] {
            if (odds_ != 0 || !advance()) return nullptr;
        }
        return window_ + std::countr_zero(colons_);
    }
    /// The first byte of the line that no value may hold, or `end`.
    [[gnu::always_inline]] char const* find_end() noexcept {
        for (;;) {
            while (odds_ == 0) [[unlikely]] {
                if (!advance()) return end_;
            }
            char const* const stop = window_ + std::countr_zero(odds_);
            if (*stop == '\r' || !is_class(*stop, value_char)) [[likely]]
                return stop;
            odds_ &= odds_ - 1;  // a tab or obs-text
        }
    }

private:
    static constexpr std::ptrdiff_t window_bytes = 64;

    struct marks {
        std::uint64_t colons = 0;
        std::uint64_t odds = 0;

        void add(__m128i block, unsigned drop, unsigned shift) noexcept {
            __m128i const colon = _mm_cmpeq_epi8(block, _mm_set1_epi8(':'));
            // One more than 0x20 to 0x7e is all that is above 0x20, with a sign.
            __m128i const above = _mm_add_epi8(block, _mm_set1_epi8(1));
            __m128i const odd = _mm_cmpgt_epi8(_mm_set1_epi8(0x21), above);
            colons |= std::uint64_t{bits_of(colon) >> drop} << shift;
            odds |= std::uint64_t{bits_of(odd) >> drop} << shift;
        }
    };

    // By value: a scanner whose address is taken would live in memory.
    [[gnu::noinline]] static marks marks_of_tail(char const* at, char const* end) noexcept {
        marks found;
        unsigned shift = 0;
        for (; end - at >= block_bytes; at += block_bytes, shift += 16)
            found.add(load_block(at), 0, shift);
        // The last block ends with the last byte, so that nothing behind it is touched.
        auto const drop = static_cast<unsigned>(block_bytes - (end - at));
        if (at != end) found.add(load_block(end - block_bytes), drop, shift);
        return found;
    }
    [[gnu::always_inline]] void load() noexcept {
        marks found;
        if (end_ - window_ >= window_bytes) [[likely]] {
            found.add(load_block(window_), 0, 0);
            found.add(load_block(window_ + 16), 0, 16);
            found.add(load_block(window_ + 32), 0, 32);
            found.add(load_block(window_ + 48), 0, 48);
        } else {
            found = marks_of_tail(window_, end_);
        }
        colons_ = found.colons;
        odds_ = found.odds;
    }
    [[gnu::always_inline]] bool advance() noexcept {
        if (end_ - window_ <= window_bytes) return false;
        window_ += window_bytes;
        load();
        return true;
    }

    // Bit i of a mask stands for window_[i]. What lies before the line, and from end_ on, is 0.
    char const* window_;
    char const* end_;
    std::uint64_t colons_;
    std::uint64_t odds_;
};

#else

/// The same byte by byte.
class line_scanner {
public:
    line_scanner(char const* begin, char const* end) noexcept : line_(begin), end_(end) {}
    void step_to(char const* line) noexcept { line_ = line; }
    char const* find_colon() noexcept {
        char const* const stop = find_end();
        return static_cast<char const*>(
            std::memchr(line_, ':', static_cast<std::size_t>(stop - line_)));
    }
    char const* find_end() noexcept { return find_value_end(line_, end_); }

private:
    char const* line_;
    char const* end_;
};

#endif

}  // namespace rill::http1::detail
