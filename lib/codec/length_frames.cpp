// Reading and writing lengths.
#include "rill/codec/length_frames.hpp"

#include <bit>

namespace rill::framing {

namespace {

constexpr auto high_bit = std::byte{0x80};

/// Bytes that `value` has without leading zeros; at least 1.
constexpr std::size_t significant_bytes(std::uint64_t value) noexcept {
    return value == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(value)) + 7) / 8;
}

constexpr std::size_t varint_bytes(std::uint64_t value) noexcept {
    return value == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(value)) + 6) / 7;
}

}  // namespace

step length_field::measure(bytes input, std::size_t) const noexcept {
    if (input.size() <= with_.offset) return step::more(with_.offset + 1);
    field const length = read(input.without_first(with_.offset));
    if (length.why != fault::none) return step::bad(length.why);
    if (length.wanted != 0) return step::more(with_.offset + length.wanted);
    // Both bounds are far below what would overflow the sums below.
    if (length.value > most_bytes + static_cast<std::uint64_t>(most_adjustment))
        return step::bad(fault::too_long);
    std::size_t const header = with_.offset + length.size;
    std::int64_t const counted = static_cast<std::int64_t>(length.value) + with_.adjustment;
    std::int64_t const payload =
        with_.header_included ? counted - static_cast<std::int64_t>(header) : counted;
    if (payload < 0) return step::bad(fault::bad_length);
    std::size_t const payload_size = static_cast<std::size_t>(payload);
    std::size_t const size = header + payload_size;
    if (size > with_.maximum_bytes) return step::bad(fault::too_long);
    if (input.size() < size) return step::more(size);
    return step::frame(size, header, payload_size, with_.offset);
}

length_field::field length_field::read(bytes input) const noexcept {
    if (with_.encoding == length_encoding::varint) return read_varint(input);
    if (with_.encoding == length_encoding::ber) return read_ber(input);
    if (input.size() < with_.width) return {.wanted = with_.width};
    bool const big = with_.encoding == length_encoding::big_endian;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i != with_.width; ++i) {
        std::byte const next = input[big ? i : with_.width - 1 - i];
        value = value << 8 | std::to_integer<std::uint64_t>(next);
    }
    return {.value = value, .size = with_.width};
}

length_field::field length_field::read_varint(bytes input) const noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i != with_.width; ++i) {
        if (i == input.size()) return {.wanted = i + 1};
        std::byte const next = input[i];
        value |= std::to_integer<std::uint64_t>(next & ~high_bit) << (7 * i);
        if ((next & high_bit) != std::byte{}) continue;
        if (with_.minimal_only && i != 0 && next == std::byte{}) return {.why = fault::bad_length};
        return {.value = value, .size = i + 1};
    }
    return {.why = fault::bad_length};
}

length_field::field length_field::read_ber(bytes input) const noexcept {
    std::byte const first = input[0];
    if ((first & high_bit) == std::byte{})
        return {.value = std::to_integer<std::uint64_t>(first), .size = 1};
    // X.690 section 8.1.3.5: 0x80 alone is the indefinite form, 0xff is reserved.
    std::size_t const count = std::to_integer<std::size_t>(first & ~high_bit);
    if (count == 0 || count > with_.width) return {.why = fault::bad_length};
    if (input.size() < 1 + count) return {.wanted = 1 + count};
    std::uint64_t value = 0;
    for (std::size_t i = 1; i <= count; ++i)
        value = value << 8 | std::to_integer<std::uint64_t>(input[i]);
    bool const minimal = value >= 0x80 && significant_bytes(value) == count;
    if (with_.minimal_only && !minimal) return {.why = fault::bad_length};
    return {.value = value, .size = 1 + count};
}

std::size_t length_field::field_size(std::uint64_t value) const noexcept {
    std::size_t const plain = significant_bytes(value);
    switch (with_.encoding) {
        case length_encoding::varint:
            return varint_bytes(value) <= with_.width ? varint_bytes(value) : 0;
        case length_encoding::ber:
            if (value < 0x80) return 1;
            return plain <= with_.width ? 1 + plain : 0;
        default:
            return plain <= with_.width ? with_.width : 0;
    }
}

std::error_code length_field::head(edge& into, bytes prefix,
                                   std::size_t payload_bytes) const noexcept {
    if (!prefix.empty() && prefix.size() != with_.offset) return not_sendable();
    if (payload_bytes > with_.maximum_bytes) return errc::limit_exceeded;
    std::int64_t const counted = static_cast<std::int64_t>(payload_bytes) - with_.adjustment;
    // Where the field counts itself, its size decides about its value: the smallest that fits.
    for (std::size_t size = 1; size <= 9; ++size) {
        std::int64_t const header = static_cast<std::int64_t>(with_.offset + size);
        std::int64_t const value = with_.header_included ? counted + header : counted;
        if (value < 0) continue;
        if (field_size(static_cast<std::uint64_t>(value)) != size) continue;
        into.append(prefix);
        for (std::size_t i = prefix.size(); i < with_.offset; ++i) into.append(std::byte{});
        write(into, static_cast<std::uint64_t>(value), size);
        return {};
    }
    return errc::limit_exceeded;
}

void length_field::write(edge& into, std::uint64_t value, std::size_t size) const noexcept {
    switch (with_.encoding) {
        case length_encoding::big_endian:
            into.append_big_endian(value, size);
            break;
        case length_encoding::little_endian:
            into.append_little_endian(value, size);
            break;
        case length_encoding::varint:
            for (std::size_t i = 1; i != size; ++i, value >>= 7)
                into.append(static_cast<std::byte>(value) | high_bit);
            into.append(static_cast<std::byte>(value));
            break;
        case length_encoding::ber:
            if (size != 1) into.append(static_cast<std::byte>(size - 1) | high_bit);
            into.append_big_endian(value, size == 1 ? 1 : size - 1);
            break;
    }
}

}  // namespace rill::framing
