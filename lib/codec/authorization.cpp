// Takes Authorization apart. RFC 9110 section 11, RFC 7617 section 2, RFC 4648 section 4.
#include "rill/codec/authorization.hpp"

#include <algorithm>
#include <cstdint>

namespace rill::codec {

namespace {

int value_of(char c) noexcept {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
}

// Padding is wanted where it belongs, and bits that mean nothing are zero: one spelling for each
// text.
std::optional<std::string> decode_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t const padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    text.remove_suffix(padding);
    std::string decoded;
    decoded.reserve(text.size() * 3 / 4);
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (char const c : text) {
        int const value = value_of(c);
        if (value < 0) return std::nullopt;
        held = held << 6 | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        decoded += static_cast<char>(held >> bits & 0xff);
    }
    if ((held & ((1U << bits) - 1)) != 0) return std::nullopt;
    return decoded;
}

}  // namespace

std::optional<credentials> parse_credentials(std::string_view text) noexcept {
    text = http1::trim_space(text);
    std::size_t const end = std::min(text.find(' '), text.size());
    credentials const read{.scheme = text.substr(0, end),
                           .rest = http1::trim_space(text.substr(end))};
    if (!http1::is_token(read.scheme)) return std::nullopt;
    return read;
}

bool is_token68(std::string_view text) noexcept {
    std::size_t const end = std::min(text.find('='), text.size());
    if (end == 0) return false;
    auto const in_token = [](char c) {
        return value_of(c) >= 0 || std::string_view("-._~").find(c) != std::string_view::npos;
    };
    return text.find_first_not_of('=', end) == std::string_view::npos &&
           std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), in_token);
}

std::optional<user_and_password> parse_basic(std::string_view token) {
    auto const decoded = decode_base64(token);
    if (!decoded) return std::nullopt;
    std::size_t const colon = decoded->find(':');
    if (colon == std::string::npos) return std::nullopt;
    bool const controls = std::any_of(decoded->begin(), decoded->end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (controls) return std::nullopt;
    return user_and_password{decoded->substr(0, colon), decoded->substr(colon + 1)};
}

std::optional<auth_parameter> auth_parameter_reader::next() noexcept {
    if (failed_) return std::nullopt;
    auto const element = list_.next();
    if (!element) return std::nullopt;
    std::size_t const equals = element->find('=');
    failed_ = true;
    if (equals == std::string_view::npos) return std::nullopt;
    auth_parameter const read{.name = http1::trim_space(element->substr(0, equals)),
                              .value = http1::trim_space(element->substr(equals + 1))};
    if (!http1::is_token(read.name)) return std::nullopt;
    if (read.value.starts_with('"')) {
        // Closed by a quote that no backslash stands before, and by nothing earlier.
        std::size_t at = 1;
        while (at < read.value.size() && read.value[at] != '"') {
            at += read.value[at] == '\\' ? std::size_t{2} : std::size_t{1};
        }
        if (at + 1 != read.value.size()) return std::nullopt;
    } else if (!http1::is_token(read.value)) {
        return std::nullopt;
    }
    failed_ = false;
    return read;
}

}  // namespace rill::codec
