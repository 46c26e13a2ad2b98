// Directives of Cache-Control. RFC 9111 sections 1.2.2, 4.2.1 and 5.2.
#include "rill/codec/cache_control.hpp"

#include <algorithm>

#include "rill/codec/http_fields.hpp"

namespace rill::codec {

namespace {

// Digits, alone or in quotes; nothing for any other text.
std::optional<std::uint32_t> seconds_of(std::string_view text) noexcept {
    constexpr std::uint64_t most = std::uint64_t{1} << 31;
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        text = text.substr(1, text.size() - 2);
    }
    if (text.empty()) return std::nullopt;
    std::uint64_t count = 0;
    for (char const c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        count = std::min(count * 10 + static_cast<std::uint64_t>(c - '0'), most);
    }
    return static_cast<std::uint32_t>(count);
}

void put(std::optional<std::uint32_t>& to, std::string_view text) noexcept {
    std::uint32_t const read = seconds_of(text).value_or(0);
    to = to && *to != read ? 0 : read;
}

}  // namespace

void cache_control::take(std::string_view value) noexcept {
    http1::list_reader all(value);
    while (auto const each = all.next()) {
        std::size_t const end = std::min(each->find('='), each->size());
        std::string_view const name = http1::trim_space(each->substr(0, end));
        std::string_view const text =
            end == each->size() ? std::string_view() : http1::trim_space(each->substr(end + 1));
        auto const is = [&](std::string_view wanted) {
            return http1::equal_ignoring_case(name, wanted);
        };
        if (is("no-store")) no_store = true;
        if (is("no-cache")) no_cache = true;
        if (is("private")) is_private = true;
        if (is("only-if-cached")) only_if_cached = true;
        if (is("no-transform")) no_transform = true;
        if (is("max-age")) put(max_age, text);
        if (is("s-maxage")) put(shared_max_age, text);
        if (is("min-fresh")) put(min_fresh, text);
    }
}

}  // namespace rill::codec
