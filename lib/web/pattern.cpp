// Takes the pattern of a route apart and says what is wrong with it.
#include "web/pattern.hpp"

#include <algorithm>

#include "http/text.hpp"
#include "rill/http/request.hpp"

namespace rill::web {

namespace {

bool is_name(std::string_view text) noexcept {
    auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return !text.empty() && letter(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

// Appends the text of one segment in canonical spelling.
char const* add_text(std::string_view segment, std::string& shape) {
    for (std::size_t i = 0; i < segment.size(); ++i) {
        char const c = segment[i];
        auto const byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) return "a pattern holds no control characters";
        if (c == '{' || c == '}') return "a parameter is a whole segment: /{name}/ or /{name...}";
        if (c == '?' || c == '#') return "a pattern is a path, without a query";
        if (c == '%' && http::encoded_byte(segment, i) >= 0) {
            return "write the pattern in plain text: a space, not %20";
        }
        shape += c;
        if (c == '%') shape += "25";
    }
    return nullptr;
}

char const* add_parameter(std::string_view segment, bool is_last, pattern& into) {
    std::string_view name = segment.substr(1, segment.size() - 2);
    bool const is_wildcard = name.ends_with("...");
    if (is_wildcard) name.remove_suffix(3);
    if (is_wildcard && !is_last) return "{name...} takes all that is left: put it last";
    if (!is_name(name)) return "a parameter's name is made of letters, digits and _";
    if (std::find(into.names.begin(), into.names.end(), name) != into.names.end()) {
        return "two parameters have the same name";
    }
    if (into.names.size() == http::detail::path_parameters::max_count) {
        return "a pattern has at most 16 parameters";
    }
    into.names.emplace_back(name);
    into.shape += is_wildcard ? wildcard_mark : parameter_mark;
    return nullptr;
}

}  // namespace

char const* parse_pattern(std::string_view text, pattern& into) {
    if (!text.starts_with('/')) return "a pattern starts with a slash";
    if (text.size() > longest_pattern) return "a pattern has at most 1024 bytes";
    for (std::size_t at = 1; at <= text.size();) {
        std::size_t const end = std::min(text.find('/', at), text.size());
        std::string_view const segment = text.substr(at, end - at);
        bool const is_parameter = segment.starts_with('{') && segment.ends_with('}');
        into.shape += '/';
        char const* const wrong = is_parameter ? add_parameter(segment, end == text.size(), into)
                                               : add_text(segment, into.shape);
        if (wrong != nullptr) return wrong;
        at = end + 1;
    }
    return nullptr;
}

}  // namespace rill::web
