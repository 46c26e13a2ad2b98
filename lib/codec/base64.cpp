// Base64 with padding. RFC 4648 section 4.
#include "codec/base64.hpp"

#include <cstdint>

namespace rill::codec {

int base64_value(char c) noexcept {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
}

std::optional<std::string> decode_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t const padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    text.remove_suffix(padding);
    std::string decoded;
    decoded.reserve(text.size() * 3 / 4);
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (char const c : text) {
        int const value = base64_value(c);
        if (value < 0) return std::nullopt;
        held = held << 6 | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        decoded += static_cast<char>(held >> bits & 0xff);
    }
    if ((held & ((1U << bits) - 1)) != 0) return std::nullopt;
    return decoded;
}

std::string encode_base64(bytes data) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((data.size() + 2) / 3 * 4);
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (std::byte const each : data) {
        held = held << 8 | std::to_integer<std::uint32_t>(each);
        for (bits += 8; bits >= 6; bits -= 6) text += digits[held >> (bits - 6) & 63];
    }
    if (bits != 0) text += digits[held << (6 - bits) & 63];
    text.append((4 - text.size() % 4) % 4, '=');
    return text;
}

}  // namespace rill::codec
