// The size of one UTF-8 sequence, for text that comes from outside and must go out as UTF-8.
// RFC 3629 section 4.
#pragma once

#include <cstddef>
#include <string_view>

namespace rill::http {

// How many bytes the first character of `text` has: 1..4, or 0 when it is not UTF-8. `text` must
// not be empty.
constexpr std::size_t utf8_sequence_size(std::string_view text) noexcept {
    auto const at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    unsigned const first = at(0);
    if (first < 0x80) return 1;
    std::size_t const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i) {
        if ((at(i) & 0xc0U) != 0x80) return 0;
    }
    // No overlong forms, no surrogates, nothing above U+10FFFF.
    if (first == 0xe0 && at(1) < 0xa0) return 0;
    if (first == 0xed && at(1) > 0x9f) return 0;
    if (first == 0xf0 && at(1) < 0x90) return 0;
    if (first == 0xf4 && at(1) > 0x8f) return 0;
    return size;
}

}  // namespace rill::http
