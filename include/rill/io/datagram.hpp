// What sockets of datagrams have in common: a received datagram on loan, and the waits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rill/base/address.hpp"
#include "rill/base/bytes.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/operation.hpp"
#include "rill/io/byte_stream.hpp"
#include "rill/io/file.hpp"
#include "rill/rt/lease.hpp"
#include "rill/rt/request.hpp"
#include "rill/rt/timer_wheel.hpp"

namespace rill {

class message_socket;

/// A received datagram, in a buffer that the kernel filled; no copy was made.
///
/// Move-only. The buffer goes back to its core when this ends, so never hold one across a wait that
/// a peer controls. Descriptors that came with it and were not taken are closed.
///
/// Core: the core that received it.
class RILL_API received_datagram {
public:
    /// None: the end of a stream, or not received yet.
    received_datagram() noexcept = default;
    received_datagram(received_datagram&& other) noexcept;
    received_datagram& operator=(received_datagram&& other) noexcept;
    ~received_datagram() { reset(); }

    /// True when there is one, also an empty one.
    [[nodiscard]] explicit operator bool() const noexcept { return present_; }
    /// Its bytes; they die with it.
    [[nodiscard]] bytes operator*() const noexcept { return buffer_.view(); }
    /// The same.
    [[nodiscard]] bytes view() const noexcept { return buffer_.view(); }
    /// How many bytes.
    [[nodiscard]] std::size_t size() const noexcept { return buffer_.size(); }
    /// Who sent it; of kind `none` where the sender has no address.
    [[nodiscard]] address from() const;
    /// To which local address it was sent, without the port; of kind `none` where the socket was
    /// not opened with `tell_local`.
    [[nodiscard]] address to() const;
    /// True when the datagram was larger than the buffer: its tail is lost.
    [[nodiscard]] bool truncated() const noexcept { return truncated_; }

    /// Where datagrams came merged: the size of each but the last, which may be smaller; else 0.
    [[nodiscard]] std::size_t segment_bytes() const noexcept { return segment_bytes_; }
    /// How many datagrams it is: 1 where none were merged.
    [[nodiscard]] std::size_t segment_count() const noexcept {
        return segment_bytes_ == 0 ? 1 : (size() + segment_bytes_ - 1) / segment_bytes_;
    }
    /// The datagram `index` of those that came merged.
    [[nodiscard]] bytes segment(std::size_t index) const noexcept {
        if (segment_bytes_ == 0) return view();
        return view().without_first(index * segment_bytes_).first(segment_bytes_);
    }

    /// How many descriptors came with it and were not taken yet.
    [[nodiscard]] std::size_t descriptor_count() const noexcept { return descriptor_count_; }
    /// True when descriptors were dropped: more came than 16, or this process has too many open.
    [[nodiscard]] bool descriptors_lost() const noexcept { return descriptors_lost_; }
    /// The descriptors, which are the caller's now.
    [[nodiscard]] std::vector<file::handle> take_descriptors();

    /// Ends it now.
    void reset() noexcept;

private:
    friend class message_socket;
    [[nodiscard]] mutable_bytes whole() const noexcept;

    lease buffer_;  // its view is the payload
    std::uint16_t segment_bytes_ = 0;
    std::uint8_t descriptor_count_ = 0;
    bool present_ = false;
    bool truncated_ = false;
    bool descriptors_lost_ = false;
};

/// A reader that waits for a datagram.
class RILL_API datagram_waiter {
public:
    /// A datagram, none at the end of a stream, or why there is none.
    virtual void arrived(result<received_datagram> input) noexcept = 0;

protected:
    datagram_waiter() noexcept = default;
    ~datagram_waiter() = default;
};

/// The wait for one datagram.
class [[nodiscard]] RILL_API receive_datagram_operation final
    : public value_operation<received_datagram>,
      private datagram_waiter {
public:
    /// A wait on `from`, until `deadline`.
    receive_datagram_operation(message_socket& from, time_point deadline) noexcept
        : from_(from), deadline_(deadline) {}
    ~receive_datagram_operation();
    [[nodiscard]] char const* name() const noexcept override { return "receive datagram"; }

private:
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    void arrived(result<received_datagram> input) noexcept override;

    message_socket& from_;
    time_point deadline_;
};

/// The wait for as many datagrams as are there, and at least one.
class [[nodiscard]] RILL_API receive_batch_operation final : public value_operation<std::size_t>,
                                                             private datagram_waiter {
public:
    /// A wait on `from`, until `deadline`.
    receive_batch_operation(message_socket& from, std::span<received_datagram> into,
                            time_point deadline) noexcept;
    ~receive_batch_operation();
    /// Takes the datagrams; how many, or throws.
    std::size_t await_resume() {
        take();
        return value_operation::await_resume();
    }
    /// Takes the datagrams; the result, without a throw.
    [[nodiscard]] result<std::size_t> take_result() noexcept {
        take();
        return value_operation::take_result();
    }
    [[nodiscard]] char const* name() const noexcept override { return "receive datagrams"; }

private:
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    void arrived(result<received_datagram> input) noexcept override;
    void keep(result<received_datagram> input) noexcept;
    void take() noexcept;

    message_socket& from_;
    std::span<received_datagram> into_;
    received_datagram first_;  // taken only when the awaiting frame goes on
    time_point deadline_;
};

/// The wait until a datagram, or the bytes of a local stream, are accepted by the kernel.
class [[nodiscard]] RILL_API send_datagram_operation final : public value_operation<void>,
                                                             private pending_write,
                                                             private request {
public:
    /// One piece to `target`; null is the peer of the socket.
    send_datagram_operation(message_socket& from, bytes what, address const* target,
                            time_point deadline) noexcept;
    /// Several pieces in one datagram; the span must live.
    send_datagram_operation(message_socket& from, std::span<bytes const> pieces,
                            address const* target, time_point deadline) noexcept;
    /// As datagrams of `segment_bytes` each, which the kernel cuts.
    send_datagram_operation(message_socket& from, bytes what, std::uint16_t segment_bytes,
                            address const* target, time_point deadline) noexcept;
    /// To the peer of a local socket, with copies of descriptors; the span must live.
    send_datagram_operation(message_socket& from, bytes what,
                            std::span<file::handle const> descriptors,
                            time_point deadline) noexcept;
    [[nodiscard]] char const* name() const noexcept override { return "send datagram"; }

private:
    friend class message_socket;
    struct timer final : timer_node {
        explicit timer(send_datagram_operation& of) noexcept;
        send_datagram_operation& owner;
    };

    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    void written(result<void> outcome) noexcept override;
    void completed(int value, std::uint32_t buffer, bool more) noexcept override;
    [[noreturn]] void throw_error(std::error_code code) const override;
    void submit(int descriptor) noexcept;

    message_socket& from_;
    time_point deadline_;
    message_extras extras_;
    address mapped_;  // storage for an IPv4 target of an IPv6 socket
    bytes cut_;       // storage for a piece that is sent in parts
    bool tried_again_ = false;
    timer timer_;
};

/// A datagram to send.
struct outgoing_datagram {
    bytes what;                   ///< Its bytes.
    address const* to = nullptr;  ///< Its target; null is the peer of the socket.
};

/// The wait until a batch of datagrams is accepted by the kernel.
class [[nodiscard]] RILL_API send_batch_operation final : public value_operation<std::size_t> {
public:
    /// A batch; the span and what it points at must live.
    send_batch_operation(message_socket& from, std::span<outgoing_datagram const> batch) noexcept;
    ~send_batch_operation();
    [[nodiscard]] char const* name() const noexcept override { return "send datagrams"; }

private:
    friend class message_socket;
    class slot;
    class slots;

    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    void sent(slot& by, int value) noexcept;
    void submit(slot& by) noexcept;
    void stop(std::error_code why) noexcept;
    void finish() noexcept;

