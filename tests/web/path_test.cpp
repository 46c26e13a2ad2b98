// to_file_path: nothing leaves the root, and every name that can exist is reached in one way.
#include "web/path.hpp"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>

using namespace rill;
using verdict = web::file_path::verdict;

namespace {

struct outcome {
    verdict what;
    std::string name;
    bool wants_directory;
    friend bool operator==(outcome const&, outcome const&) = default;
};

outcome ask(std::string_view encoded, bool show_hidden = false) {
    std::array<char, 4096> into;
    web::file_path const path = web::to_file_path(encoded, into, {.show_hidden = show_hidden});
    if (path.outcome != verdict::good) return {path.outcome, "", false};
    CHECK(path.name.data()[path.name.size()] == '\0');
    return {path.outcome, std::string(path.name), path.wants_directory};
}

outcome file(std::string_view name) {
    return {verdict::good, std::string(name), false};
}
outcome folder(std::string_view name) {
    return {verdict::good, std::string(name), true};
}
outcome const refused{verdict::refused, "", false};
outcome const malformed{verdict::malformed, "", false};

}  // namespace

TEST_CASE("encoded dot segments, slashes and NUL do not leave the root") {
    // RFC 3986 section 5.2.4, CWE-22; case C043. The slash of the root is not part of the text.
    for (char const* encoded : {"..%2f..%2fetc/passwd", "%2e%2e/", "%2e%2e", "..", "../a", "a/..",
                                "a/../b", ".%2e/x", "%2E./x", ".%2f", "%2f", "a%2Fb", "/etc/passwd",
                                "//etc/passwd", "a//b", "a//", "/", "%2e%2f", "a/%2e%2e%2f"}) {
        CAPTURE(encoded);
        CHECK(ask(encoded) == refused);
        CHECK(ask(encoded, true) == refused);
    }
    CHECK(ask("a%00.txt") == malformed);
    CHECK(ask("%") == malformed);
    CHECK(ask("a/%f") == malformed);
    CHECK(ask("%gg/b") == malformed);
}

TEST_CASE("an encoded percent is decoded once, and a backslash is an ordinary character") {
    CHECK(ask("%252e%252e/") == folder("%2e%2e"));
    CHECK(ask("..%5c") == file("..\\"));
    CHECK(ask("a\\..\\b") == file("a\\..\\b"));
}

TEST_CASE("names that only start with dots or hold some are names") {
    // Case C044.
    for (char const* name : {"..file", "...", "a..b", "a.", "....", "..."}) {
        CAPTURE(name);
        CHECK(ask(name) == file(name));
    }
}

TEST_CASE("UTF-8 and percent names are found when they are encoded once") {
    // RFC 3986 section 2.1; case C045.
    CHECK(ask("%E4%B8%AD%20%E6%96%87.txt") == file("\xe4\xb8\xad \xe6\x96\x87.txt"));
    CHECK(ask("50%25.png") == file("50%.png"));
    CHECK(ask("a%252fb") == file("a%2fb"));
    CHECK(ask("+") == file("+"));
    CHECK(ask("a%0Ab") == file("a\nb"));
}

TEST_CASE("all spellings of a name that pass end at one name") {
    // Case C046.
    CHECK(ask("a") == file("a"));
    CHECK(ask("./a") == file("a"));
    CHECK(ask("%2e/%61") == file("a"));
    CHECK(ask("./././a") == file("a"));
    CHECK(ask("a/b") == file("a/b"));
    CHECK(ask("a/./b") == file("a/b"));
    CHECK(ask("x/../a") == refused);
}

TEST_CASE("a slash or a dot at the end asks for a directory") {
    CHECK(ask("") == folder("."));
    CHECK(ask(".") == folder("."));
    CHECK(ask("./") == folder("."));
    CHECK(ask("a/") == folder("a"));
    CHECK(ask("a/.") == folder("a"));
    CHECK(ask("a/b/") == folder("a/b"));
}

TEST_CASE("hidden names are refused unless they are asked for, and .well-known never is") {
    for (char const* name : {".env", "%2eenv", ".git/config", "a/.b", "a/.well-known"}) {
        CAPTURE(name);
        CHECK(ask(name) == refused);
        CHECK(ask(name, true).what == verdict::good);
    }
    CHECK(ask(".well-known/acme-challenge/x") == file(".well-known/acme-challenge/x"));
    CHECK(ask(".well-known/.x") == refused);
}

TEST_CASE("a path that the buffer cannot hold is refused") {
    std::array<char, 8> into;
    CHECK(web::to_file_path("123456", into).outcome == verdict::good);
    CHECK(web::to_file_path("1234567", into).outcome == verdict::refused);
    CHECK(web::to_file_path("", std::span(into).first(1)).outcome == verdict::refused);
}

TEST_CASE("whatever passes is relative, has no dot segments and stays in its buffer") {
    std::mt19937 random(7);
    constexpr std::array<char const*, 12> parts{"/",   ".",   "..",  "a", "%2e", "%2f",
                                                "%2F", "%25", "%00", "b", "\\",  "%"};
    int good = 0;
    for (int round = 0; round < 200'000; ++round) {
        std::string encoded;
        for (std::size_t i = random() % 8; i > 0; --i) encoded += parts[random() % parts.size()];
        std::string buffer(encoded.size() + 2, 'x');
        web::file_path const path =
            web::to_file_path(encoded, buffer, {.show_hidden = random() % 2 == 0});
        if (path.outcome != verdict::good) continue;
        ++good;
        CAPTURE(encoded);
        std::string const framed = "/" + std::string(path.name) + "/";
        CHECK(framed.find("/../") == std::string::npos);
        CHECK(framed.find("//") == std::string::npos);
        CHECK(framed.find('\0') == std::string::npos);
        CHECK((path.name == "." || framed.find("/./") == std::string::npos));
    }
    CHECK(good > 1000);
}
