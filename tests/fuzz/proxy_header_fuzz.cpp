// Fuzzes the PROXY protocol: what is a header, or none, is so as soon as it is known and stays so
// whatever follows, and never longer than the bound.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rill/base/assert.hpp"
#include "rill/codec/proxy_header.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using rill::codec::parse_proxy_header;
    using rill::codec::proxy_header;
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    proxy_header const whole = parse_proxy_header(text);
    bool const complete = whole.state == proxy_header::progress::complete;
    RILL_ASSERT(!complete || (whole.size <= size && whole.size <= proxy_header::max_size),
                "a header is a part of the input");
    RILL_ASSERT(size < proxy_header::max_size || whole.state != proxy_header::progress::need_more,
                "at the bound it is known");
    for (std::size_t part = 0; part < size && part < 300; ++part) {
        proxy_header const found = parse_proxy_header(text.substr(0, part));
        if (found.state == proxy_header::progress::need_more) continue;
        RILL_ASSERT(found.state == whole.state, "what is known stays");
        RILL_ASSERT(found.size == whole.size && found.client == whole.client, "and is the same");
    }
    return 0;
}
