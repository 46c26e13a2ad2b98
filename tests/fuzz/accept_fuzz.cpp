// Fuzzes Accept, Accept-Encoding and Accept-Language: weights lie within their bounds, and a list
// that names something again in front, more specific than all, has that weight.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rill/base/assert.hpp"
#include "rill/codec/accept.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const list(reinterpret_cast<char const*>(data), size);
    auto const check = [&](int (*weight_of)(std::string_view, std::string_view) noexcept,
                           std::string_view wanted) {
        int const weight = weight_of(list, wanted);
        RILL_ASSERT(weight >= 0 && weight <= 1000, "a weight has three digits behind the point");
        std::string const longer = std::string(wanted).append(";q=0.25, ").append(list);
        RILL_ASSERT(weight_of(longer, wanted) == 250, "the first of those that fit best decides");
    };
    check(rill::codec::coding_weight, "gzip");
    check(rill::codec::type_weight, "text/html");
    check(rill::codec::language_weight, "de-CH");
    return 0;
}
