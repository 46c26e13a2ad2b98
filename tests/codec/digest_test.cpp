// HMAC-SHA256 against the vectors of RFC 4231, and its text.
#include "codec/digest.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <array>
#include <string>

using namespace rill::codec;

namespace {

std::string hex(hmac_sha256::code const& code) {
    std::string text;
    for (std::byte const each : code)
        text += fmt::format("{:02x}", std::to_integer<unsigned>(each));
    return text;
}

std::string code_of(std::string_view key, std::initializer_list<std::string_view> pieces) {
    return hex(hmac_sha256(key).of({pieces.begin(), pieces.size()}));
}

}  // namespace

TEST_CASE("codes are those of RFC 4231, in one piece and in several") {
    CHECK(code_of(std::string(20, '\x0b'), {"Hi There"}) ==
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    char const* const second = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    CHECK(code_of("Jefe", {"what do ya want for nothing?"}) == second);
    CHECK(code_of("Jefe", {"what do ya ", "", "want for nothing", "?"}) == second);
    // A key that is longer than a block.
    CHECK(code_of(std::string(131, '\xaa'),
                  {"Test Using Larger Than Block-Size Key - Hash Key First"}) ==
          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("one key makes many codes, and the same text the same") {
    hmac_sha256 key("Jefe");
    std::array<std::string_view, 1> const a{"a"};
    std::array<std::string_view, 1> const b{"b"};
    auto const first = key.of(a);
    CHECK(key.of(b) != first);
    CHECK(key.of(a) == first);
    hmac_sha256 const moved = std::move(key);
    CHECK(moved.of(a) == first);
}

TEST_CASE("a code's text is base64url without padding") {
    hmac_sha256::code code{};
    auto const text = [&code] {
        auto const made = text_of(code);
        return std::string(made.data(), made.size());
    };
    CHECK(text() == std::string(43, 'A'));
    code.fill(std::byte{0xff});
    CHECK(text() == std::string(42, '_') + '8');
    for (std::size_t i = 0; i < code.size(); ++i) code[i] = std::byte(i * 7);
    CHECK(text() == "AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK-2vcTL0tk");
}

TEST_CASE("texts are equal by size and by each byte") {
    CHECK(equal_in_constant_time("", ""));
    CHECK(equal_in_constant_time("abc", "abc"));
    CHECK_FALSE(equal_in_constant_time("abc", "abd"));
    CHECK_FALSE(equal_in_constant_time("abc", "ab"));
}
