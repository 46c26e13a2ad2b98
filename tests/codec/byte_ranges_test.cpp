// Range and Content-Range. RFC 9110 section 14.
#include "rill/codec/byte_ranges.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using namespace rill::codec;
using enum byte_ranges::answer;

namespace {

std::vector<byte_range> parts(std::string_view field, std::uint64_t size) {
    auto const found = byte_ranges::parse(field, size);
    return {found.parts().begin(), found.parts().end()};
}

byte_ranges::answer outcome(std::string_view field, std::uint64_t size) {
    return byte_ranges::parse(field, size).outcome();
}

}  // namespace

TEST_CASE("a range is read and cut at the end of the representation") {
    using list = std::vector<byte_range>;
    CHECK(parts("bytes=0-0", 10) == list{{0, 1}});
    CHECK(parts("bytes=2-4", 10) == list{{2, 3}});
    CHECK(parts("bytes=9-", 10) == list{{9, 1}});
    CHECK(parts("bytes=0-", 10) == list{{0, 10}});
    CHECK(parts("bytes=5-999", 10) == list{{5, 5}});
    CHECK(parts("BYTES=0-0", 10) == list{{0, 1}});
    CHECK(parts("bytes=00-000003", 10) == list{{0, 4}});
    CHECK(parts("bytes=1-99999999999999999999999999", 10) == list{{1, 9}});
}

TEST_CASE(
    "a suffix longer than the representation is all of it, and one of nothing is 416 (C047)") {
    using list = std::vector<byte_range>;
    CHECK(parts("bytes=-3", 10) == list{{7, 3}});
    CHECK(parts("bytes=-10", 10) == list{{0, 10}});
    CHECK(parts("bytes=-9999", 10) == list{{0, 10}});
    CHECK(parts("bytes=-99999999999999999999999999", 10) == list{{0, 10}});
    CHECK(outcome("bytes=-0", 10) == unsatisfiable);
    CHECK(outcome("bytes=-000", 10) == unsatisfiable);
    CHECK(outcome("bytes=-0", 0) == unsatisfiable);
    CHECK(outcome("bytes=-5", 0) == whole);
    CHECK(outcome("bytes=0-", 0) == unsatisfiable);
}

TEST_CASE("several ranges keep their order and lose what begins behind the end") {
    using list = std::vector<byte_range>;
    CHECK(parts("bytes=0-1,4-5", 10) == list{{0, 2}, {4, 2}});
    CHECK(parts("bytes=8-, 0-1 ,,\t-1000000", 10).empty());
    CHECK(parts("bytes=8-, 0-1 ,,\t3-4", 10) == list{{8, 2}, {0, 2}, {3, 2}});
    CHECK(parts("bytes=10-11,-1", 10) == list{{9, 1}});
    CHECK(outcome("bytes=10-,11-12,-0", 10) == unsatisfiable);
    CHECK(outcome("bytes=99999999999999999999999-", 10) == unsatisfiable);
}

TEST_CASE("what is malformed or in another unit is answered whole") {
    for (std::string_view const field : {"",
                                         "bytes",
                                         "bytes=",
                                         "bytes=,",
                                         "bytes=-",
                                         "bytes=a-b",
                                         "bytes=1",
                                         "bytes=4-3",
                                         "bytes=+1-2",
                                         "bytes=1--2",
                                         "bytes=--2",
                                         "bytes=0x0-1",
                                         "bytes = 0-1",
                                         "bytes=0 -1",
                                         "bytes=0-1;2-3",
                                         "lines=0-1",
                                         "bytes=0-1,x",
                                         "bytes=0-1,5-4",
                                         " bytes=0-1",
                                         "bytes=\"0-1\"",
                                         "bytes=1-2-3",
                                         "bytes=0-1\x01"}) {
        CAPTURE(field);
        CHECK(outcome(field, 10) == whole);
        CHECK(parts(field, 10).empty());
    }
}

TEST_CASE("ranges that overlap and ranges beyond the bound are answered whole") {
    CHECK(outcome("bytes=0-4,4-5", 10) == whole);
    CHECK(outcome("bytes=0-,0-", 10) == whole);
    CHECK(outcome("bytes=0-9,-1", 10) == whole);
    CHECK(outcome("bytes=0-3,4-5", 10) == partial);
    std::string field = "bytes=0-0";
    for (std::size_t i = 1; i < most_byte_ranges; ++i) {
        field += "," + std::to_string(2 * i) + "-" + std::to_string(2 * i);
    }
    CHECK(parts(field, 1000).size() == most_byte_ranges);
    CHECK(outcome(field + ",900-", 1000) == whole);
    // Those that are left out count as well.
    CHECK(outcome(field + ",2000-", 1000) == whole);
}

TEST_CASE("Content-Range tells the part and the size, up to the largest numbers") {
    std::array<char, content_range_bound> memory{};
    CHECK(format_content_range({0, 500}, 1234, memory) == "bytes 0-499/1234");
    std::uint64_t const largest = UINT64_MAX;
    CHECK(format_content_range({largest - 1, 1}, largest, memory) ==
          "bytes 18446744073709551614-18446744073709551614/18446744073709551615");
    CHECK(format_unsatisfied_range(10, memory) == "bytes */10");
    CHECK(format_unsatisfied_range(0, memory) == "bytes */0");
}
