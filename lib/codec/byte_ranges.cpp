// Reads Range, writes Content-Range.
#include "rill/codec/byte_ranges.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "codec/chars.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::codec {

namespace {

constexpr std::uint64_t beyond = std::numeric_limits<std::uint64_t>::max();

// A number of digits only; one that is too large for 64 bits lies behind every end.
std::optional<std::uint64_t> read_position(std::string_view digits) noexcept {
    if (digits.empty()) return std::nullopt;
    std::uint64_t value = 0;
    for (char const c : digits) {
        if (!http1::detail::is_digit(c)) return std::nullopt;
        auto const digit = static_cast<std::uint64_t>(c - '0');
        value = value > (beyond - digit) / 10 ? beyond : value * 10 + digit;
    }
    return value;
}

// What one range-spec says. Nothing when it is malformed; a size of 0 when it is unsatisfiable.
std::optional<byte_range> read_range(std::string_view spec, std::uint64_t size) noexcept {
    std::size_t const dash = spec.find('-');
    if (dash == spec.npos) return std::nullopt;
    std::string_view const left = spec.substr(0, dash);
    std::string_view const right = spec.substr(dash + 1);
    if (left.empty()) {
        auto const suffix = read_position(right);
        if (!suffix) return std::nullopt;
        std::uint64_t const count = std::min(*suffix, size);
        return byte_range{.first = size - count, .size = count};
    }
    auto const first = read_position(left);
    auto const last = right.empty() ? beyond : read_position(right);
    if (!first || !last || *last < *first) return std::nullopt;
    if (*first >= size) return byte_range{};
    return byte_range{.first = *first, .size = std::min(*last, size - 1) - *first + 1};
}

bool overlap(byte_range const& a, byte_range const& b) noexcept {
    return a.first < b.first + b.size && b.first < a.first + a.size;
}

char* append(char* at, std::string_view text) noexcept {
    return std::copy(text.begin(), text.end(), at);
}

}  // namespace

byte_ranges byte_ranges::parse(std::string_view field, std::uint64_t size) noexcept {
    constexpr std::string_view unit = "bytes=";
    byte_ranges found;
    if (!http1::equal_ignoring_case(field.substr(0, unit.size()), unit)) return found;
    http1::list_reader specs(field.substr(unit.size()));
    std::size_t seen = 0;
    bool is_empty_suffix = false;
    while (auto const spec = specs.next()) {
        auto const range = read_range(*spec, size);
        if (!range || ++seen > most_byte_ranges) return {};
        if (range->size == 0) {
            // "-5" of nothing is satisfiable, "-0" of anything is not.
            is_empty_suffix = is_empty_suffix || (size == 0 && spec->front() == '-' &&
                                                  spec->find_first_not_of('0', 1) != spec->npos);
            continue;
        }
        for (std::size_t i = 0; i < found.count_; ++i) {
            if (overlap(found.parts_[i], *range)) return {};
        }
        found.parts_[found.count_++] = *range;
    }
    if (seen == 0 || is_empty_suffix) return {};
    found.outcome_ = found.count_ == 0 ? answer::unsatisfiable : answer::partial;
    return found;
}

std::string_view format_content_range(byte_range part, std::uint64_t size,
                                      std::span<char, content_range_bound> into) noexcept {
    char* const end = into.data() + into.size();
    char* at = append(into.data(), "bytes ");
    at = std::to_chars(at, end, part.first).ptr;
    *at++ = '-';
    at = std::to_chars(at, end, part.first + part.size - 1).ptr;
    *at++ = '/';
    at = std::to_chars(at, end, size).ptr;
    return {into.data(), static_cast<std::size_t>(at - into.data())};
}

std::string_view format_unsatisfied_range(std::uint64_t size,
                                          std::span<char, content_range_bound> into) noexcept {
    char* at = append(into.data(), "bytes */");
    at = std::to_chars(at, into.data() + into.size(), size).ptr;
    return {into.data(), static_cast<std::size_t>(at - into.data())};
}

}  // namespace rill::codec
