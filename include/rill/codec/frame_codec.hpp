// What a frame codec is: where a frame ends in a row of bytes, and what stands around the payload
// of one that is sent. Pure over bytes; rill/io/framing.hpp joins it to a stream.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

#include "rill/base/assert.hpp"
#include "rill/base/bytes.hpp"
#include "rill/base/error.hpp"

namespace rill::framing {

/// How many bytes a frame may have, header and all, where nothing else was said.
inline constexpr std::size_t default_maximum_bytes = 64 * 1024;

/// Into how many pieces the payload of a frame that is sent may be cut.
inline constexpr std::size_t most_payload_pieces = 16;

/// What is wrong with the bytes of a peer.
enum class fault : std::uint8_t {
    none,        ///< Nothing.
    too_long,    ///< The frame would be longer than the codec's maximum.
    bad_length,  ///< The length field is malformed, or too small for what it counts.
    bad_check,   ///< The check bytes do not fit the frame.
    malformed,   ///< Anything else that a codec of the user's own refuses.
    truncated,   ///< The stream ended inside a frame.
};

/// The code that a read fails with: `limit_exceeded` for what is too long, `end_of_stream` for what
/// is truncated, else `protocol`.
[[nodiscard]] constexpr errc to_errc(fault what) noexcept {
    if (what == fault::too_long) return errc::limit_exceeded;
    if (what == fault::truncated) return errc::end_of_stream;
    return errc::protocol;
}

/// What a codec says of the bytes at hand: a frame, not enough yet, or wrong.
class [[nodiscard]] step {
public:
    /// No frame yet; it has at least `bytes` bytes, all in all. 0 where that is not known.
    [[nodiscard]] static constexpr step more(std::size_t bytes = 0) noexcept {
        return {fault::none, false, bytes, 0, 0, 0};
    }
    /// The first `size` bytes are a frame. Its payload is `payload_size` bytes from `payload_begin`
    /// on, and its first `prefix_size` bytes are the caller's own.
    [[nodiscard]] static constexpr step frame(std::size_t size, std::size_t payload_begin,
                                              std::size_t payload_size,
                                              std::size_t prefix_size = 0) noexcept {
        return {fault::none, true, size, payload_begin, payload_size, prefix_size};
    }
    /// What follows can never be a frame.
    [[nodiscard]] static constexpr step bad(fault why) noexcept { return {why, false, 0, 0, 0, 0}; }

    /// True when there is a frame.
    [[nodiscard]] constexpr bool whole() const noexcept { return whole_; }
    /// What is wrong; `none` for a frame and for too few bytes.
    [[nodiscard]] constexpr fault why() const noexcept { return why_; }
    /// The bytes of the frame; without one, how many it has at least.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    /// Where the payload begins.
    [[nodiscard]] constexpr std::size_t payload_begin() const noexcept { return payload_begin_; }
    /// How many bytes the payload has.
    [[nodiscard]] constexpr std::size_t payload_size() const noexcept { return payload_size_; }
    /// How many bytes in front are the caller's own.
    [[nodiscard]] constexpr std::size_t prefix_size() const noexcept { return prefix_size_; }

private:
    constexpr step(fault why, bool whole, std::size_t size, std::size_t payload_begin,
                   std::size_t payload_size, std::size_t prefix_size) noexcept
        : size_(size),
          payload_begin_(payload_begin),
          payload_size_(payload_size),
          prefix_size_(prefix_size),
          why_(why),
          whole_(whole) {}

    std::size_t size_;
    std::size_t payload_begin_;
    std::size_t payload_size_;
    std::size_t prefix_size_;
    fault why_;
    bool whole_;
};

/// What stands before or behind the payload of a frame that is sent: a few bytes, kept in place.
class edge {
public:
    /// How many bytes fit.
    static constexpr std::size_t maximum = 64;

    /// Appends; asserts that it fits.
    void append(bytes what) noexcept {
        RILL_ASSERT(what.size() <= maximum - size_, "a frame has 64 bytes before and behind");
        size_ += copy_bytes({bytes_.data() + size_, what.size()}, what);
    }
    /// Appends one byte; asserts that it fits.
    void append(std::byte what) noexcept { append(bytes(&what, 1)); }
    /// Appends `value` in `width` bytes, the most significant first.
    void append_big_endian(std::uint64_t value, std::size_t width) noexcept {
        for (std::size_t i = width; i-- != 0;) append(static_cast<std::byte>(value >> (8 * i)));
    }
    /// Appends `value` in `width` bytes, the least significant first.
    void append_little_endian(std::uint64_t value, std::size_t width) noexcept {
        for (std::size_t i = 0; i != width; ++i) append(static_cast<std::byte>(value >> (8 * i)));
    }
    /// What was appended; dies with the edge.
    [[nodiscard]] bytes view() const noexcept { return {bytes_.data(), size_}; }

private:
    std::array<std::byte, maximum> bytes_;
    std::size_t size_ = 0;
};

/// Reads frames. `measure` looks at `input`, which begins where a frame does, and says where that
/// frame ends. `seen` bytes of it were there at the last call for the same frame, which asked for
/// more: a search goes on there, and so a frame that comes byte by byte is not searched again and
/// again. A codec is const and keeps nothing between calls, so one serves all connections.
template <class Codec>
concept decoder = requires(Codec const& codec, bytes input, std::size_t seen) {
    { codec.measure(input, seen) } -> std::same_as<step>;
    { codec.maximum_bytes() } -> std::convertible_to<std::size_t>;
};

/// Writes frames. `head` appends what stands before a payload of `payload_bytes` bytes; `prefix` is
/// what the caller wants in front, where the codec has a place for that. An error means that there
/// is no such frame, and nothing is sent.
///
/// One that has `tail(edge& into, bytes head, std::span<bytes const> payload) const`, which gives
/// the same kind of error, also appends what stands behind the payload.
template <class Codec>
concept encoder =
    requires(Codec const& codec, edge& into, bytes prefix, std::size_t payload_bytes) {
        { codec.head(into, prefix, payload_bytes) } -> std::same_as<std::error_code>;
        { codec.maximum_bytes() } -> std::convertible_to<std::size_t>;
    };

/// Reads and writes: what one object writes, it reads back.
template <class Codec>
concept codec = decoder<Codec> && encoder<Codec>;

/// Refuses what the caller wants to send and no peer could read back.
[[nodiscard]] inline std::error_code not_sendable() noexcept {
    return std::make_error_code(std::errc::invalid_argument);
}

/// Appends what a codec puts behind the payload; nothing for one without a `tail`.
template <encoder Codec>
[[nodiscard]] std::error_code append_tail(Codec const& codec, edge& into, bytes head,
                                          std::span<bytes const> payload) {
    if constexpr (requires { codec.tail(into, head, payload); }) {
        return codec.tail(into, head, payload);
    } else {
        return {};
    }
}

}  // namespace rill::framing
