// Fuzzes forms with files: whatever the body, it comes apart in the same way in one piece and in
// pieces of the size that the first byte says, and no bound is passed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rill/base/assert.hpp"
#include "rill/codec/multipart.hpp"

namespace {

using rill::codec::multipart_event;
using rill::codec::multipart_parser;

constexpr multipart_parser::limits bounds{
    .parts = 4, .header_bytes = 200, .part_bytes = 100, .content_bytes = 200};

std::string parse(std::string_view body, std::size_t piece_bytes) {
    multipart_parser parser("-b-", bounds);
    std::string all;
    std::size_t parts = 0;
    std::size_t content = 0;
    while (!body.empty()) {
        std::string_view piece = body.substr(0, piece_bytes);
        body.remove_prefix(piece.size());
        while (!piece.empty()) {
            auto const step = parser.next(piece);
            RILL_ASSERT(step.consumed <= piece.size(), "no more is used than there is");
            RILL_ASSERT(
                step.consumed != 0 || !step.data.empty() || step.what != multipart_event::need_more,
                "each step goes on");
            piece.remove_prefix(step.consumed);
            if (step.what == multipart_event::part) {
                all.append("[").append(parser.head().name).append("|");
                all.append(parser.head().filename.value_or("-")).append("|");
                all.append(parser.head().content_type).append(">");
                RILL_ASSERT(++parts <= bounds.parts, "the bound of parts holds");
            } else if (step.what == multipart_event::data) {
                all += step.data.text();
                content += step.data.size();
                RILL_ASSERT(content <= bounds.content_bytes, "the bound of content holds");
            } else if (step.what == multipart_event::part_end) {
                all += ']';
            } else if (step.what == multipart_event::failed) {
                // Over a bound it ends with the piece that goes over it.
                return parser.failure_status() == 413 ? "413" : all + "400";
            }
        }
    }
    return all + (parser.finish() ? "end" : "400");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) return 0;
    std::string_view const body(reinterpret_cast<char const*>(data) + 1, size - 1);
    std::string const whole = parse(body, size);
    std::string const cut = parse(body, std::size_t{1} + data[0] % 32);
    RILL_ASSERT(whole == cut || whole == "413" || cut == "413",
                "a form comes apart in the same way however it is cut");
    static_cast<void>(rill::codec::multipart_boundary(body));
    return 0;
}
