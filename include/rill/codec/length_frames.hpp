// Frames with a length field: binary, varint (LEB128), or ASN.1 BER definite length (X.690).
#pragma once

#include <cstddef>
#include <cstdint>
#include <system_error>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/codec/frame_codec.hpp"

namespace rill::framing {

/// How a length is written.
enum class length_encoding : std::uint8_t {
    big_endian,     ///< `width` bytes, the most significant first: network order.
    little_endian,  ///< `width` bytes, the least significant first.
    varint,         ///< LEB128 as in MQTT and protobuf: seven bits a byte, at most `width` bytes.
    ber,            ///< ASN.1 BER definite length: one byte, or one that counts at most `width`.
};

/// Where the length of a frame stands and what it counts.
struct length_options {
    /// How the length is written.
    length_encoding encoding = length_encoding::big_endian;
    /// Bytes of the field: exactly, 1 to 8; for `varint` at most, 1 to 9; for `ber` at most, 1 to 8
    /// behind the first.
    std::size_t width = 4;
    /// Bytes before the field, 0 to 32. They are the caller's own, and are called the prefix.
    std::size_t offset = 0;
    /// Added to the field's value to get what it counts in bytes, between -2^31 and 2^31. Modbus
    /// and most others need none: the payload is all that follows the field.
    std::int64_t adjustment = 0;
    /// True when the value counts prefix and field, too, as in IPv4.
    bool header_included = false;
    /// Refuses a varint or BER length in more bytes than it needs. MQTT (section 1.5.5) and DER
    /// forbid them; plain BER and protobuf allow them.
    bool minimal_only = true;
    /// Bytes of a frame, header and all. A longer one is refused when its length has been read.
    std::size_t maximum_bytes = default_maximum_bytes;
};
static_assert(std::is_trivially_destructible_v<length_options>);

/// Frames with a length field: prefix, length, payload. What the field counts beyond the payload,
/// such as check bytes, belongs to the payload here; see `checked`.
class RILL_API length_field {
public:
    /// How large a prefix may be.
    static constexpr std::size_t most_prefix_bytes = 32;

    /// Asserts that the options are possible; a constexpr codec is checked by the compiler.
    explicit constexpr length_field(length_options with = {}) noexcept : with_(with) {
        std::size_t const most = with.encoding == length_encoding::varint ? 9 : 8;
        RILL_ASSERT(with.width >= 1, "a length field has at least one byte");
        RILL_ASSERT(with.width <= most, "a length has 8 bytes at most, 9 as a varint");
        RILL_ASSERT(with.offset <= most_prefix_bytes, "a length stands in the first 32 bytes");
        RILL_ASSERT(with.adjustment <= most_adjustment, "adjust a length by 2^31 at most");
        RILL_ASSERT(with.adjustment >= -most_adjustment, "adjust a length by -2^31 at least");
        RILL_ASSERT(with.maximum_bytes <= most_bytes, "a frame has less than 2^48 bytes");
        RILL_ASSERT(with.maximum_bytes > with.offset + with.width,
                    "a frame has room for its header");
    }

    /// See `decoder`.
    [[nodiscard]] step measure(bytes input, std::size_t seen) const noexcept;
    /// See `encoder`. The prefix has exactly `offset` bytes; an empty one is sent as zeros.
    [[nodiscard]] std::error_code head(edge& into, bytes prefix,
                                       std::size_t payload_bytes) const noexcept;
    /// The bound of its options.
    [[nodiscard]] constexpr std::size_t maximum_bytes() const noexcept {
        return with_.maximum_bytes;
    }

private:
    static constexpr std::int64_t most_adjustment = std::int64_t{1} << 31;
    static constexpr std::size_t most_bytes = std::size_t{1} << 48;

    /// A length that was read, or how many bytes are wanted for it, or what is wrong.
    struct field {
        std::uint64_t value = 0;
        std::size_t size = 0;  // bytes that it took
        std::size_t wanted = 0;
        fault why = fault::none;
    };
    [[nodiscard]] field read(bytes input) const noexcept;
    [[nodiscard]] field read_varint(bytes input) const noexcept;
    [[nodiscard]] field read_ber(bytes input) const noexcept;
    /// Bytes that the field takes for `value`; 0 when it does not fit.
    [[nodiscard]] std::size_t field_size(std::uint64_t value) const noexcept;
    void write(edge& into, std::uint64_t value, std::size_t size) const noexcept;

    length_options with_;
};

}  // namespace rill::framing
