// Fuzzes the codecs with a length field, plain and with check bytes. The first bytes choose the
// options.
#include <algorithm>
#include <array>

#include "frames.hpp"
#include "rill/codec/check_frames.hpp"
#include "rill/codec/length_frames.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace rill::framing;
    constexpr std::array encodings{length_encoding::big_endian, length_encoding::little_endian,
                                   length_encoding::varint, length_encoding::ber};
    std::string_view input(reinterpret_cast<char const*>(data), size);
    rill::fuzz::knobs knobs(input);
    std::size_t const kind = knobs.up_to(15);
    length_options options;
    options.encoding = encodings[kind % 4];
    options.header_included = kind / 4 % 2 == 1;
    options.minimal_only = kind / 8 == 0;
    options.width = 1 + knobs.up_to(7);
    options.offset = knobs.up_to(4);
    options.adjustment = static_cast<std::int64_t>(knobs.up_to(255)) - 128;
    options.maximum_bytes = 24 + knobs.up_to(100);
    // A field that counts itself and grows with its value has two shortest forms where it grows:
    // 127 in one byte and 128 in two may frame the same payload.
    bool const grows = kind % 4 >= 2;
    bool const one_way = options.minimal_only && !(grows && options.header_included);
    length_field const plain(options);
    rill::fuzz::check_row(plain, input, one_way);
    rill::fuzz::check_row(checked(plain, crc16_modbus()), input, one_way);
    rill::fuzz::check_row(checked(plain, xor8(), covers::payload), input, one_way);
    return 0;
}
