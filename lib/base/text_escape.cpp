// Text from a peer, made harmless for a log and a terminal.
#include "base/text_escape.hpp"

#include <fmt/format.h>

#include <iterator>

namespace rill::detail {

namespace {

struct character {
    std::size_t size;  // in bytes; 0 when the text does not start with well-formed UTF-8
    char32_t code;
};

// The first character of `text`, which is not empty. Unicode 15, table 3-7.
character first_character(std::string_view text) noexcept {
    auto const byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    unsigned char const lead = byte(0);
    if (lead < 0x80) return {1, lead};
    std::size_t const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {0, 0};
    char32_t code = lead & (0x7fU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {0, 0};
        code = code << 6 | (byte(i) & 0x3fU);
    }
    bool const is_overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    bool const is_surrogate = code >= 0xd800 && code <= 0xdfff;
    if (is_overlong || is_surrogate || code > 0x10ffff) return {0, 0};
    return {size, code};
}

bool is_harmless(char32_t code) noexcept {
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
    if (code == '"' || code == '\\') return false;
    bool const separates = code == 0x2028 || code == 0x2029;
    bool const turns = code == 0x061c || code == 0x200e || code == 0x200f ||
                       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return !separates && !turns && code != 0xfeff;
}

void append_escape(std::string& out, unsigned char byte) {
    switch (byte) {
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        default:
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
            break;
    }
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
    while (!text.empty()) {
        character const c = first_character(text);
        std::size_t const size = c.size == 0 ? 1 : c.size;
        if (c.size != 0 && is_harmless(c.code)) {
            out += text.substr(0, size);
        } else {
            for (char const byte : text.substr(0, size)) {
                append_escape(out, static_cast<unsigned char>(byte));
            }
        }
        text.remove_prefix(size);
    }
}

}  // namespace rill::detail
