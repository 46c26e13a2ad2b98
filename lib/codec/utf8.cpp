// The check of UTF-8 that comes in pieces. RFC 3629 section 4.
#include "codec/utf8.hpp"

#include <cstring>

namespace rill::codec {

namespace {

// Where the first byte at or behind `at` lies that is not ASCII. Most text is ASCII, and is gone
// through in blocks.
unsigned char const* skip_ascii(unsigned char const* at, unsigned char const* end) noexcept {
    constexpr std::uint64_t high_bits = 0x8080808080808080;
    while (end - at >= 32) {
        std::uint64_t words[4];
        std::memcpy(words, at, sizeof words);
        if (((words[0] | words[1] | words[2] | words[3]) & high_bits) != 0) break;
        at += sizeof words;
    }
    while (at != end && *at < 0x80) ++at;
    return at;
}

}  // namespace

bool utf8_check::add(bytes piece) noexcept {
    auto const* at = reinterpret_cast<unsigned char const*>(piece.data());
    auto const* const end = at + piece.size();
    while (at != end) {
        if (left_ == 0) {
            at = skip_ascii(at, end);
            if (at == end) return true;
            utf8_lead const lead = utf8_lead_of(*at++);
            if (lead.size == 0) return false;
            left_ = static_cast<std::uint8_t>(lead.size - 1);
            low_ = lead.low;
            high_ = lead.high;
            continue;
        }
        if (*at < low_ || *at > high_) return false;
        ++at;
        --left_;
        low_ = 0x80;
        high_ = 0xbf;
    }
    return true;
}

}  // namespace rill::codec
