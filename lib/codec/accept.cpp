// Reads weighted lists.
#include "rill/codec/accept.hpp"

#include <algorithm>
#include <optional>

#include "codec/chars.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::codec {

namespace {

// qvalue in thousandths; nothing when it is none.
std::optional<int> read_weight(std::string_view text) noexcept {
    if (text.empty() || (text[0] != '0' && text[0] != '1')) return std::nullopt;
    int value = (text[0] - '0') * 1000;
    text.remove_prefix(1);
    if (text.empty()) return value;
    if (text[0] != '.' || text.size() > 4) return std::nullopt;
    int unit = 100;
    for (char const c : text.substr(1)) {
        if (!http1::detail::is_digit(c)) return std::nullopt;
        value += (c - '0') * unit;
        unit /= 10;
    }
    return std::min(value, 1000);
}

struct weighted {
    std::string_view name;
    int weight = 1000;
};

// An element of a list with its weight. One that is malformed counts as not wanted.
weighted split(std::string_view element) noexcept {
    std::size_t semicolon = std::min(element.find(';'), element.size());
    weighted found{.name = http1::trim_space(element.substr(0, semicolon))};
    while (semicolon != element.size()) {
        element.remove_prefix(semicolon + 1);
        semicolon = std::min(element.find(';'), element.size());
        std::string_view const parameter = http1::trim_space(element.substr(0, semicolon));
        if (!http1::equal_ignoring_case(parameter.substr(0, 2), "q=")) continue;
        found.weight = read_weight(parameter.substr(2)).value_or(0);
        break;
    }
    return found;
}

// 0 when `range` does not fit; else the greater the more specific.
int fit(std::string_view range, std::string_view type) noexcept {
    if (http1::equal_ignoring_case(range, type)) return 3;
    if (range == "*/*") return 1;
    if (!range.ends_with("/*")) return 0;
    std::string_view const major = range.substr(0, range.size() - 1);
    return http1::equal_ignoring_case(major, type.substr(0, major.size())) ? 2 : 0;
}

// True when `tag` is `range`, or begins with it and goes on with another subtag.
bool begins_with(std::string_view tag, std::string_view range) noexcept {
    return tag.size() >= range.size() &&
           http1::equal_ignoring_case(tag.substr(0, range.size()), range) &&
           (tag.size() == range.size() || tag[range.size()] == '-');
}

// 0 when `range` does not fit; else the greater the more specific.
std::size_t fit_language(std::string_view range, std::string_view tag) noexcept {
    if (range == "*") return 1;
    if (range.empty()) return 0;
    if (begins_with(tag, range)) return 2 + range.size();
    return begins_with(range, tag) ? 2 : 0;
}

// The weight of the element that fits best, of equals the first; 1000 when there is none at all.
template <class Fit>
int weight_by(std::string_view list, std::string_view wanted, Fit fit_of) noexcept {
    decltype(fit_of(wanted, wanted)) best = 0;
    int weight = 0;
    bool is_empty = true;
    http1::list_reader elements(list);
    while (auto const element = elements.next()) {
        is_empty = false;
        weighted const one = split(*element);
        auto const how = fit_of(one.name, wanted);
        if (how > best) {
            best = how;
            weight = one.weight;
        }
    }
    return is_empty ? 1000 : weight;
}

}  // namespace

int coding_weight(std::string_view accept_encoding, std::string_view coding) noexcept {
    int weight = http1::equal_ignoring_case(coding, "identity") ? 1 : 0;
    http1::list_reader elements(accept_encoding);
    while (auto const element = elements.next()) {
        weighted const one = split(*element);
        if (http1::equal_ignoring_case(one.name, coding)) return one.weight;
        if (one.name == "*") weight = one.weight;
    }
    return weight;
}

int type_weight(std::string_view accept, std::string_view type) noexcept {
    return weight_by(accept, type, fit);
}

int language_weight(std::string_view accept_language, std::string_view tag) noexcept {
    return weight_by(accept_language, tag, fit_language);
}

}  // namespace rill::codec
