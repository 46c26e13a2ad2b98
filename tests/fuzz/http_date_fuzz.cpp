// Fuzzes the HTTP-date parser: what it accepts can be written and is read back the same.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rill/base/assert.hpp"
#include "rill/codec/http_date.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace std::chrono;
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    sys_seconds const now = sys_days(year(2026) / 1 / 1);
    auto const when = rill::codec::parse_http_date(text, now);
    if (!when) return 0;
    if (*when >= sys_days(year(10'000) / 1 / 1)) return 0;  // a leap second of the last year
    std::array<char, rill::codec::http_date_size> out{};
    rill::codec::format_http_date(*when, out);
    auto const again = rill::codec::parse_http_date({out.data(), out.size()}, now);
    RILL_ASSERT(again == when, "a date that was written is read back the same");
    return 0;
}
