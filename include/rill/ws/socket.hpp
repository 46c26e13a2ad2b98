// socket: a WebSocket connection, of either side. RFC 6455.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>

#include "rill/base/address.hpp"
#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/task.hpp"
#include "rill/io/byte_stream.hpp"

namespace rill::ws {

/// The limits and deadlines of a connection.
struct socket_options {
    /// Bytes of a message that is received, all its fragments together. Beyond: close code 1009.
    std::size_t message_bytes = 16 * 1024 * 1024;
    /// Bytes of one frame that is received; 0 is as `message_bytes`. Beyond: 1009.
    std::size_t frame_bytes = 0;
    /// A ping is sent when nothing came for that long while the connection is read; 0 sends none.
    duration ping_after = 20s;
    /// The connection is cut when nothing came for that long while it is read; 0 waits for ever.
    duration give_up_after = 60s;
    /// The connection is closed with 1001 when no message came for that long while it is read,
    /// pings and pongs not counted; 0 waits for ever.
    duration idle_timeout = 0s;
    /// How long a peer may take to accept what is sent, counted for each call; 0 waits for ever.
    duration write_timeout = 30s;
    /// How long a peer has for its part of the closing handshake.
    duration close_timeout = 5s;
};
static_assert(std::is_trivially_destructible_v<socket_options>);

/// Which side of a connection this is.
enum class role : std::uint8_t {
    server,  ///< Receives frames with a mask.
    client,  ///< Sends frames with a mask.
};

/// What a message is.
enum class kind : std::uint8_t {
    text,    ///< UTF-8; it was checked.
    binary,  ///< Any bytes.
};

/// A message that was received; false at the end of the connection.
///
/// Lifetime  a view of the connection's memory, good until the next `receive` or `close`.
class message {
public:
    /// None: the end.
    message() noexcept = default;
    /// A message of that kind and content.
    message(ws::kind what, bytes content) noexcept : content_(content), kind_(what), there_(true) {}

    /// True when there is one, also an empty one.
    [[nodiscard]] explicit operator bool() const noexcept { return there_; }
    /// What it is.
    [[nodiscard]] ws::kind kind() const noexcept { return kind_; }
    /// Its content.
    [[nodiscard]] bytes operator*() const noexcept { return content_; }
    /// Its content as text.
    [[nodiscard]] std::string_view text() const noexcept { return content_.text(); }
    /// How many bytes.
    [[nodiscard]] std::size_t size() const noexcept { return content_.size(); }

private:
    bytes content_;
    ws::kind kind_ = ws::kind::binary;
    bool there_ = false;
};

namespace detail {
class connection;
}

/// A WebSocket connection: `while (auto message = co_await socket.receive()) ...`.
///
/// One coroutine receives; any number may send, each waits for its turn and for the peer. Pings are
/// answered, the heartbeat is kept and the peer's end is noticed while somebody receives.
///
/// Core: owner core only. Cost: one allocation; a message that lies in one piece of input is not
/// copied, others are gathered in memory that is given back after them.
class RILL_API socket {
public:
    /// A connection over `peer` whose opening handshake is done; `peer` outlives it. Handlers get
    /// theirs from `accept`.
    socket(byte_stream& peer, role side, socket_options const& options = {});
    socket(socket&& other) noexcept;
    socket& operator=(socket&& other) noexcept;
    /// Closes nothing: end it with `close`, or by ending its handler.
    ~socket();

    /// Waits for the next message.
    ///
    /// Returns   the message; false once the connection has ended, for whatever reason, again and
    ///           again: see `close_code`. What peers do wrong is answered and throws nothing.
    /// Cancel    nothing is lost: the next call goes on.
    [[nodiscard]] task<message> receive();

    /// Sends a text message and waits until the stream has taken it.
    ///
    /// Errors    `error`: `closed` once the connection is closing or has ended; invalid_argument,
    ///           with nothing sent, for what is not UTF-8; those of `byte_stream::write`.
    /// Lifetime  the text must live until the await finishes, also when cancelled.
    /// Cancel    before its turn nothing is sent; part way, the connection takes no further
    /// message. Cost      a client copies the content to mask it; a server copies nothing.
    [[nodiscard]] task<> send(std::string_view text);
    /// The same for a binary message.
    [[nodiscard]] task<> send_binary(bytes content);
    /// Sends `content` as a message of that kind.
    [[nodiscard]] task<> send(kind what, bytes content);
    /// Sends a fragment of a message: `last` ends it. Until then no other message is sent, and who
    /// wants to send one waits. The fragments come from one coroutine; their kind is that of the
    /// first. Errors, lifetime and cost as in `send`; UTF-8 may be cut between fragments.
    [[nodiscard]] task<> send_fragment(kind what, bytes content, bool last);
    /// Sends a ping with up to 125 bytes, which the peer sends back; pongs are not shown.
    /// Errors as in `send`; invalid_argument where the payload is longer.
    [[nodiscard]] task<> ping(bytes payload = {});

    /// Ends the connection: sends `code` and a reason of up to 123 bytes in UTF-8, drops messages
    /// that still come, and waits for the peer's close, no longer than `close_timeout`. Does
    /// nothing more when it has ended, and may be called again and beside a `receive`, which then
    /// ends.
    ///
    /// Errors    invalid_argument for a code that may not be sent (RFC 6455 section 7.4).
    [[nodiscard]] task<> close(unsigned code = 1000, std::string_view reason = {});

    /// True once the connection has ended: no message will come or can be sent.
    [[nodiscard]] bool ended() const noexcept;
    /// Why it has ended: the code of the peer's close, 1005 where that had none; the code that this
    /// side has failed the connection with (1002, 1007, 1009); 1006 where it was cut. 0 before.
    [[nodiscard]] unsigned close_code() const noexcept;
    /// The reason that belongs to it; empty where there is none.
    [[nodiscard]] std::string_view close_reason() const noexcept;
    /// The subprotocol that was agreed on; empty where there is none.
    [[nodiscard]] std::string_view protocol() const noexcept;
    /// The peer's address.
    [[nodiscard]] address remote_address() const;

    /// For the library: sends a close and waits for the end, which another coroutine receives.
    [[nodiscard]] task<> leave(unsigned code);
    /// For the library: notes the subprotocol that was agreed on.
    void set_protocol(std::string_view name);

    /// For the library: a connection that owns its stream.
    explicit socket(std::unique_ptr<detail::connection> state) noexcept;

private:
    std::unique_ptr<detail::connection> state_;
};

}  // namespace rill::ws
