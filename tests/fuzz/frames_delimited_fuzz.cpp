// Fuzzes the codecs of delimited frames, lines and frames of a fixed length. The first bytes choose
// the codec.
#include <algorithm>

#include "frames.hpp"
#include "rill/codec/delimited_frames.hpp"
#include "rill/codec/fixed_frames.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace rill::framing;
    std::string_view input(reinterpret_cast<char const*>(data), size);
    rill::fuzz::knobs knobs(input);
    std::size_t const kind = knobs.up_to(3);
    std::size_t const length = 1 + knobs.up_to(15);
    if (kind == 0) {
        rill::fuzz::check_row(fixed_length(length), input, true);
    } else if (kind == 1) {
        // A line that came with the other end is written with this one.
        rill::fuzz::check_row(lines(line_end::crlf, length + 1), input, false);
        rill::fuzz::check_row(lines(line_end::lf, length + 1), input, false);
    } else if (input.size() >= length) {
        delimited const codec(input.substr(0, length), 64);
        rill::fuzz::check_row(codec, input.substr(length), true);
    }
    return 0;
}
