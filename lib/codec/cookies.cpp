// Reads Cookie fields.
#include "rill/codec/cookies.hpp"

#include <algorithm>

namespace rill::codec {

namespace {

// cookie-octet: visible ASCII without DQUOTE, comma, semicolon and backslash.
bool is_cookie_octet(char c) noexcept {
    return c > ' ' && c < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\';
}

bool is_label_char(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

}  // namespace

std::optional<http1::field> cookie_reader::next() noexcept {
    while (!rest_.empty()) {
        std::size_t const end = std::min(rest_.find(';'), rest_.size());
        std::string_view const pair = rest_.substr(0, end);
        rest_.remove_prefix(end == rest_.size() ? end : end + 1);
        std::size_t const equals = pair.find('=');
        if (equals == pair.npos) continue;
        std::string_view const name = http1::trim_space(pair.substr(0, equals));
        if (!http1::is_token(name)) continue;
        std::string_view value = http1::trim_space(pair.substr(equals + 1));
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
            value = value.substr(1, value.size() - 2);
        }
        return http1::field{name, value};
    }
    return std::nullopt;
}

bool is_cookie_value(std::string_view text) noexcept {
    return std::ranges::all_of(text, is_cookie_octet);
}

bool is_cookie_path(std::string_view text) noexcept {
    return text.starts_with('/') &&
           std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f && c != ';'; });
}

bool is_cookie_domain(std::string_view text) noexcept {
    char before = '.';
    for (char const c : text) {
        if (c == '.' ? before == '.' : !is_label_char(c)) return false;
        before = c;
    }
    return before != '.';
}

}  // namespace rill::codec
