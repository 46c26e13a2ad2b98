// The grammar of IP addresses in URLs.
#include "base/ip_literal.hpp"

#include <algorithm>
#include <cstddef>

#include "base/url_chars.hpp"

namespace rill::detail {

namespace {

bool is_decimal_octet(std::string_view text) noexcept {
    if (text.empty() || text.size() > 3 || !std::ranges::all_of(text, is_digit)) return false;
    if (text.size() > 1 && text[0] == '0') return false;
    return text.size() < 3 || text <= "255";
}

bool is_group(std::string_view text) noexcept {
    return !text.empty() && text.size() <= 4 &&
           std::ranges::all_of(text, [](char c) { return hex_value(c) >= 0; });
}

// How many 16-bit groups `text` holds, separated by single colons; -1 when it is none of that.
int count_groups(std::string_view text, bool may_end_in_ipv4) noexcept {
    int count = 0;
    while (!text.empty()) {
        std::size_t const colon = text.find(':');
        std::string_view const group = text.substr(0, colon);
        bool const is_last = colon == std::string_view::npos;
        if (is_last && may_end_in_ipv4 && is_ipv4(group)) return count + 2;
        if (!is_group(group)) return -1;
        ++count;
        if (is_last) return count;
        text.remove_prefix(colon + 1);
        if (text.empty()) return -1;  // a single colon at the end
    }
    return count;
}

}  // namespace

bool is_ipv4(std::string_view text) noexcept {
    for (int i = 0; i < 3; ++i) {
        std::size_t const dot = text.find('.');
        if (dot == std::string_view::npos || !is_decimal_octet(text.substr(0, dot))) return false;
        text.remove_prefix(dot + 1);
    }
    return is_decimal_octet(text);
}

bool is_ipv6(std::string_view text) noexcept {
    std::size_t const gap = text.find("::");
    if (gap == std::string_view::npos) return count_groups(text, true) == 8;
    int const before = count_groups(text.substr(0, gap), false);
    int const after = count_groups(text.substr(gap + 2), true);
    return before >= 0 && after >= 0 && before + after <= 7;
}

}  // namespace rill::detail
