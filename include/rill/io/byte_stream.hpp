// byte_stream: an ordered stream of bytes both ways. What every protocol of rill is written on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "rill/base/address.hpp"
#include "rill/base/bytes.hpp"
#include "rill/base/result.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/operation.hpp"
#include "rill/rt/lazy_deadlines.hpp"
#include "rill/rt/lease.hpp"
#include "rill/rt/timer_wheel.hpp"

namespace rill {

class byte_stream;
namespace tls {
class stream;
}

/// A reader that waits for input. Streams tell it what came.
///
/// For those who write a stream of their own: keep at most one, call `arrived` exactly once.
class RILL_API input_waiter {
public:
    /// Input, the end of the stream (an empty lease), or why there is none. It may begin to receive
    /// again from inside this call, so make it the last thing that you do.
    virtual void arrived(result<lease> input) noexcept = 0;
    /// The deadline of the wait has passed.
    virtual void expired() noexcept = 0;

protected:
    input_waiter() noexcept = default;
    ~input_waiter() = default;
};

/// A part of an open file.
struct file_piece {
    int descriptor = -1;       ///< The open file.
    std::uint64_t offset = 0;  ///< Where the part starts, in bytes.
    std::uint64_t size = 0;    ///< How many bytes it has.
};

/// A write that waits for its turn or for the peer. Streams advance it.
///
/// For those who write a stream of their own: keep them in order, call `written` exactly once.
class RILL_API pending_write {
public:
    pending_write(pending_write const&) = delete;
    pending_write& operator=(pending_write const&) = delete;

    /// All was accepted, or why not.
    virtual void written(result<void> outcome) noexcept = 0;

    /// What is left, as pieces for one vectored send. `rest` is storage for a piece that was cut.
    [[nodiscard]] std::span<bytes const> remaining(bytes& rest) const noexcept;
    /// Notes that `count` more bytes were accepted.
    void advance(std::size_t count) noexcept;
    /// What is left of a file, where this write sends one; else its descriptor is -1.
    [[nodiscard]] file_piece const& file() const noexcept { return file_; }
    /// True when nothing is left.
    [[nodiscard]] bool all_written() const noexcept { return index_ == count_ && file_.size == 0; }
    /// True when some bytes were accepted.
    [[nodiscard]] bool begun() const noexcept { return begun_; }

    std::error_code stopped_by = {};  ///< Set by the stream when an early end was asked for.

protected:
    /// One piece.
    explicit pending_write(bytes one) noexcept
        : one_(one), pieces_(&one_), count_(one.empty() ? 0 : 1) {}
    /// Several pieces; the span must live as long as this.
    explicit pending_write(std::span<bytes const> pieces) noexcept;
    /// A part of a file.
    explicit pending_write(file_piece const& file) noexcept
        : pieces_(nullptr), count_(0), file_(file) {}
    ~pending_write() = default;

private:
    friend class pending_writes;

