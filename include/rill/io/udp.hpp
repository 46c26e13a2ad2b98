// UDP: sockets of datagrams, bound or connected. RFC 768.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rill/base/address.hpp"
#include "rill/io/datagram.hpp"

namespace rill::udp {

/// A received datagram.
using datagram = received_datagram;

/// What a socket wants. Negative numbers leave the system's value.
struct options {
    /// Several sockets share the work of one port: one per core, or one per process (SO_REUSEPORT).
    bool reuse_port = false;
    /// Several sockets receive what is sent to one multicast group (SO_REUSEADDR).
    bool reuse_address = false;
    /// `[::]:port` and `:port` take IPv4 too.
    bool dual_stack = true;
    /// May send to broadcast addresses.
    bool broadcast = false;
    /// Datagrams larger than the path takes are refused with EMSGSIZE instead of cut into fragments
    /// (RFC 1191, RFC 8899).
    bool dont_fragment = false;
    /// Receive datagrams of up to 64 KiB instead of 3840 bytes; larger ones are truncated. The
    /// core has 32 such buffers.
    bool large_datagrams = false;
    /// Datagrams of one sender that came together may be received as one, see
    /// `received_datagram::segment` (UDP_GRO). Implies `large_datagrams`.
    bool merge = false;
    /// Say to which local address a datagram was sent, see `received_datagram::to`.
    bool tell_local = false;
    /// Datagrams that are received and not asked for yet. Beyond it they wait in the kernel, and
    /// what its buffer cannot hold is dropped and counted. 0 is 1.
    std::uint32_t most_unread = 64;
    /// Hops that a datagram may take (TTL).
    int hops = -1;
    /// Type of service or traffic class (RFC 2474).
    int traffic_class = -1;
    /// Hops that a datagram to a group may take; the system's value is 1.
    int multicast_hops = -1;
    /// What this host sends to a group comes back to its own members.
    bool multicast_loop = true;
    /// Index of the interface by which groups are reached; 0 lets the system choose.
    std::uint32_t multicast_interface = 0;
    /// SO_SNDBUF in bytes.
    int send_buffer_bytes = -1;
    /// SO_RCVBUF in bytes: how much waits in the kernel before it drops.
    int receive_buffer_bytes = -1;
};
static_assert(std::is_trivially_destructible_v<options>);

/// What a socket has seen.
struct counters {
    std::uint64_t dropped = 0;   ///< Datagrams that came and found no room in the kernel.
    std::uint64_t failures = 0;  ///< Datagrams of which ICMP said that they did not arrive.
};

/// A UDP socket.
///
/// What ICMP says of a datagram (port unreachable, host unreachable) never ends receiving and never
/// closes the socket: the next send to the same address fails with it, sends nothing, and the send
/// after that one is tried again. Sends to others do not notice.
class RILL_API socket : public datagram_socket {
public:
    /// No socket.
    socket() noexcept = default;
    /// A socket on a local address: `127.0.0.1:0` (the system chooses a port), `:9000`.
    /// Throws `error` with the address and the cause.
    [[nodiscard]] static socket bind(std::string_view at, options with = {});
    /// The same for an address.
    [[nodiscard]] static socket bind(address const& at, options with = {});
    /// A socket that has one peer: it receives from that one only, and `send` goes there.
    /// Throws `error` with the address and the cause. Nothing is sent.
    [[nodiscard]] static socket connect(std::string_view to, options with = {});
    /// The same for an address.
    [[nodiscard]] static socket connect(address const& to, options with = {});

    using datagram_socket::send;
    /// Sends many datagrams, up to 32 of them in one transition into the kernel on io_uring.
    ///
    /// Returns   how many the kernel took. One that fails does not keep the others.
    /// Errors    where all failed, that of the first; `closed`.
    [[nodiscard]] send_batch_operation send(std::span<outgoing_datagram const> batch) noexcept {
        return {state(), batch};
    }
    /// Sends `what` as datagrams of `segment_bytes` each but the last, which may be smaller; the
    /// kernel cuts up to 64 at once (UDP_SEGMENT, udp(7)). Null is the peer. Errors: as `send_to`,
    /// and EINVAL where a segment with its headers is larger than the path takes.
    [[nodiscard]] send_datagram_operation send_segments(bytes what, std::uint16_t segment_bytes,
                                                        address const* to = nullptr,
                                                        time_point deadline = never) noexcept;

    /// Joins a multicast group on an interface (its index; 0 lets the system choose). Throws
    /// `error`.
    void join(address const& group, std::uint32_t interface = 0);
    /// Leaves it. Throws `error`.
    void leave(address const& group, std::uint32_t interface = 0);

    /// The peer of a connected socket; else of kind `none`.
    [[nodiscard]] address remote_address() const;
    /// What it has seen so far. Cost: a system call.
    [[nodiscard]] udp::counters counters() const noexcept;

private:
    explicit socket(message_socket* state) noexcept : datagram_socket(state) {}
    [[nodiscard]] static socket open(address::family kind, address const* at, options const& with,
                                     std::string_view what, std::string_view where);
};

}  // namespace rill::udp
