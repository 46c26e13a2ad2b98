// A socket of messages over the driver seam: datagrams of UDP and of local sockets, and local
// streams whose bytes come with descriptors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "rill/io/datagram.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/lazy_deadlines.hpp"
#include "rill/rt/request.hpp"
#include "rt/driver.hpp"
#include "rt/receive_buffers.hpp"

namespace rill {

namespace detail {

/// The address to give to the kernel: an IPv6 socket sends to IPv4 by the mapped address (RFC 4291
/// section 2.5.5.2), for which `mapped` is storage.
[[nodiscard]] address const* reachable(address const* target, address::family from,
                                       address& mapped) noexcept;

}  // namespace detail

/// Owned by a handle (`udp::socket`, `local::socket`) until `release`, then by itself until the
/// driver has let go of it.
///
/// Receiving. As on a stream socket, one request for a stream of results stays armed while fewer
/// than `most_unread` are unread; at the bound it is cancelled, and the kernel's own buffer fills,
/// which drops what comes further (`dropped`). Before the cancel acts, one turn of the kernel can
/// bring some more.
///
/// Failures. What ICMP says of a datagram never ends receiving. It is noted against its target, in
/// a table of the last `most_failures`, and told to the next send to that target, which then sends
/// nothing. A send that is given the failure of another's datagram is tried again.
///
/// Invariant: `receiving_` in flight implies that the descriptor is open.
class message_socket final : private buffer_waiter, private lazy_deadlines<message_socket, 1> {
public:
    static constexpr std::size_t most_failures = 16;

    struct settings {
        address::family kind = address::family::none;
        bool stream = false;         // a local stream: bytes in order, and an end
        bool large_buffers = false;  // datagrams of up to 64 KiB
        std::uint32_t most_unread = 64;
    };

    /// Takes the descriptor over.
    message_socket(core& home, int descriptor, settings const& with);

    /// For connected sockets: to whom a send without a target goes.
    void set_peer(address const& to) { peer_ = to; }

    /// For sockets bound to a local address: the name, which is let go when the socket closes.
    void set_name(address const& name) { name_ = name; }

    [[nodiscard]] std::optional<result<received_datagram>> begin_receive(
        datagram_waiter& who, time_point deadline) noexcept;
    void stop_receive(datagram_waiter& who) noexcept;
    /// The next unread datagram; none where there is none.
    [[nodiscard]] received_datagram take_unread() noexcept;
    /// Unread input, to be received before anything else.
    void put_back(received_datagram input) noexcept;

    void close() noexcept;
    /// The owner lets go: closes, and deletes itself when nothing is in flight any more.
    void release() noexcept;

    [[nodiscard]] core& home() const noexcept { return home_; }
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    [[nodiscard]] bool closed() const noexcept { return closed_; }
    [[nodiscard]] address::family kind() const noexcept { return with_.kind; }
    [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }

private:
    friend class send_datagram_operation;
    friend class send_batch_operation;
    friend class received_datagram;

    class receive_request final : public request {
    public:
        receive_request(message_socket& of, bool large) noexcept;
        message_socket& owner;

    private:
        void completed(int value, std::uint32_t buffer, bool more) noexcept override {
            owner.received(value, buffer, more);
        }
    };
    friend class lazy_deadlines<message_socket, 1>;

    ~message_socket();

    void arm() noexcept;
    void deadline_passed(std::size_t) noexcept { tell_reader(errc::timed_out); }
    void received(int value, std::uint32_t buffer, bool more) noexcept;
    void failed(int code) noexcept;
    void buffer_returned() noexcept override;
    void enqueue(std::uint32_t buffer, std::uint32_t used) noexcept;
    [[nodiscard]] received_datagram describe(std::uint32_t buffer, std::uint32_t used) noexcept;
    void tell_reader(result<received_datagram> what) noexcept;

    // Sends. One after the other on local sockets, whose peers rely on the order.
    [[nodiscard]] std::optional<result<void>> begin_send(send_datagram_operation& what) noexcept;
    void stop_send(send_datagram_operation& what, std::error_code why) noexcept;
    void sent(send_datagram_operation& what, int value) noexcept;
    void finish_send(send_datagram_operation& what, result<void> outcome) noexcept;
    [[nodiscard]] bool in_line() const noexcept { return with_.kind == address::family::local; }

    /// Collects what ICMP told. Returns how much it was.
    std::size_t collect_failures() noexcept;
    [[nodiscard]] std::optional<std::error_code> failure_of(address const* target) noexcept;
    [[nodiscard]] static bool may_be_of_another(int code) noexcept;

    void let_go() noexcept;

    core& home_;
    receive_buffers& buffers_;
    int descriptor_;
    settings with_;
    receive_request receiving_;
    address peer_;
    address name_;

    std::uint32_t first_unread_ = receive_buffers::none;
    std::uint32_t last_unread_ = receive_buffers::none;
    std::uint32_t unread_count_ = 0;
    std::error_code end_;  // why receiving has ended; `end_of_stream` for a clean end
    datagram_waiter* reader_ = nullptr;
    pending_writes sends_;
    send_batch_operation* first_batch_ = nullptr;
    std::error_code broken_;  // why a stream takes no further send

    std::array<send_failure, most_failures> noted_;  // `code` 0: told, or none yet
    std::size_t untold_ = 0;                         // how many of them have a code
    std::uint64_t failures_ = 0;
    bool closed_ = false;
    bool released_ = false;
};

}  // namespace rill
