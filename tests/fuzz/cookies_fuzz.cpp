// Fuzzes cookies: the reader finds names that are tokens inside the field; what may be set comes
// back through a Cookie field as it was; no text verifies that was not signed.
// The first line is a name, the second a value, the rest a Cookie field.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rill/base/assert.hpp"
#include "rill/base/error.hpp"
#include "rill/codec/cookies.hpp"
#include "rill/http/cookie.hpp"

namespace {

std::string_view take_line(std::string_view& text) {
    std::string_view const line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
    return line;
}

void check_field(std::string_view field) {
    std::size_t sum = 0;
    rill::codec::cookie_reader cookies(field);
    while (auto const one = cookies.next()) {
        RILL_ASSERT(rill::http1::is_token(one->name), "a name is a token");
        RILL_ASSERT(one->value.find(';') == std::string_view::npos, "a semicolon separates");
        sum += one->name.size() + one->value.size() + 1;
    }
    RILL_ASSERT(sum <= field.size(), "cookies do not overlap");
}

void check_set(std::string_view name, std::string_view value) {
    std::string text;
    try {
        text = rill::http::text_of({.name = name, .value = value, .path = value, .domain = value});
        RILL_ASSERT(value.empty(), "no text but none is a path and a domain");
    } catch (rill::error const&) {
        // As it should, mostly.
    }
    try {
        text = rill::http::text_of({.name = name, .value = value});
    } catch (rill::error const&) {
        return;
    }
    RILL_ASSERT(rill::http1::is_field_value(text), "it can be sent");
    rill::codec::cookie_reader cookies(std::string_view(text).substr(0, text.find(';')));
    auto const back = cookies.next();
    RILL_ASSERT(back && back->name == name && back->value == value, "it comes back as it was");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view rest(reinterpret_cast<char const*>(data), size);
    std::string_view const name = take_line(rest);
    std::string_view const value = take_line(rest);
    check_field(rest);
    check_field(value);
    check_set(name, value);
    static rill::http::cookie_keys const keys("a key that nobody guesses");
    RILL_ASSERT(!keys.verify(name, value), "nobody makes a signature");
    if (size % 8 == 0) {
        RILL_ASSERT(keys.verify(name, keys.sign(name, value)) == value, "a signature is known");
    }
    return 0;
}