    pending_write* next_ = nullptr;
    pending_write* previous_ = nullptr;
    bytes one_;
    bytes const* pieces_;
    std::size_t count_;
    std::size_t index_ = 0;
    std::size_t skip_ = 0;
    file_piece file_;
    bool begun_ = false;
};

/// The writes of a stream that are not done, in their order. Owns none of them.
///
/// For those who write a stream of their own.
class pending_writes {
public:
    /// True when there is none.
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    /// The one whose turn it is, or null.
    [[nodiscard]] pending_write* first() const noexcept { return first_; }
    /// The one that came last, or null.
    [[nodiscard]] pending_write* last() const noexcept { return last_; }
    /// The one behind it, or null.
    [[nodiscard]] static pending_write* after(pending_write const& what) noexcept {
        return what.next_;
    }
    /// Puts one behind the others. Returns true when it is the first.
    bool push(pending_write& what) noexcept {
        what.next_ = nullptr;
        what.previous_ = last_;
        (last_ != nullptr ? last_->next_ : first_) = &what;
        last_ = &what;
        return first_ == &what;
    }
    /// Takes one out, which is in here.
    void remove(pending_write& what) noexcept {
        (what.previous_ != nullptr ? what.previous_->next_ : first_) = what.next_;
        (what.next_ != nullptr ? what.next_->previous_ : last_) = what.previous_;
    }

private:
    pending_write* first_ = nullptr;
    pending_write* last_ = nullptr;
};

/// The wait of `byte_stream::receive`.
///
/// For the layers of rill: may be inherited by a wait that does something else besides.
class [[nodiscard]] RILL_API receive_operation : public value_operation<lease>,
                                                 private input_waiter {
public:
    /// A wait on `from`, until `deadline`.
    receive_operation(byte_stream& from, time_point deadline) noexcept;
    ~receive_operation();
    [[nodiscard]] char const* name() const noexcept override { return "receive"; }
    /// Gives input back that was received from `to`: it is received again before anything else.
    static void give_back(byte_stream& to, lease input) noexcept;

protected:
    bool start() noexcept override;
    void arrived(result<lease> input) noexcept override;

private:
    void cancel(cancel_reason reason) noexcept override;
    void expired() noexcept override;
    [[noreturn]] void throw_error(std::error_code code) const override;

    byte_stream& from_;
    time_point deadline_;
};

/// The wait of `byte_stream::read`.
class [[nodiscard]] RILL_API read_operation final : public value_operation<std::size_t>,
                                                    private input_waiter {
public:
    /// A wait on `from`, until `deadline`.
    read_operation(byte_stream& from, mutable_bytes into, time_point deadline) noexcept;
    ~read_operation();
    /// Copies the input; the value, or throws.
    std::size_t await_resume() {
        copy();
        return value_operation::await_resume();
    }
    /// Copies the input; the result, without a throw.
    [[nodiscard]] result<std::size_t> take_result() noexcept {
        copy();
        return value_operation::take_result();
    }
    [[nodiscard]] char const* name() const noexcept override { return "read"; }

private:
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    void arrived(result<lease> input) noexcept override;
    void expired() noexcept override;
    [[noreturn]] void throw_error(std::error_code code) const override;

    void keep(result<lease> input) noexcept;
    void copy() noexcept;

    byte_stream& from_;
    mutable_bytes into_;
    lease input_;  // copied only when the awaiting frame goes on: a cancelled one leaves it unread
    time_point deadline_;
};

/// The wait of `byte_stream::write`.
///
/// For the layers of rill: may be inherited by a wait that does something else besides.
class [[nodiscard]] RILL_API write_operation : public value_operation<void>, private pending_write {
public:
    /// A write of one piece.
    write_operation(byte_stream& to, bytes one, time_point deadline) noexcept;
    /// A write of several pieces.
    write_operation(byte_stream& to, std::span<bytes const> pieces, time_point deadline) noexcept;
    /// A write of a part of a file.
    write_operation(byte_stream& to, file_piece const& file, time_point deadline) noexcept;
    [[nodiscard]] char const* name() const noexcept override { return "write"; }

protected:
    bool start() noexcept override;
    void written(result<void> outcome) noexcept override;

private:
    void cancel(cancel_reason reason) noexcept override;
    [[noreturn]] void throw_error(std::error_code code) const override;

    void arm_deadline() noexcept;

    byte_stream& to_;
    time_point deadline_;
    bool on_stream_timer_ = false;  // else, where there is a deadline, on a timer of its own
    struct timer final : timer_node {
        explicit timer(write_operation& of) noexcept;
        write_operation& owner;
    } timer_;
};

/// An ordered stream of bytes both ways: TCP, Unix, TLS, the in-process pipe, or one of your own.
///
/// Core  owner core only. One reader at a time; writers may wait beside it and beside each other.
class RILL_API byte_stream : private lazy_deadlines<byte_stream, 2> {
public:
    byte_stream(byte_stream const&) = delete;
    byte_stream& operator=(byte_stream const&) = delete;

    /// Waits for input and gives it in the buffer that the kernel filled.
    ///
    /// Returns   at least one byte; an empty lease at the end of the stream, again and again.
    /// Errors    a reset; `timed_out` after `deadline`; `closed`.
    /// Lifetime  the lease holds one of the core's buffers: do not keep it across a wait.
    /// Cancel    nothing is lost: what had arrived is received by the next call.
    [[nodiscard]] receive_operation receive(time_point deadline = never) noexcept {
        return {*this, deadline};
    }

    /// Waits for at least one byte and copies what is there.
    ///
    /// Returns   bytes stored in `into`, 1..into.size(); 0 only at the end of the stream.
    /// Errors    a reset; `timed_out` after `deadline`; `closed`.
    /// Lifetime  `into` must live until the await finishes, also when cancelled.
    /// Cancel    bytes already received stay readable.
    [[nodiscard]] read_operation read(mutable_bytes into, time_point deadline = never) noexcept {
        return {*this, into, deadline};
    }

