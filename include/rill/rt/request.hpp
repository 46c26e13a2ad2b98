// The driver seam's vocabulary: what a core can be asked to do. A request says what is wanted, not
// how a ring does it; io_uring, epoll and the simulation each answer it in their own way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rill/base/address.hpp"
#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"

namespace rill {

/// What a request asks for.
enum class verb : std::uint8_t {
    receive_stream,  ///< Bytes of a connected stream, again and again, in buffers of the core.
    accept_stream,   ///< Connections of a listener, again and again.
    send,            ///< `pieces` to a connected stream; may end short.
    connect,         ///< The socket to `target`.
    readable,        ///< Wait until the descriptor can be read.
    writable,        ///< Wait until the descriptor can be written.
    hangup,          ///< Wait until the peer has ended its side or the connection failed.
    read_file,       ///< `into` from a file at `offset`; may end short.
    write_file,      ///< `pieces` (one) to a file at `offset`; may end short.
    send_file,       ///< `size` bytes of file `source` from `offset` to a connected stream.
    open_beneath,    ///< The file `path` below the directory, which no link can leave; to read.
    /// Datagrams, again and again, each in a buffer of the core laid out as rt/datagram_layout.hpp
    /// says. On a connected local stream: what arrives, with the descriptors that come along.
    receive_datagrams,
    /// `pieces` as one message, with what `extras` says. A stream may take fewer bytes.
    send_message,
};

/// What a `send_message` carries beside its bytes. Lives as long as its request is in flight.
struct message_extras {
    /// Descriptors in one message.
    static constexpr std::size_t most_descriptors = 16;

    address const* target = nullptr;        ///< To whom; null: the peer that the socket has.
    std::uint16_t segment_bytes = 0;        ///< Cut into datagrams of this size (UDP); 0: one.
    std::span<int const> descriptors = {};  ///< Copies for the peer (local sockets).
    alignas(8) std::byte room[80] = {};     ///< For the driver.
};

/// One thing asked of a core's driver. Lives where it is until its last completion.
///
/// A stream of results (`receive_stream`, `receive_datagrams`, `accept_stream`) completes many
/// times with `more`, and a last time without; every other verb completes once. Cancelling asks for
/// an early last completion.
class RILL_API request {
public:
    /// The index that says "no buffer".
    static constexpr std::uint32_t no_buffer = 0xffff'ffff;
    /// The offset of `read_file` and `write_file` that says "at the file's own position", which
    /// moves on, as read(2) and write(2) have it.
    static constexpr std::uint64_t here = 0xffff'ffff'ffff'ffff;

    request(request const&) = delete;
    request& operator=(request const&) = delete;

    /// What is asked for.
    [[nodiscard]] verb what() const noexcept { return what_; }
    /// On which descriptor.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// True from the start until the last completion.
    [[nodiscard]] bool in_flight() const noexcept { return in_flight_; }
    /// True when an early end was asked for.
    [[nodiscard]] bool cancelling() const noexcept { return cancelling_; }

    /// The pieces of `send` and `write_file`.
    [[nodiscard]] bytes const* pieces() const noexcept { return static_cast<bytes const*>(data_); }
    /// How many pieces.
    [[nodiscard]] std::size_t piece_count() const noexcept { return count_; }
    /// The memory of `read_file`.
    [[nodiscard]] mutable_bytes into() const noexcept {
        return {static_cast<std::byte*>(const_cast<void*>(data_)), count_};
    }
    /// Where in the file.
    [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
    /// The file and the bytes of `send_file`.
    [[nodiscard]] int source() const noexcept { return source_; }
    /// How many bytes of the source.
    [[nodiscard]] std::uint64_t size() const noexcept { return count_; }
    /// The path of `open_beneath`: relative, ends in NUL.
    [[nodiscard]] char const* path() const noexcept { return static_cast<char const*>(data_); }
    /// The address of `connect`.
    [[nodiscard]] address const& target() const noexcept {
        return *static_cast<address const*>(data_);
    }

    /// What `send_message` carries beside its pieces; null for nothing.
    [[nodiscard]] message_extras* extras() const noexcept { return extras_; }
    /// True when `receive_datagrams` wants the driver's large buffers.
    [[nodiscard]] bool large_buffers() const noexcept { return large_buffers_; }
    /// True when `receive_stream` wants one result and no more until it is started again.
    [[nodiscard]] bool one_result() const noexcept { return one_result_; }

    /// For drivers: the request is theirs now.
    void started() noexcept {
        in_flight_ = true;
        cancelling_ = false;
    }
    /// For drivers: an early end was asked for.
    void note_cancel() noexcept { cancelling_ = true; }
    /// For drivers: one result. `value` is a count or a descriptor, or a negated errno.
    void answer(int value, std::uint32_t buffer, bool more) noexcept {
        in_flight_ = more;
        completed(value, buffer, more);
    }

protected:
    /// Not started yet.
    explicit request(verb what) noexcept : what_(what) {}
    ~request() {
        RILL_ASSERT(!in_flight_, "a request lives until its last completion has arrived");
    }

    /// See `descriptor`.
    void set_descriptor(int descriptor) noexcept { descriptor_ = descriptor; }
    /// See `pieces`.
    void set_pieces(bytes const* pieces, std::size_t count) noexcept {
        data_ = pieces;
        count_ = count;
    }
    /// See `one_result`.
    void set_one_result(bool one) noexcept { one_result_ = one; }
    /// See `into`.
    void set_into(mutable_bytes into) noexcept {
        data_ = into.data();
        count_ = into.size();
    }
    /// See `offset`.
    void set_offset(std::uint64_t offset) noexcept { offset_ = offset; }
    /// See `source` and `size`.
    void set_source(int source, std::uint64_t size) noexcept {
        source_ = source;
        count_ = size;
    }
    /// See `path`.
    void set_path(char const* path) noexcept { data_ = path; }
    /// See `target`.
    void set_target(address const& target) noexcept { data_ = &target; }

    /// See `extras`.
    void set_extras(message_extras* extras) noexcept { extras_ = extras; }
    /// See `large_buffers`.
    void set_large_buffers() noexcept { large_buffers_ = true; }

    /// One result. Called while the driver collects: stores what came and posts who waits for it,
    /// runs no code of a user.
    virtual void completed(int value, std::uint32_t buffer, bool more) noexcept = 0;

private:
    verb what_;
    bool in_flight_ = false;
    bool cancelling_ = false;
    bool large_buffers_ = false;
    bool one_result_ = false;
    int descriptor_ = -1;
    int source_ = -1;
    void const* data_ = nullptr;
    std::size_t count_ = 0;
    union {
        std::uint64_t offset_ = 0;
        message_extras* extras_;
    };
};

}  // namespace rill
