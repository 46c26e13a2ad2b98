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
/// bytes come with descriptors. Sends go out in order. Closing removes the file that it was bound
/// to.
class RILL_API socket : public datagram_socket {
public:
    /// No socket.
    socket() noexcept = default;
    /// A socket of datagrams with a name: `unix:/path`, or `unix:@name` without a file. A file that
    /// a process left behind, where nobody answers, is replaced. Throws `error`.
    [[nodiscard]] static socket bind(std::string_view at, options with = {});
    /// A nameless socket of datagrams that sends to one peer, which cannot answer it. Throws
    /// `error`.
    [[nodiscard]] static socket connect(std::string_view to, options with = {});
    /// Takes a connected stream over that was not read from or written to yet, so that descriptors
    /// can travel.
    [[nodiscard]] static socket over(tcp::stream&& of, options with = {});

    using datagram_socket::send;
    /// Sends to the peer and gives it copies of up to 16 descriptors; the caller's own stay open.
    /// With no byte at all a stream carries none, so send at least one.
    [[nodiscard]] send_datagram_operation send(bytes what,
                                               std::span<file::handle const> descriptors,
                                               time_point deadline = never) noexcept;

    /// Ends this side of a stream after the sends so far; receiving goes on. Await them first.
    void finish() noexcept;

    /// Who is at the other end of a stream or a pair.
    [[nodiscard]] result<credentials> peer() const noexcept;

private:
    friend pair make_pair(options with);
    friend pair make_stream_pair(options with);
    [[nodiscard]] static socket open(address const* at, options const& with, std::string_view what,
                                     std::string_view where);
    explicit socket(message_socket* state) noexcept : datagram_socket(state) {}
};

/// Two connected sockets.
struct pair {
    socket first;   ///< One end.
    socket second;  ///< The other.
};

}  // namespace rill::local
