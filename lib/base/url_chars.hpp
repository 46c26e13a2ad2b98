// The character classes of RFC 3986 as one table, and hexadecimal digits.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "rill/base/percent.hpp"

namespace rill::detail {

// Bits of url_set: each character has the bit of the smallest class that it belongs to.
inline constexpr std::array<unsigned char, 256> url_classes = [] {
    std::array<unsigned char, 256> table{};
    auto const mark = [&table](std::string_view characters, unsigned char bit) {
        for (char const c : characters) table[static_cast<unsigned char>(c)] = bit;
    };
    mark("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", 1);
    mark("!$&'()*+,;=", 2);
    mark(":", 4);
    mark("@", 8);
    mark("/", 16);
    mark("?", 32);
    return table;
}();

inline constexpr bool in_set(char c, url_set set) noexcept {
    return (url_classes[static_cast<unsigned char>(c)] & static_cast<unsigned char>(set)) != 0;
}

inline constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

inline constexpr bool is_alpha(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

inline constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Writes two digits of lower case; returns where the next ones go.
inline constexpr char* put_hex(std::byte value, char* to) noexcept {
    constexpr std::string_view digits = "0123456789abcdef";
    *to++ = digits[std::to_integer<std::size_t>(value >> 4)];
    *to++ = digits[std::to_integer<std::size_t>(value & std::byte{15})];
    return to;
}

/// 0..15, or -1 when `c` is not a hexadecimal digit.
inline constexpr int hex_value(char c) noexcept {
    if (is_digit(c)) return c - '0';
    char const small = lower(c);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/// True when `text` holds only characters of `set` and well-formed `%XX`.
inline constexpr bool is_encoded(std::string_view text, url_set set) noexcept {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (in_set(text[i], set)) continue;
        if (text[i] != '%' || text.size() - i < 3) return false;
        if (hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0) return false;
        i += 2;
    }
    return true;
}

}  // namespace rill::detail