    /// Sends all of `what`; waits for earlier writers and for the peer.
    ///
    /// Errors    a reset or broken pipe; `timed_out` after `deadline`; `closed`; `write_broken`
    ///           once a write was stopped part way.
    /// Lifetime  the bytes must live until the await finishes, also when cancelled.
    /// Cancel    before its turn nothing is sent; part way, the stream takes no further write.
    [[nodiscard]] write_operation write(bytes what, time_point deadline = never) noexcept {
        return {*this, what, deadline};
    }
    /// The same for several pieces in one call of the kernel, at most 1024. The span must live,
    /// too.
    [[nodiscard]] write_operation write(std::span<bytes const> pieces,
                                        time_point deadline = never) noexcept {
        return {*this, pieces, deadline};
    }

    /// Sends a part of a file without copying it into this process, as a write in line with the
    /// others. Errors: also `unsupported`, with nothing sent, where the stream cannot (see
    /// `sends_files`), and EIO where the file is shorter. Lifetime: the file stays open.
    [[nodiscard]] write_operation write(file_piece const& file,
                                        time_point deadline = never) noexcept {
        return {*this, file, deadline};
    }
    /// True when parts of files can be sent.
    [[nodiscard]] virtual bool sends_files() const noexcept { return false; }

    /// Ends this side of the stream (FIN) once all writes so far are done; receiving goes on.
    virtual void finish() noexcept = 0;
    /// Closes both ways. Waits in progress end with `closed`.
    virtual void close() noexcept = 0;

    /// Cancels `who` with `client_gone` as soon as the peer ends its stream or the connection
    /// fails; null watches no more. One at a time. Behind unread input that fills the stream's
    /// bound only a reset is seen.
    virtual void watch_end(chain* who) noexcept = 0;

    /// All the time for which waits for input were held back by the stream itself, and not by its
    /// peer; see `throttled_stream`.
    [[nodiscard]] virtual duration held_back_reads() const noexcept { return {}; }

    /// The peer's address; of kind `none` where there is none.
    [[nodiscard]] virtual address remote_address() const { return {}; }
    /// This side's address; of kind `none` where there is none.
    [[nodiscard]] virtual address local_address() const { return {}; }

protected:
    friend class framed_stream;
    friend class preceded_stream;
    friend class throttled_stream;
    friend class read_frame_operation;
    friend class read_operation;
    friend class receive_operation;
    friend class tls::stream;
    friend class write_operation;

    byte_stream() noexcept = default;
    ~byte_stream() = default;

    /// What is there now, or nothing: then `who` is told later.
    [[nodiscard]] virtual std::optional<result<lease>> begin_receive(
        input_waiter& who) noexcept = 0;
    /// Forgets `who`; true when it was waiting.
    [[nodiscard]] virtual bool stop_receive(input_waiter& who) noexcept = 0;
    /// Unread input, to be received before anything else.
    virtual void put_back(lease input) noexcept = 0;
    /// The outcome where it is known now, or nothing: then `what` is told later.
    [[nodiscard]] virtual std::optional<result<void>> begin_write(pending_write& what) noexcept = 0;
    /// Asks for an early end of `what`; `written` follows, at once or later.
    virtual void stop_write(pending_write& what, std::error_code why) noexcept = 0;
    /// Asked when the deadline of the reader or of the first writer passes: how much longer it has,
    /// because the stream itself, and not the peer, has held its wait back.
    [[nodiscard]] virtual duration excuse(bool /*writing*/) noexcept { return {}; }

private:
    friend class lazy_deadlines<byte_stream, 2>;

    // The deadlines of the reader and of the one writer that is alone are kept here, so that
    // setting one for every message costs next to nothing.
    enum : std::size_t { read_deadline, write_deadline };
    void set_read_deadline(input_waiter& who, timer_wheel& timers, time_point when) noexcept {
        timed_reader_ = &who;
        set_deadline(read_deadline, timers, when);
    }
    void clear_read_deadline() noexcept { clear_deadline(read_deadline); }
    void deadline_passed(std::size_t which) noexcept;

    input_waiter* timed_reader_ = nullptr;
    pending_write* timed_writer_ = nullptr;
};

}  // namespace rill
