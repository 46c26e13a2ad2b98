// Fuzzes traceparent: what is read, written in version 00, is read as the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rill/base/assert.hpp"
#include "rill/codec/trace_context.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace rill::codec;
    auto const read = parse_trace_parent({reinterpret_cast<char const*>(data), size});
    if (!read) return 0;
    std::string again = "00-";
    again.append(read->trace_id).append("-").append(read->parent_id).append("-0");
    again += (read->flags & 1) != 0 ? '1' : '0';
    auto const second = parse_trace_parent(again);
    RILL_ASSERT(second.has_value(), "it is well formed");
    RILL_ASSERT(second->trace_id == read->trace_id, "the same trace");
    RILL_ASSERT(second->parent_id == read->parent_id, "the same parent");
    return 0;
}
