// One percent-encoded octet.
// RFC 3986 section 2.1.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/url_chars.hpp"

namespace rill::http {

// The byte that `text` encodes at a '%', or -1 when two hexadecimal digits do not follow.
constexpr int encoded_byte(std::string_view text, std::size_t percent) noexcept {
    if (percent + 2 >= text.size()) return -1;
    int const high = rill::detail::hex_value(text[percent + 1]);
    int const low = rill::detail::hex_value(text[percent + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace rill::http
