// UTF-8: the size of one sequence, and a check of text that comes in pieces, cut anywhere.
// RFC 3629 section 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rill/base/bytes.hpp"

namespace rill::codec {

/// What the first byte of a sequence says of the others. The second lies between `low` and `high`,
/// which leaves out overlong forms, surrogates and what is above U+10FFFF; further ones lie between
/// 0x80 and 0xbf.
struct utf8_lead {
    std::uint8_t size;  ///< Bytes of the sequence, 1 to 4; 0 where none begins so.
    std::uint8_t low;
    std::uint8_t high;
};

constexpr utf8_lead utf8_lead_of(unsigned char first) noexcept {
    if (first < 0x80) return {1, 0, 0};
    if (first < 0xc2 || first > 0xf4) return {0, 0, 0};
    if (first < 0xe0) return {2, 0x80, 0xbf};
    if (first == 0xe0) return {3, 0xa0, 0xbf};
    if (first == 0xed) return {3, 0x80, 0x9f};
    if (first < 0xf0) return {3, 0x80, 0xbf};
    if (first == 0xf0) return {4, 0x90, 0xbf};
    if (first == 0xf4) return {4, 0x80, 0x8f};
    return {4, 0x80, 0xbf};
}

/// How many bytes the first character of `text` has: 1..4, or 0 when it is not UTF-8. `text` must
/// not be empty.
constexpr std::size_t utf8_sequence_size(std::string_view text) noexcept {
    auto const at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    utf8_lead const lead = utf8_lead_of(at(0));
    if (text.size() < lead.size) return 0;
    for (std::size_t i = 1; i < lead.size; ++i) {
        unsigned const low = i == 1 ? lead.low : 0x80U;
        unsigned const high = i == 1 ? lead.high : 0xbfU;
        if (at(i) < low || at(i) > high) return 0;
    }
    return lead.size;
}

/// Checks a text piece by piece, and refuses it at the first byte that no text has there.
///
/// Invariant: `left_` bytes of a sequence are still to come, of which the next lies between `low_`
/// and `high_`.
class utf8_check {
public:
    /// False once a byte cannot be part of UTF-8; then call it no more.
    [[nodiscard]] bool add(bytes piece) noexcept;
    /// True when what was added ends with a whole sequence.
    [[nodiscard]] bool whole() const noexcept { return left_ == 0; }

private:
    std::uint8_t left_ = 0;
    std::uint8_t low_ = 0;
    std::uint8_t high_ = 0;
};

}  // namespace rill::codec
