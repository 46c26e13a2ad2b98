// The frames of WebSocket: heads read and written, masking, and what a close frame says.
// RFC 6455 sections 5 and 7.4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"

namespace rill::codec {

/// What a frame is. RFC 6455 section 5.2.
enum class ws_opcode : std::uint8_t {
    continuation = 0,  ///< A further fragment of the message that is open.
    text = 1,          ///< A text message, or the first fragment of one.
    binary = 2,        ///< A binary message, or the first fragment of one.
    close = 8,         ///< The last frame of its sender.
    ping = 9,          ///< Asks for a pong with the same payload.
    pong = 10,         ///< The answer to a ping, or a sign of life.
};

/// True for close, ping and pong, which may come between the fragments of a message.
[[nodiscard]] constexpr bool is_control(ws_opcode opcode) noexcept {
    return (static_cast<unsigned>(opcode) & 8U) != 0;
}

/// Why a frame is refused. All are close code 1002. RFC 6455 sections 5.1, 5.2, 5.4 and 5.5.
enum class ws_fault : std::uint8_t {
    none,             ///< Nothing is wrong.
    reserved_bit,     ///< A reserved bit is set that no extension has given a meaning.
    unknown_opcode,   ///< An opcode without a meaning.
    split_control,    ///< A control frame that is a fragment.
    long_control,     ///< A control frame with more than 125 bytes.
    padded_length,    ///< A length in more bytes than it needs.
    huge_length,      ///< A length of 2^63 or more.
    not_masked,       ///< A client's frame without a mask.
    masked,           ///< A server's frame with a mask.
    no_message,       ///< A continuation where no message is open.
    message_is_open,  ///< A new message before the last fragment of the one before it.
    bad_close,        ///< A close frame whose payload is one byte, or whose code is not to be sent.
};

/// What is wrong, for a log and for the reason of a close frame.
[[nodiscard]] RILL_API std::string_view text_of(ws_fault why) noexcept;

/// The key of a masked frame, as it stands in the head.
using ws_mask = std::array<std::byte, 4>;

/// The bytes before the payload of a frame.
struct ws_head {
    ws_opcode opcode = ws_opcode::continuation;  ///< What the frame is.
    bool last = true;                            ///< FIN: the message ends with this frame.
    bool rsv1 = false;                           ///< The first reserved bit: compressed (RFC 7692).
    bool masked = false;                         ///< The payload is masked.
    ws_mask mask = {};                           ///< With this key, where it is.
    std::uint64_t payload_bytes = 0;             ///< Size of the payload.

    /// True when all of it is the same.
    bool operator==(ws_head const&) const = default;
};

/// How far the reading of a head has come.
struct ws_head_step {
    ws_fault fault = ws_fault::none;  ///< What is wrong, as soon as that is known.
    std::size_t size = 0;             ///< Bytes of the head once it is whole; 0 before.
    ws_head head = {};                ///< The head, once it is whole.

    /// The most bytes of a head.
    static constexpr std::size_t most_bytes = 14;
};

/// The side of a connection that is received from.
enum class ws_sender : std::uint8_t {
    client,  ///< Its frames must be masked.
    server,  ///< Its frames must not be.
};

/// Reads heads of frames in their order, and knows which may follow which.
class RILL_API ws_frame_order {
public:
    /// For frames of `from`; `compression` allows the first reserved bit at the first frame of a
    /// message.
    explicit ws_frame_order(ws_sender from, bool compression = false) noexcept
        : from_(from), compression_(compression) {}

    /// Reads the head that `input` begins with. What is wrong is known at the first byte that shows
    /// it, whatever follows. A whole head counts as taken: go on behind its payload.
    [[nodiscard]] ws_head_step read(bytes input) noexcept;
    /// True when a message has begun and its last fragment has not come.
    [[nodiscard]] bool message_is_open() const noexcept { return open_; }

private:
    [[nodiscard]] ws_fault check_first(unsigned first) const noexcept;
    [[nodiscard]] ws_fault check_second(ws_opcode opcode, unsigned second) const noexcept;

    ws_sender from_;
    bool compression_;
    bool open_ = false;
};

/// A head as it is sent.
class ws_head_text {
public:
    /// The shortest form of `head`.
    RILL_API explicit ws_head_text(ws_head const& head) noexcept;
    /// The bytes; they die with this.
    [[nodiscard]] bytes view() const noexcept { return {bytes_.data(), size_}; }

private:
    std::array<std::byte, ws_head_step::most_bytes> bytes_;
    std::uint8_t size_ = 0;
};

/// Masks a payload in place, or takes the mask off: both are the same. `offset` is where in the
/// payload `data` begins, so that it may come in pieces. RFC 6455 section 5.3.
RILL_API void apply_mask(mutable_bytes data, ws_mask const& mask, std::size_t offset = 0) noexcept;

/// True for a close code that may stand in a frame: those of RFC 6455 section 7.4.1 and of IANA's
/// registry, and 3000 to 4999. Not 1004, 1005, 1006 and 1015, which are never sent.
[[nodiscard]] constexpr bool is_close_code(unsigned code) noexcept {
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

/// What a close frame says.
struct ws_close {
    /// Its code; 1005 where it says none, which is no fault.
    std::uint16_t code = 1005;
    /// Its reason, UTF-8: a view of the payload.
    std::string_view reason = {};
    /// 0, or the code to fail the connection with: 1002, or 1007 where the reason is not UTF-8.
    std::uint16_t fails_with = 0;
};

/// Reads the unmasked payload of a close frame. RFC 6455 section 5.5.1.
[[nodiscard]] RILL_API ws_close read_ws_close(bytes payload) noexcept;

/// The payload of a close frame, kept in place.
class ws_close_text {
public:
    /// The most bytes of a reason.
    static constexpr std::size_t most_reason_bytes = 123;

    /// `code` and `reason`, of which only whole characters within 123 bytes are taken, and nothing
    /// behind what is not UTF-8. Code 1005 gives an empty payload; else asserts `is_close_code`.
    RILL_API ws_close_text(std::uint16_t code, std::string_view reason) noexcept;
    /// The bytes; they die with this.
    [[nodiscard]] bytes view() const noexcept { return {bytes_.data(), size_}; }

private:
    std::array<std::byte, most_reason_bytes + 2> bytes_;
    std::uint8_t size_ = 0;
};

}  // namespace rill::codec
