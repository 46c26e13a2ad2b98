// Names, values, lists and quoted strings of HTTP fields (RFC 9110 section 5).
#include "rill/codec/http_fields.hpp"

#include <algorithm>
#include <array>

#include "codec/chars.hpp"
#include "codec/known_fields.hpp"

namespace rill::http1 {

namespace {

constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

constexpr bool is_space(char c) noexcept {
    return c == ' ' || c == '\t';
}

/// In lower case and sorted. Framing, routing, modifiers, authentication, content, and what would
/// be read by a recipient that merges trailers into the head.
constexpr std::array<std::string_view, 35> forbidden_trailers = {
    "age",
    "authorization",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-range",
    "content-type",
    "cookie",
    "date",
    "expect",
    "expires",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "location",
    "max-forwards",
    "pragma",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "retry-after",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "vary",
    "warning",
    "www-authenticate",
};
static_assert(std::ranges::is_sorted(forbidden_trailers));

/// Whether `text` is `[` address `]`. The address is checked for its characters only.
bool is_bracketed(std::string_view text) noexcept {
    if (text.size() < 4 || text.front() != '[' || text.back() != ']') return false;
    text = text.substr(1, text.size() - 2);
    if (lower(text.front()) == 'v') {  // IPvFuture, RFC 3986 section 3.2.2
        std::size_t const dot = text.find('.');
        if (dot == text.npos || dot < 2 || dot + 1 == text.size()) return false;
        auto const is_hex = [](char c) { return detail::hex_value(c) >= 0; };
        if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(dot), is_hex))
            return false;
        return std::all_of(
            text.begin() + static_cast<std::ptrdiff_t>(dot) + 1, text.end(),
            [](char c) { return c == ':' || detail::is_class(c, detail::host_char); });
    }
    if (text.find(':') == text.npos) return false;
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c == ':' || c == '.' || detail::hex_value(c) >= 0; });
}

bool is_port(std::string_view text) noexcept {
    unsigned value = 0;
    if (text.size() > 5) return false;
    for (char const c : text) {
        if (!detail::is_digit(c)) return false;
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value <= 65535;
}

}  // namespace

known_field find_known_field(std::string_view name) noexcept {
    if (name.size() < 4) return known_field::none;
    detail::known_name const& known =
        detail::known_slots[detail::known_slot(name.data() + name.size(), name.size())];
    return equal_ignoring_case(name, name_of(known.which)) ? known.which : known_field::none;
}

std::string_view name_of(known_field which) noexcept {
    auto const index = static_cast<std::size_t>(which);
    return index < known_field_count ? detail::known_names[index] : std::string_view{};
}

bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
}

bool is_token(std::string_view text) noexcept {
    char const* const end = text.data() + text.size();
    return !text.empty() && detail::scan_class<detail::token_char>(text.data(), end) == end;
}

bool is_field_value(std::string_view text) noexcept {
    char const* const end = text.data() + text.size();
    if (text.size() < 16) return detail::scan_class<detail::value_char>(text.data(), end) == end;
    return detail::find_value_end(text.data(), end) == end;
}

bool is_host(std::string_view text) noexcept {
    char const* p = text.data();
    char const* const end = p + text.size();
    if (p != end && *p == '[') {
        std::size_t const close = text.find(']');
        if (close == text.npos || !is_bracketed(text.substr(0, close + 1))) return false;
        p += close + 1;
    } else {
        while ((p = detail::scan_class<detail::host_char>(p, end)) != end && *p == '%') {
            if (end - p < 3 || detail::hex_value(p[1]) < 0 || detail::hex_value(p[2]) < 0)
                return false;
            p += 3;
        }
    }
    if (p == end) return true;
    return *p == ':' && p != text.data() && is_port({p + 1, static_cast<std::size_t>(end - p - 1)});
}

