// Reads and compares entity tags.
#include "rill/codec/entity_tag.hpp"

#include <algorithm>

namespace rill::codec {

namespace {

// etagc: visible characters but the quote, and obs-text. A backslash is one like any other, so the
// reader of lists with quoted strings would split tags at the wrong commas.
bool is_tag_character(char c) noexcept {
    auto const byte = static_cast<unsigned char>(c);
    return byte == 0x21 || (byte >= 0x23 && byte != 0x7f);
}

// Takes the tag that `text` starts with off it.
std::optional<entity_tag> take_tag(std::string_view& text) noexcept {
    entity_tag tag{.weak = text.starts_with("W/")};
    std::string_view rest = text.substr(tag.weak ? 2 : 0);
    if (!rest.starts_with('"')) return std::nullopt;
    rest.remove_prefix(1);
    std::size_t const end = rest.find('"');
    if (end == rest.npos) return std::nullopt;
    tag.opaque = rest.substr(0, end);
    if (!std::ranges::all_of(tag.opaque, is_tag_character)) return std::nullopt;
    text = rest.substr(end + 1);
    return tag;
}

}  // namespace

std::optional<entity_tag> parse_entity_tag(std::string_view text) noexcept {
    auto const tag = take_tag(text);
    if (!text.empty()) return std::nullopt;
    return tag;
}

bool same_tag(entity_tag const& left, entity_tag const& right, tag_comparison how) noexcept {
    if (how == tag_comparison::strong && (left.weak || right.weak)) return false;
    return left.opaque == right.opaque;
}

bool list_has_tag(std::string_view list, entity_tag const& tag, tag_comparison how) noexcept {
    for (;;) {
        // Empty elements count for nothing: RFC 9110 section 5.6.1.2.
        std::size_t const begin = list.find_first_not_of(" \t,");
        if (begin == list.npos) return false;
        list.remove_prefix(begin);
        auto const one = take_tag(list);
        if (!one) return false;
        std::size_t const next = list.find_first_not_of(" \t");
        if (next != list.npos && list[next] != ',') return false;
        if (same_tag(*one, tag, how)) return true;
    }
}

}  // namespace rill::codec
