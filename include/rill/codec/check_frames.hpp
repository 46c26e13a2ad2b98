// Check bytes at the end of a payload: sums, CRC-16 as in Modbus RTU, CRC-32 as in Ethernet, and
// those of the user's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

#include "rill/base/export.hpp"
#include "rill/codec/frame_codec.hpp"

namespace rill::framing {

/// A check over bytes that come in pieces: `start`, `add` for each piece, `finish`; the result
/// stands in `width` bytes, 1 to 8, in the order that `big_endian` says.
template <class Check>
concept check = requires(Check const& c, std::uint64_t state, bytes piece) {
    { Check::width } -> std::convertible_to<std::size_t>;
    { Check::big_endian } -> std::convertible_to<bool>;
    { c.start() } -> std::same_as<std::uint64_t>;
    { c.add(state, piece) } -> std::same_as<std::uint64_t>;
    { c.finish(state) } -> std::same_as<std::uint64_t>;
    requires Check::width >= 1 && Check::width <= 8;
};

/// All bytes, XOR.
struct RILL_API xor8 {
    static constexpr std::size_t width = 1;   ///< Bytes of the check.
    static constexpr bool big_endian = true;  ///< Order of its bytes.
    /// See `check`.
    [[nodiscard]] std::uint64_t start() const noexcept { return 0; }
    /// See `check`.
    [[nodiscard]] std::uint64_t add(std::uint64_t state, bytes piece) const noexcept;
    /// See `check`.
    [[nodiscard]] std::uint64_t finish(std::uint64_t state) const noexcept { return state; }
};

/// The sum of all bytes modulo 256.
struct RILL_API sum8 {
    static constexpr std::size_t width = 1;   ///< Bytes of the check.
    static constexpr bool big_endian = true;  ///< Order of its bytes.
    /// See `check`.
    [[nodiscard]] std::uint64_t start() const noexcept { return 0; }
    /// See `check`.
    [[nodiscard]] std::uint64_t add(std::uint64_t state, bytes piece) const noexcept;
    /// See `check`.
    [[nodiscard]] std::uint64_t finish(std::uint64_t state) const noexcept { return state & 0xff; }
};

/// CRC-16 of Modbus RTU (polynomial 0x8005 reflected, from 0xffff), low byte first.
struct RILL_API crc16_modbus {
    static constexpr std::size_t width = 2;    ///< Bytes of the check.
    static constexpr bool big_endian = false;  ///< Order of its bytes.
    /// See `check`.
    [[nodiscard]] std::uint64_t start() const noexcept { return 0xffff; }
    /// See `check`.
    [[nodiscard]] std::uint64_t add(std::uint64_t state, bytes piece) const noexcept;
    /// See `check`.
    [[nodiscard]] std::uint64_t finish(std::uint64_t state) const noexcept { return state; }
};

/// CRC-32 of Ethernet, gzip and PNG (polynomial 0x04c11db7 reflected), high byte first.
struct RILL_API crc32 {
    static constexpr std::size_t width = 4;   ///< Bytes of the check.
    static constexpr bool big_endian = true;  ///< Order of its bytes.
    /// See `check`.
    [[nodiscard]] std::uint64_t start() const noexcept { return 0xffff'ffff; }
    /// See `check`.
    [[nodiscard]] std::uint64_t add(std::uint64_t state, bytes piece) const noexcept;
    /// See `check`.
    [[nodiscard]] std::uint64_t finish(std::uint64_t state) const noexcept {
        return state ^ 0xffff'ffff;
    }
};

/// What check bytes are computed over.
enum class covers : std::uint8_t {
    header_and_payload,  ///< All that stands before them in the frame.
    payload,             ///< The payload only.
};

/// Frames of `Codec` whose payload ends in check bytes: they are appended when a frame is written,
/// and verified and cut off when one is read. To `Codec` they are a part of the payload, so a
/// length field counts them; where the protocol's does not, adjust it by their width.
template <codec Codec, check Check>
class checked {
public:
    /// Frames of `inner`, ended by `with`.
    explicit constexpr checked(Codec inner, Check with = {},
                               covers what = covers::header_and_payload) noexcept
        : inner_(std::move(inner)), check_(with), covers_(what) {}

    /// See `decoder`.
    [[nodiscard]] step measure(bytes input, std::size_t seen) const noexcept {
        step const found = inner_.measure(input, seen);
        if (!found.whole()) return found;
        if (found.payload_size() < Check::width) return step::bad(fault::bad_check);
        std::size_t const size = found.payload_size() - Check::width;
        bytes const head = input.first(found.payload_begin());
        bytes const payload = input.without_first(found.payload_begin());
        bytes const one = payload.first(size);
        edge wanted;
        append_check(wanted, head, {&one, 1});
        if (payload.without_first(size).first(Check::width) != wanted.view())
            return step::bad(fault::bad_check);
        return step::frame(found.size(), found.payload_begin(), size, found.prefix_size());
    }
    /// See `encoder`.
    [[nodiscard]] std::error_code head(edge& into, bytes prefix,
                                       std::size_t payload_bytes) const noexcept {
        return inner_.head(into, prefix, payload_bytes + Check::width);
    }
    /// See `encoder`.
    [[nodiscard]] std::error_code tail(edge& into, bytes head,
                                       std::span<bytes const> payload) const noexcept {
        edge own;
        append_check(own, head, payload);
        into.append(own.view());
        // Some checks may stand one within the other.
        std::array<bytes, most_payload_pieces + 4> pieces;
        RILL_ASSERT(payload.size() < pieces.size(), "a payload has at most 16 pieces");
        std::size_t count = 0;
        for (bytes const piece : payload) pieces[count++] = piece;
        pieces[count++] = own.view();
        return append_tail(inner_, into, head, std::span<bytes const>(pieces.data(), count));
    }
    /// The bound of the inner codec.
    [[nodiscard]] constexpr std::size_t maximum_bytes() const noexcept {
        return inner_.maximum_bytes();
    }

private:
    void append_check(edge& into, bytes head, std::span<bytes const> payload) const noexcept {
        std::uint64_t state = check_.start();
        if (covers_ == covers::header_and_payload) state = check_.add(state, head);
        for (bytes const piece : payload) state = check_.add(state, piece);
        if (Check::big_endian) {
            into.append_big_endian(check_.finish(state), Check::width);
        } else {
            into.append_little_endian(check_.finish(state), Check::width);
        }
    }

    Codec inner_;
    [[no_unique_address]] Check check_;
    covers covers_;
};

}  // namespace rill::framing
