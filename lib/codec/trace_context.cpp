// Takes a traceparent apart. W3C Trace Context, sections 3.2.2 and 4.3.
#include "rill/codec/trace_context.hpp"

#include <algorithm>

namespace rill::codec {

namespace {

constexpr std::size_t whole_size = 55;  // "00-" 32 "-" 16 "-" 2

// Upper case is malformed.
int digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}
bool is_hex(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), [](char c) { return digit(c) >= 0; });
}
bool is_id(std::string_view text) noexcept {
    return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::optional<trace_parent> parse_trace_parent(std::string_view text) noexcept {
    if (text.size() < whole_size) return std::nullopt;
    if (text[2] != '-' || text[35] != '-' || text[52] != '-') return std::nullopt;
    std::string_view const version = text.substr(0, 2);
    if (!is_hex(version) || version == "ff") return std::nullopt;
    // A later version may say more, behind a dash.
    if (text.size() > whole_size && (version == "00" || text[whole_size] != '-')) {
        return std::nullopt;
    }
    trace_parent read{.trace_id = text.substr(3, 32), .parent_id = text.substr(36, 16)};
    std::string_view const flags = text.substr(53, 2);
    if (!is_id(read.trace_id) || !is_id(read.parent_id) || !is_hex(flags)) return std::nullopt;
    read.flags = static_cast<std::uint8_t>(digit(flags[0]) * 16 + digit(flags[1]));
    return read;
}

}  // namespace rill::codec
