// Takes Authorization apart. RFC 9110 section 11, RFC 7617 section 2, RFC 4648 section 4.
#include "rill/codec/authorization.hpp"

#include <algorithm>

#include "codec/base64.hpp"

namespace rill::codec {

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
        return base64_value(c) >= 0 || std::string_view("-._~").find(c) != std::string_view::npos;
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