    message_socket& from_;
    std::span<outgoing_datagram const> batch_;
    std::unique_ptr<slots> slots_;
    std::size_t next_ = 0;  // of the batch, to be submitted
    std::size_t accepted_ = 0;
    std::size_t in_flight_ = 0;
    std::error_code first_failure_;
    std::error_code stopped_by_;
    send_batch_operation* next_batch_ = nullptr;      // the socket's list
    send_batch_operation* previous_batch_ = nullptr;  // the socket's list
};

/// A socket of messages in the hands of a program: what `udp::socket` and `local::socket` have in
/// common. Move-only; closes when it goes out of scope.
///
/// Core  the core that made it. One reader at a time; any number of sends beside it.
class RILL_API datagram_socket {
public:
    /// True when there is a socket in it.
    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }

    /// Waits for a message and gives it in the buffer that the kernel filled.
    ///
    /// Returns   a datagram; of a stream some bytes, and none at its end.
    /// Errors    `timed_out` after `deadline`; `closed`; a reset of a stream. The network is none.
    /// Cancel    nothing is lost: what had arrived, descriptors too, is received by the next call.
    [[nodiscard]] receive_datagram_operation receive(time_point deadline = never) noexcept {
        return {state(), deadline};
    }
    /// Waits for a message and takes all that are there, up to the size of `into`; how many.
    [[nodiscard]] receive_batch_operation receive(std::span<received_datagram> into,
                                                  time_point deadline = never) noexcept {
        return {state(), into, deadline};
    }

    /// Sends a datagram to `to`; done when the kernel has taken it. A local receiver that is full
    /// makes it wait.
    ///
    /// Errors    EMSGSIZE above 65507 bytes of UDP; what is known of an earlier one to that address
    ///           (then this one was not sent); ECONNREFUSED where a local peer has gone;
    ///           `timed_out` after `deadline`; `closed`.
    /// Lifetime  the bytes and the address must live until the await finishes.
    [[nodiscard]] send_datagram_operation send_to(bytes what, address const& to,
                                                  time_point deadline = never) noexcept {
        return {state(), what, &to, deadline};
    }
    /// The same with the bytes in several pieces.
    [[nodiscard]] send_datagram_operation send_to(std::span<bytes const> pieces, address const& to,
                                                  time_point deadline = never) noexcept {
        return {state(), pieces, &to, deadline};
    }
    /// Sends to the peer of a connected socket. Errors: as `send_to`, and EPIPE on a stream.
    [[nodiscard]] send_datagram_operation send(bytes what, time_point deadline = never) noexcept {
        return {state(), what, nullptr, deadline};
    }
    /// The same with the bytes in several pieces.
    [[nodiscard]] send_datagram_operation send(std::span<bytes const> pieces,
                                               time_point deadline = never) noexcept {
        return {state(), pieces, nullptr, deadline};
    }

    /// Closes now. Waits in progress end with `closed`.
    void close() noexcept;
    /// This side's address; the real port where 0 was asked for, of kind `none` where it has no
    /// name.
    [[nodiscard]] address local_address() const;

protected:
    /// No socket.
    datagram_socket() noexcept = default;
    /// Takes `state` over.
    explicit datagram_socket(message_socket* state) noexcept : state_(state) {}
    datagram_socket(datagram_socket&& other) noexcept
        : state_(std::exchange(other.state_, nullptr)) {}
    datagram_socket& operator=(datagram_socket&& other) noexcept;
    ~datagram_socket();
    /// What the waits are made with; asserts that there is a socket.
    [[nodiscard]] message_socket& state() const noexcept;

private:
    message_socket* state_ = nullptr;
};

}  // namespace rill
