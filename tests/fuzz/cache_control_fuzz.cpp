// Fuzzes Cache-Control: numbers keep their bound, and the same line again only makes them stricter.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rill/base/assert.hpp"
#include "rill/codec/cache_control.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    rill::codec::cache_control once;
    once.take(text);
    rill::codec::cache_control twice = once;
    twice.take(text);
    RILL_ASSERT(once.no_store == twice.no_store, "it was said");
    RILL_ASSERT(once.max_age.has_value() == twice.max_age.has_value(), "it was said");
    if (once.max_age) {
        RILL_ASSERT(*once.max_age <= 1U << 31, "ages have a bound");
        RILL_ASSERT(*twice.max_age <= *once.max_age, "stricter or the same");
    }
    return 0;
}
