// Percent-encoding and decoding.
#include "rill/base/percent.hpp"

#include "base/url_chars.hpp"

namespace rill {

namespace {

constexpr char hex_digits[] = "0123456789ABCDEF";

std::string encode(std::string_view text, url_set keep, bool plus_for_space) {
    std::string out;
    out.reserve(text.size() + text.size() / 4);
    for (char const c : text) {
        auto const value = static_cast<unsigned char>(c);
        if (detail::in_set(c, keep)) {
            out += c;
        } else if (plus_for_space && c == ' ') {
            out += '+';
        } else {
            out += '%';
            out += hex_digits[value >> 4];
            out += hex_digits[value & 15];
        }
    }
    return out;
}

// Writes to `out`, which is never ahead of the place that is read, so that both may be the same
// memory. Returns the end of what was written, null when a % is bad.
char* decode(std::string_view text, char* out, bool plus_for_space) noexcept {
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            if (text.size() - i < 3) return nullptr;
            int const high = detail::hex_value(text[i + 1]);
            int const low = detail::hex_value(text[i + 2]);
            if (high < 0 || low < 0) return nullptr;
            c = static_cast<char>(high * 16 + low);
            i += 2;
        } else if (plus_for_space && c == '+') {
            c = ' ';
        }
        *out++ = c;
    }
    return out;
}

result<std::string> decoded(std::string_view text, bool plus_for_space) {
    std::string out(text);
    char const* const end = decode(text, out.data(), plus_for_space);
    if (end == nullptr) return errc::bad_url;
    out.resize(static_cast<std::size_t>(end - out.data()));
    return out;
}

}  // namespace

std::string percent_encode(std::string_view text, url_set keep) {
    return encode(text, keep, false);
}

result<std::string> percent_decode(std::string_view text) {
    return decoded(text, false);
}

result<std::size_t> percent_decode(std::string_view text, mutable_bytes into) {
    if (into.size() < text.size()) return errc::limit_exceeded;
    char* const start = reinterpret_cast<char*>(into.data());
    char const* const end = decode(text, start, false);
    if (end == nullptr) return errc::bad_url;
    return static_cast<std::size_t>(end - start);
}

std::string form_encode(std::string_view text) {
    return encode(text, url_set::unreserved, true);
}

result<std::string> form_decode(std::string_view text) {
    return decoded(text, true);
}

}  // namespace rill
