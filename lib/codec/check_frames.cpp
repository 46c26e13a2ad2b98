// Sums and cyclic redundancy checks, a byte at a time from tables that the compiler makes.
#include "rill/codec/check_frames.hpp"

namespace rill::framing {

namespace {

/// The table of a reflected CRC.
constexpr std::array<std::uint32_t, 256> table_of(std::uint32_t polynomial) {
    std::array<std::uint32_t, 256> table = {};
    for (std::uint32_t i = 0; i != 256; ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit != 8; ++bit)
            value = (value & 1) != 0 ? value >> 1 ^ polynomial : value >> 1;
        table[i] = value;
    }
    return table;
}

constexpr auto table16 = table_of(0xa001);
constexpr auto table32 = table_of(0xedb8'8320);

std::uint64_t add_reflected(std::array<std::uint32_t, 256> const& table, std::uint64_t state,
                            bytes piece) noexcept {
    auto value = static_cast<std::uint32_t>(state);
    for (std::byte const next : piece)
        value = value >> 8 ^ table[(value ^ std::to_integer<std::uint32_t>(next)) & 0xff];
    return value;
}

}  // namespace

std::uint64_t xor8::add(std::uint64_t state, bytes piece) const noexcept {
    for (std::byte const next : piece) state ^= std::to_integer<std::uint64_t>(next);
    return state;
}

std::uint64_t sum8::add(std::uint64_t state, bytes piece) const noexcept {
    for (std::byte const next : piece) state += std::to_integer<std::uint64_t>(next);
    return state;
}

std::uint64_t crc16_modbus::add(std::uint64_t state, bytes piece) const noexcept {
    return add_reflected(table16, state, piece);
}

std::uint64_t crc32::add(std::uint64_t state, bytes piece) const noexcept {
    return add_reflected(table32, state, piece);
}

}  // namespace rill::framing
