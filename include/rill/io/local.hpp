// Local (Unix) sockets beyond byte streams: datagrams, descriptors that travel, and who the peer
// is. unix(7). Streams are `tcp::listener` and `tcp::connect` on `unix:/path` or `unix:@name`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rill/base/address.hpp"
#include "rill/io/datagram.hpp"
#include "rill/io/file.hpp"
#include "rill/io/tcp.hpp"

namespace rill::local {

/// A received message: bytes, and descriptors that came along.
using message = received_datagram;

/// Who is at the other end, as the kernel knows since its connect or listen (SO_PEERCRED).
struct credentials {
    std::int64_t process = 0;  ///< Its process id, as seen from here; 0 for one of another space.
    std::uint32_t user = 0;    ///< Its effective user id.
    std::uint32_t group = 0;   ///< Its effective group id.
};

/// Who is at the other end of a stream over a `unix:` address. Errors: `unsupported` for other
/// streams.
[[nodiscard]] RILL_API result<credentials> peer_of(tcp::stream const& what) noexcept;

/// What a socket wants. Negative numbers leave the system's value.
struct options {
    /// Receive messages of up to 64 KiB instead of 3840 bytes; larger ones are truncated. The core
    /// has 32 such buffers.
    bool large_messages = false;
    /// Messages that are received and not asked for yet; beyond it senders wait. 0 is 1.
    std::uint32_t most_unread = 64;
    /// Permissions of the file of a path, as 0660; -1 for what umask leaves.
    int mode = -1;
    /// SO_SNDBUF in bytes.
    int send_buffer_bytes = -1;
    /// SO_RCVBUF in bytes.
    int receive_buffer_bytes = -1;
};
static_assert(std::is_trivially_destructible_v<options>);

class socket;
struct pair;

/// Two connected sockets of datagrams. Throws `error`.
[[nodiscard]] RILL_API pair make_pair(options with = {});
/// Two connected streams of messages: bytes in order, with an end. Throws `error`.
[[nodiscard]] RILL_API pair make_stream_pair(options with = {});

/// A local socket of messages: datagrams, which arrive whole, in order, and once; or a stream whose
/// bytes come with descriptors. Move-only; closes when it goes out of scope, and removes the file
/// that it was bound to.
///
/// Core  the core that made it. One reader at a time; sends beside it go out in order.
class RILL_API socket {
public:
    /// No socket.
    socket() noexcept = default;
    socket(socket&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    socket& operator=(socket&& other) noexcept;
    ~socket();

    /// A socket of datagrams with a name: `unix:/path`, or `unix:@name` without a file. A file that
    /// a process left behind, where nobody answers, is replaced. Throws `error`.
    [[nodiscard]] static socket bind(std::string_view at, options with = {});
    /// A nameless socket of datagrams that sends to one peer, which cannot answer it. Throws
    /// `error`.
    [[nodiscard]] static socket connect(std::string_view to, options with = {});
    /// Takes a connected stream over that was not read from or written to yet, so that descriptors
    /// can travel.
    [[nodiscard]] static socket over(tcp::stream&& of, options with = {});

    /// True when there is a socket in it.
    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }

    /// Waits for a message and gives it in the buffer that the kernel filled.
    ///
    /// Returns   a datagram, or some bytes of a stream; none at the end of a stream.
    /// Errors    a reset of a stream; `timed_out` after `deadline`; `closed`.
    /// Cancel    nothing is lost: what had arrived, descriptors too, is received by the next call.
    [[nodiscard]] receive_datagram_operation receive(time_point deadline = never) noexcept {
        return {state(), deadline};
    }
    /// Waits for a message and takes all that are there, up to the size of `into`; how many.
    [[nodiscard]] receive_batch_operation receive(std::span<message> into,
                                                  time_point deadline = never) noexcept {
        return {state(), into, deadline};
    }

    /// Sends to the peer; a receiver that is full makes it wait.
    ///
    /// Errors    ECONNREFUSED where the peer has gone; EPIPE on a stream; `timed_out`; `closed`.
    /// Lifetime  the bytes must live until the await finishes.
    [[nodiscard]] send_datagram_operation send(bytes what, time_point deadline = never) noexcept {
        return {state(), what, nullptr, deadline};
    }
    /// The same, and gives the peer copies of up to 16 descriptors; the caller's own stay open.
    /// With no byte at all a stream carries none, so send at least one.
    [[nodiscard]] send_datagram_operation send(bytes what,
                                               std::span<file::handle const> descriptors,
                                               time_point deadline = never) noexcept;
    /// Sends a datagram to the socket that is bound to `to`.
    [[nodiscard]] send_datagram_operation send_to(bytes what, address const& to,
                                                  time_point deadline = never) noexcept {
        return {state(), what, &to, deadline};
    }

    /// Ends this side of a stream after the sends so far; receiving goes on. Await them first.
    void finish() noexcept;
    /// Closes now. Waits in progress end with `closed`.
    void close() noexcept;

    /// Who is at the other end of a stream or a pair.
    [[nodiscard]] result<credentials> peer() const noexcept;
    /// This side's address; of kind `none` where it has no name.
    [[nodiscard]] address local_address() const;

private:
    friend pair make_pair(options with);
    friend pair make_stream_pair(options with);
    [[nodiscard]] static socket open(address const* at, options const& with, std::string_view what,
                                     std::string_view where);
    explicit socket(message_socket* state) noexcept : state_(state) {}
    [[nodiscard]] message_socket& state() const noexcept;
    message_socket* state_ = nullptr;
};

/// Two connected sockets.
struct pair {
    socket first;   ///< One end.
    socket second;  ///< The other.
};

}  // namespace rill::local
