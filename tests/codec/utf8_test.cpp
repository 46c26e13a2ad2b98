// UTF-8 that comes in pieces. RFC 3629 section 4.
#include "codec/utf8.hpp"

#include <doctest/doctest.h>

#include <string>

using rill::codec::utf8_check;
using rill::codec::utf8_sequence_size;

namespace {

enum class verdict { good, cut, bad };

verdict in_pieces(std::string_view text, std::size_t piece) {
    utf8_check check;
    for (std::size_t at = 0; at < text.size(); at += piece) {
        if (!check.add(text.substr(at, piece))) return verdict::bad;
    }
    return check.whole() ? verdict::good : verdict::cut;
}

// By the sizes of sequences one after the other; what may still become one is tried with ends.
bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        std::size_t const size = utf8_sequence_size(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

}  // namespace

TEST_CASE("every sequence of up to three bytes is judged as whole text is") {
    for (unsigned a = 0; a != 256; ++a) {
        for (unsigned b = 0x70; b != 0x100; ++b) {
            for (unsigned c : {0x00U, 0x7fU, 0x80U, 0x8fU, 0x90U, 0x9fU, 0xa0U, 0xbfU, 0xc0U}) {
                std::string const text{static_cast<char>(a), static_cast<char>(b),
                                       static_cast<char>(c)};
                bool const good = in_pieces(text, 1) == verdict::good;
                if (good != is_utf8(text)) FAIL("differs at " << a << ' ' << b << ' ' << c);
            }
        }
    }
}

TEST_CASE("text is good wherever it is cut") {
    std::string text = "plain \u00e9\u20ac\U0001f600 ";
    text += std::string(70, 'a') + "\u00e9" + std::string(31, 'b') + "\U0010ffff";
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        CAPTURE(piece);
        CHECK(in_pieces(text, piece) == verdict::good);
    }
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        utf8_check check;
        CHECK(check.add(std::string_view(text).substr(0, cut)));
        CHECK(check.add(std::string_view(text).substr(cut)));
        CHECK(check.whole());
    }
    CHECK(in_pieces("\xe2\x82", 1) == verdict::cut);
    CHECK(in_pieces("\xf0\x9f\x98", 2) == verdict::cut);
}

TEST_CASE("overlong forms, surrogates and what is too large fail at the byte that shows it") {
    for (std::string_view const text :
         {"\xc0", "\xc1", "\xf5", "\xff", "\x80", "\xe0\x9f", "\xed\xa0", "\xf0\x8f", "\xf4\x90",
          "\xe2\x28", "\xf1\x80\x28", "a\xbf"}) {
        utf8_check check;
        CAPTURE(text.size());
        CHECK(check.add(text.substr(0, text.size() - 1)));
        CHECK_FALSE(check.add(text.substr(text.size() - 1)));
    }
}
