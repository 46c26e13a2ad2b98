// One percent-encoded octet.
// RFC 3986 section 2.1.
#pragma once

#include <cstddef>
#include <string_view>

namespace rill::http {

// 0..15, or -1 for what is no hexadecimal digit.
constexpr int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The byte that `text` encodes at a '%', or -1 when two hexadecimal digits do not follow.
constexpr int encoded_byte(std::string_view text, std::size_t percent) noexcept {
    if (percent + 2 >= text.size()) return -1;
    int const high = hex_value(text[percent + 1]);
    int const low = hex_value(text[percent + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace rill::http