std::string_view trim_space(std::string_view text) noexcept {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

std::optional<std::uint64_t> parse_length(std::string_view text) noexcept {
    constexpr std::uint64_t most = INT64_MAX;
    if (text.empty()) return std::nullopt;
    std::uint64_t value = 0;
    for (char const c : text) {
        if (!detail::is_digit(c)) return std::nullopt;
        auto const digit = static_cast<std::uint64_t>(c - '0');
        if (value > (most - digit) / 10) return std::nullopt;
        value = value * 10 + digit;
    }
    return value;
}

std::optional<std::string_view> list_reader::next() noexcept {
    while (!rest_.empty()) {
        std::size_t at = 0;
        bool quoted = false;
        for (; at < rest_.size() && (quoted || rest_[at] != ','); ++at) {
            if (rest_[at] == '"') quoted = !quoted;
            if (quoted && rest_[at] == '\\' && at + 1 < rest_.size()) ++at;
        }
        std::string_view const element = trim_space(rest_.substr(0, at));
        rest_.remove_prefix(at < rest_.size() ? at + 1 : at);
        if (!element.empty()) return element;
    }
    return std::nullopt;
}

bool list_contains(std::string_view list, std::string_view token) noexcept {
    list_reader elements(list);
    while (auto const element = elements.next()) {
        if (equal_ignoring_case(*element, token)) return true;
    }
    return false;
}

std::optional<field> parameter_reader::next() noexcept {
    std::optional<field> found;
    while (!failed_ && !found && !rest_.empty()) {
        while (!rest_.empty() && (is_space(rest_.front()) || rest_.front() == ';')) {
            rest_.remove_prefix(1);
        }
        if (rest_.empty()) break;
        char const* const begin = rest_.data();
        char const* const end = begin + rest_.size();
        char const* const equals = detail::scan_class<detail::token_char>(begin, end);
        char const* at = equals == end ? end : equals + 1;
        failed_ = equals == begin || equals == end || *equals != '=';
        if (failed_) break;
        if (at != end && *at == '"') {
            for (++at; at != end && *at != '"'; ++at) {
                if (*at == '\\' && end - at > 1) ++at;
            }
            failed_ = at == end;
            if (failed_) break;
            ++at;
        } else {
            at = detail::scan_class<detail::token_char>(at, end);
            failed_ = at == equals + 1;
        }
        auto const size = [](char const* from, char const* to) {
            return static_cast<std::size_t>(to - from);
        };
        found = field{{begin, size(begin, equals)}, {equals + 1, size(equals + 1, at)}};
        rest_.remove_prefix(size(begin, at));
        while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
        if (!rest_.empty() && rest_.front() != ';') failed_ = true;
    }
    return failed_ ? std::nullopt : found;
}

std::string_view media_type_of(std::string_view content_type) noexcept {
    std::string_view const type = trim_space(content_type.substr(0, content_type.find(';')));
    std::size_t const slash = type.find('/');
    if (slash == type.npos || !is_token(type.substr(0, slash)) || !is_token(type.substr(slash + 1)))
        return {};
    return type;
}

std::optional<std::string> unquote(std::string_view quoted) {
    if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"') return std::nullopt;
    quoted = quoted.substr(1, quoted.size() - 2);
    std::string plain;
    plain.reserve(quoted.size());
    for (std::size_t at = 0; at < quoted.size(); ++at) {
        if (quoted[at] == '\\') {
            if (++at == quoted.size() || !detail::is_class(quoted[at], detail::value_char))
                return std::nullopt;
        } else if (!detail::is_class(quoted[at], detail::quoted_char)) {
            return std::nullopt;
        }
        plain += quoted[at];
    }
    return plain;
}

bool is_forbidden_trailer(std::string_view name) noexcept {
    return std::ranges::any_of(forbidden_trailers, [name](std::string_view forbidden) {
        return equal_ignoring_case(name, forbidden);
    });
}

}  // namespace rill::http1
