// The state of a WebSocket connection and the coroutines that join it to a stream. RFC 6455.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "codec/utf8.hpp"
#include "rill/base/buffer.hpp"
#include "rill/codec/ws_frame.hpp"
#include "rill/coro/event.hpp"
#include "rill/coro/mutex.hpp"
#include "rill/io/heartbeat.hpp"
#include "rill/io/tcp.hpp"
#include "rill/ws/socket.hpp"

namespace rill::ws::detail {

/// A WebSocket connection.
///
/// All that was read lives here and not in the coroutine that reads, so that a cancelled `receive`
/// loses nothing. Invariants: `input_` is what of the last lease was not taken; `frame_` is the one
/// whose payload is being taken, while `in_frame_`; what of a message came before is in
/// `gathered_`.
class connection {
public:
    connection(byte_stream& peer, role side, socket_options const& options);
    /// Owns the stream of a client.
    connection(std::unique_ptr<tcp::stream> owned, socket_options const& options)
        : connection(*owned, role::client, options) {
        owned_ = std::move(owned);
    }

    [[nodiscard]] task<message> receive();
    [[nodiscard]] task<> send(codec::ws_opcode opcode, bytes content);
    [[nodiscard]] task<> send_fragment(codec::ws_opcode opcode, bytes content, bool last);
    [[nodiscard]] task<> ping(bytes payload);
    [[nodiscard]] task<> close(unsigned code, std::string_view reason);

    /// Says goodbye and gives the peer its time, but reads nothing: another coroutine may look at a
    /// message that was received.
    [[nodiscard]] task<> leave(unsigned code);

    [[nodiscard]] bool ended() const noexcept { return ended_.is_set(); }
    [[nodiscard]] unsigned close_code() const noexcept { return close_code_; }
    [[nodiscard]] std::string_view close_reason() const noexcept { return close_reason_; }
    [[nodiscard]] byte_stream& stream() const noexcept { return peer_; }

    std::string protocol;

private:
    enum class progress : std::uint8_t {
        hungry,   // all input is taken
        message,  // one is there
        ping,     // a pong is owed
        closed,   // the peer has sent its close
        failed,   // `code_` and `reason_` say why
    };
    class outgoing;

    [[nodiscard]] progress advance();
    [[nodiscard]] bool read_head() noexcept;
    [[nodiscard]] bool begin_frame(codec::ws_head const& head) noexcept;
    [[nodiscard]] progress take_data(mutable_bytes piece, bool whole_frame);
    [[nodiscard]] progress take_control(bytes piece, bool whole_frame);
    [[nodiscard]] progress take_close(bytes payload);
    [[nodiscard]] progress fail(unsigned code, std::string_view why) noexcept;
    void forget_message() noexcept;

    [[nodiscard]] task<> fill(time_point limit);
    [[nodiscard]] task<> act_on_time(time_point limit);
    [[nodiscard]] task<message> read_until(time_point limit);
    [[nodiscard]] task<> write_control(codec::ws_opcode opcode, bytes payload);
    [[nodiscard]] task<> write_frame(codec::ws_opcode opcode, bytes payload, bool last);
    [[nodiscard]] codec::ws_head head_of(codec::ws_opcode opcode, std::size_t size,
                                         bool last) const;
    [[nodiscard]] task<> say_close(unsigned code, std::string_view reason);
    [[nodiscard]] task<> await_end(time_point limit);
    [[nodiscard]] task<> answer_end(progress why);
    void require_open(char const* operation) const;

    [[nodiscard]] time_point next_deadline(time_point limit) const noexcept;
    [[nodiscard]] time_point write_deadline() const noexcept;
    void end(unsigned code, std::string_view reason = {});
    void cut();

    std::unique_ptr<tcp::stream> owned_;  // of a client; what is below ends before it
    byte_stream& peer_;
    socket_options options_;
    codec::ws_frame_order order_;
    heartbeat pulse_;  // a ping counts as said, and so does all that comes: it is about silence
    time_point last_message_;
    mutex sending_;            // data frames: a fragmented message holds it from first to last
    mutex::guard fragmented_;  // while one is being sent
    event ended_;

    lease input_;
    codec::ws_head frame_;
    std::uint64_t taken_ = 0;  // of its payload
    buffer gathered_;
    bytes whole_;  // the message that `receive` gives
    codec::utf8_check utf8_;
    codec::ws_opcode opcode_ = codec::ws_opcode::binary;           // of the message
    std::array<std::byte, 125> control_;                           // the payload of a control frame
    std::array<std::byte, codec::ws_head_step::most_bytes> head_;  // one that came in pieces
    std::uint8_t head_size_ = 0;
    std::uint8_t control_size_ = 0;
    bool masks_;
    bool in_frame_ = false;
    bool given_ = false;  // the last message was given to the caller
    bool pong_owed_ = false;
    bool receiving_ = false;
    bool close_sent_ = false;
    std::uint16_t code_ = 0;  // why it is about to end
    std::uint16_t close_code_ = 0;
    std::string reason_;
    std::string close_reason_;
};

}  // namespace rill::ws::detail
