// Fuzzes Range: every part lies inside the representation, no two overlap, and a part that is
// written as a range is read back the same. The first byte is the size of the representation.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rill/base/assert.hpp"
#include "rill/codec/byte_ranges.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using rill::codec::byte_ranges;
    if (size == 0) return 0;
    std::uint64_t const whole = data[0];
    std::string_view const text(reinterpret_cast<char const*>(data) + 1, size - 1);
    auto const found = byte_ranges::parse(text, whole);
    std::uint64_t sum = 0;
    for (auto const& part : found.parts()) {
        RILL_ASSERT(part.size != 0 && part.first < whole, "a part begins inside");
        RILL_ASSERT(part.size <= whole - part.first, "a part ends inside");
        sum += part.size;
        std::array<char, rill::codec::content_range_bound> memory{};
        std::string field(rill::codec::format_content_range(part, whole, memory));
        field = "bytes=" + field.substr(6, field.find('/') - 6);
        auto const again = byte_ranges::parse(field, whole);
        RILL_ASSERT(again.parts().size() == 1 && again.parts()[0] == part,
                    "a part that was written is read back the same");
    }
    RILL_ASSERT(sum <= whole, "no byte is sent twice");
    RILL_ASSERT(found.parts().empty() == (found.outcome() != byte_ranges::answer::partial),
                "parts belong to a partial answer");
    return 0;
}
