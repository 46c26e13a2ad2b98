// What comes out of a compressor is read back by the library that wrote the format.
// RFC 9110 section 8.4.1, RFC 7932, RFC 8878.
#include "codec/compressor.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "support/inflate.hpp"

using namespace rill;
using codec::compressor;
using codec::content_coding;
using step = compressor::step;

namespace {

std::vector<content_coding> built_in() {
    std::vector<content_coding> all;
    for (auto const each : {content_coding::gzip, content_coding::br, content_coding::zstd}) {
        if (codec::is_built_in(each)) all.push_back(each);
    }
    return all;
}

int highest_of(content_coding coding) {
    return coding == content_coding::gzip ? 9 : coding == content_coding::br ? 11 : 19;
}

// Half words, half noise.
std::string text_of(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::string text;
    while (text.size() < size) {
        text += random() % 2 == 0 ? "compress " : std::string(1, static_cast<char>(random()));
    }
    text.resize(size);
    return text;
}

}  // namespace

TEST_CASE("every level gives back what went in, whatever its size") {
    for (content_coding const each : built_in()) {
        for (std::size_t const size : {0U, 1U, 511U, 512U, 1024U, 4096U, 100'000U, 1'000'000U}) {
            std::string const text = text_of(size, 1);
            for (int level = 1; level <= highest_of(each); level += size > 100'000 ? 6 : 1) {
                CAPTURE(codec::name_of(each));
                CAPTURE(size);
                CAPTURE(level);
                std::string small;
                compressor::make(each, level, size)->add(bytes(text), step::end, small);
                bool const same = test::inflated(codec::name_of(each), small) == text;
                CHECK(same);
                if (size >= 4096) CHECK(small.size() < size);
            }
        }
    }
}

TEST_CASE("what was flushed can be read before the end comes") {
    for (content_coding const each : built_in()) {
        CAPTURE(codec::name_of(each));
        std::string const text = text_of(50'000, 2);
        auto const by = compressor::make(each, 3, std::nullopt);
        std::string out;
        std::size_t at = 0;
        std::mt19937 random(3);
        while (at < text.size()) {
            std::size_t const size = std::min<std::size_t>(random() % 5'000, text.size() - at);
            bool const flush = random() % 2 == 0;
            by->add(bytes(std::string_view(text).substr(at, size)),
                    flush ? step::flush : step::more, out);
            at += size;
            auto const read = test::inflated(codec::name_of(each), out, false);
            REQUIRE(read);
            bool const as_far = flush ? *read == text.substr(0, at) : text.starts_with(*read);
            REQUIRE(as_far);
        }
        by->add({}, step::end, out);
        bool const same = test::inflated(codec::name_of(each), out) == text;
        CHECK(same);
    }
}

TEST_CASE("the window is no larger than the bound, nor than what is known to come") {
    CHECK(codec::window_bits(std::nullopt, 9, 15) == 15);
    CHECK(codec::window_bits(0, 9, 15) == 9);
    CHECK(codec::window_bits(1024, 9, 15) == 11);
    CHECK(codec::window_bits(1023, 9, 15) == 10);
    CHECK(codec::window_bits(std::uint64_t{1} << 40, 10, compressor::largest_window_bits) == 18);
}

TEST_CASE("codings have the names of the registry") {
    CHECK(codec::name_of(content_coding::gzip) == "gzip");
    CHECK(codec::name_of(content_coding::br) == "br");
    CHECK(codec::name_of(content_coding::zstd) == "zstd");
}
