// Frames over any byte_stream: read with no copy where they lie in one piece, written in one call
// of the kernel. The codecs are in rill/codec; docs/framing.md has a table of examples.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>
#include <type_traits>

#include "rill/base/buffer.hpp"
#include "rill/codec/check_frames.hpp"
#include "rill/codec/delimited_frames.hpp"
#include "rill/codec/fixed_frames.hpp"
#include "rill/codec/frame_codec.hpp"
#include "rill/codec/length_frames.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/coro/task.hpp"
#include "rill/io/byte_stream.hpp"

namespace rill {

/// A frame that was read, as views of bytes that somebody else owns. False at the end of the
/// stream; a frame with an empty payload is true.
class frame {
public:
    /// None: the end of the stream.
    frame() noexcept = default;
    /// The bytes of a frame, and what its codec has found in them.
    frame(bytes whole, framing::step const& found) noexcept
        : whole_(whole),
          payload_begin_(found.payload_begin()),
          payload_size_(found.payload_size()),
          prefix_size_(found.prefix_size()) {}

    /// True when there is one.
    [[nodiscard]] explicit operator bool() const noexcept { return !whole_.empty(); }
    /// What the frame carries.
    [[nodiscard]] bytes payload() const noexcept {
        return whole_.without_first(payload_begin_).first(payload_size_);
    }
    /// The same.
    [[nodiscard]] bytes operator*() const noexcept { return payload(); }
    /// The bytes in front of a length field, which are the caller's own.
    [[nodiscard]] bytes prefix() const noexcept { return whole_.first(prefix_size_); }
    /// All bytes of the frame as they came.
    [[nodiscard]] bytes whole() const noexcept { return whole_; }
    /// The same frame in a copy of its bytes.
    [[nodiscard]] frame in(bytes copy) const noexcept {
        frame other = *this;
        other.whole_ = copy;
        return other;
    }

private:
    bytes whole_;
    std::size_t payload_begin_ = 0;
    std::size_t payload_size_ = 0;
    std::size_t prefix_size_ = 0;
};

/// What was read, and what peers got wrong; shared by as many streams of one core as you like.
struct frame_counters {
    std::uint64_t frames = 0;      ///< Frames that were taken.
    std::uint64_t too_long = 0;    ///< Frames beyond the codec's maximum.
    std::uint64_t bad_length = 0;  ///< Lengths that are malformed or too small.
    std::uint64_t bad_check = 0;   ///< Check bytes that do not fit.
    std::uint64_t malformed = 0;   ///< What a codec of your own has refused.
    std::uint64_t truncated = 0;   ///< Streams that ended inside a frame.
};

/// How a `framed_stream` treats its input.
struct framed_options {
    /// Where to count; null counts nowhere. It outlives the stream.
    frame_counters* counters = nullptr;
    /// Memory that is kept between frames for those that do not lie in one piece; what a larger
    /// frame needed is given back after it.
    std::size_t keep_bytes = 4096;
};
static_assert(std::is_trivially_destructible_v<framed_options>);

namespace detail {

/// A decoder without its type, so that reading is compiled once.
struct decoder_ref {
    void const* codec;
    framing::step (*measure)(void const* codec, bytes input, std::size_t seen) noexcept;
    std::size_t maximum_bytes;
};

template <class Codec>
[[nodiscard]] decoder_ref refer_to_decoder(Codec const& codec) {
    static_assert(
        requires(bytes input, std::size_t seen) {
            { codec.measure(input, seen) } -> std::same_as<framing::step>;
        },
        "to read frames a codec needs: framing::step measure(bytes input, std::size_t seen) const");
    static_assert(
        requires {
            { codec.maximum_bytes() } -> std::convertible_to<std::size_t>;
        }, "a codec needs a bound for its frames: std::size_t maximum_bytes() const");
    if constexpr (framing::decoder<Codec>) {
        return {&codec,
                [](void const* of, bytes input, std::size_t seen) noexcept {
                    return static_cast<Codec const*>(of)->measure(input, seen);
                },
                codec.maximum_bytes()};
    }
}

/// The pieces of a frame that is written.
class frame_parts {
protected:
    template <class Codec>
    frame_parts(Codec const& codec, std::span<bytes const> payload, bytes prefix) {
        static_assert(
            requires(framing::edge& into) {
                { codec.head(into, prefix, payload.size()) } -> std::same_as<std::error_code>;
            },
            "to write frames a codec needs: std::error_code head(framing::edge& into, bytes "
            "prefix, std::size_t payload_bytes) const");
        static_assert(
            requires {
                { codec.maximum_bytes() } -> std::convertible_to<std::size_t>;
            }, "a codec needs a bound for its frames: std::size_t maximum_bytes() const");
        if constexpr (framing::encoder<Codec>) {
            set_payload(payload);
            refused_ = codec.head(head_, prefix, payload_bytes_);
            if (!refused_) refused_ = framing::append_tail(codec, tail_, head_.view(), payload);
            close(codec.maximum_bytes());
        }
    }
    frame_parts(frame_parts const&) = delete;
    frame_parts& operator=(frame_parts const&) = delete;
    ~frame_parts() = default;

    [[nodiscard]] std::span<bytes const> pieces() const noexcept {
        return {pieces_.data(), count_};
    }
    /// Why there is no such frame.
    [[nodiscard]] std::error_code refused() const noexcept { return refused_; }

private:
    RILL_API void set_payload(std::span<bytes const> payload) noexcept;
    RILL_API void close(std::size_t maximum_bytes) noexcept;

    framing::edge head_;
    framing::edge tail_;
    std::array<bytes, framing::most_payload_pieces + 2> pieces_;
    std::size_t count_ = 1;  // the first is the head
    std::size_t payload_bytes_ = 0;
    std::error_code refused_;
};

}  // namespace detail

class framed_stream;

/// The wait of `framed_stream::read_frame`.
class [[nodiscard]] RILL_API read_frame_operation final : public value_operation<frame>,
                                                          private input_waiter {
public:
    /// A wait on `from`, until `deadline`.
    read_frame_operation(framed_stream& from, detail::decoder_ref codec,
                         time_point deadline) noexcept
        : from_(from), codec_(codec), deadline_(deadline) {}
    /// The frame, which is now taken; or throws.
    frame await_resume();
    /// The frame, which is now taken; without a throw.
    [[nodiscard]] result<frame> take_result() noexcept;
    [[nodiscard]] char const* name() const noexcept override { return "read frame"; }

private:
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    void arrived(result<lease> input) noexcept override;
    void expired() noexcept override;
    [[noreturn]] void throw_error(std::error_code code) const override;

    [[nodiscard]] std::optional<result<frame>> look() noexcept;
    [[nodiscard]] std::optional<result<frame>> receive(std::optional<result<lease>> input) noexcept;
    void end(result<frame> with) noexcept;

    framed_stream& from_;
    detail::decoder_ref codec_;
    time_point deadline_;
    bool timed_ = false;
};

/// The wait of `write_frame`.
class [[nodiscard]] RILL_API write_frame_operation final : private detail::frame_parts,
                                                           public write_operation {
public:
    /// A write of one frame.
    template <class Codec>
    write_frame_operation(byte_stream& to, Codec const& codec, std::span<bytes const> payload,
                          bytes prefix, time_point deadline)
        : frame_parts(codec, payload, prefix), write_operation(to, pieces(), deadline) {}
    [[nodiscard]] char const* name() const noexcept override { return "write frame"; }

private:
    bool start() noexcept override;
};

/// Sends `payload` as one frame, in one call of the kernel. `prefix` is what stands before the
/// length, where the codec has a place for that.
///
/// Errors    those of `byte_stream::write`; with nothing sent, `limit_exceeded` for a frame that is
///           longer than the codec's maximum or than its length field can say, and
///           `std::errc::invalid_argument` for one that could not be read back.
/// Lifetime  the bytes must live until the await finishes, also when cancelled.
/// Cancel    as of `byte_stream::write`: before its turn nothing is sent.
template <class Codec>
[[nodiscard]] write_frame_operation write_frame(byte_stream& to, Codec const& codec, bytes payload,
                                                bytes prefix = {}, time_point deadline = never) {
    return {to, codec, std::span<bytes const>(&payload, 1), prefix, deadline};
}
/// The same for a payload in several pieces, at most 16. The span need not live.
template <class Codec>
[[nodiscard]] write_frame_operation write_frame(byte_stream& to, Codec const& codec,
                                                std::span<bytes const> payload, bytes prefix = {},
                                                time_point deadline = never) {
    return {to, codec, payload, prefix, deadline};
}

/// A byte stream that is read frame by frame.
///
/// A frame that lies whole in what the kernel delivered is a view of it. One that does not is
/// gathered in a buffer that grows with what has come, not with what a length field promises, and
/// never beyond the codec's maximum. While it waits for the first byte of a frame it holds no
/// receive buffer, and `keep_bytes` of memory at most.
///
/// Bytes that are no frame end the reading: that call and all later ones fail, as nobody knows
/// where the next frame begins.
///
/// Lifetime  the stream outlives it. What was received and not read is the stream's again when this
///           ends, but for the part of a frame that was gathered.
/// Core      the stream's. One reader at a time; any number of writers.
class RILL_API framed_stream {
public:
    /// Reads and writes `over`.
    explicit framed_stream(byte_stream& over, framed_options with = {}) noexcept
        : over_(over), with_(with) {}
    framed_stream(framed_stream const&) = delete;
    framed_stream& operator=(framed_stream const&) = delete;
    ~framed_stream();

    /// Waits for a frame. Each call may use another codec.
    ///
    /// Returns   the frame; one that is false at an end of the stream between two frames.
    /// Errors    `limit_exceeded` for a frame that would be too long, before its bytes are kept;
    ///           `protocol` for a malformed one; `end_of_stream` for an end inside of one;
    ///           `timed_out` when the whole frame is not there by `deadline`; those of `receive`.
    /// Lifetime  the codec must live until the await ends; the frame dies at the next call.
    /// Cancel    nothing is lost: what had come of a frame is there for the next call.
    template <class Codec>
    [[nodiscard]] read_frame_operation read_frame(Codec const& codec, time_point deadline = never) {
        return {*this, detail::refer_to_decoder(codec), deadline};
    }
    /// See `rill::write_frame`.
    template <class Codec>
    [[nodiscard]] write_frame_operation write_frame(Codec const& codec, bytes payload,
                                                    bytes prefix = {},
                                                    time_point deadline = never) {
        return rill::write_frame(over_, codec, payload, prefix, deadline);
    }
    /// See `rill::write_frame`.
    template <class Codec>
    [[nodiscard]] write_frame_operation write_frame(Codec const& codec,
                                                    std::span<bytes const> payload,
                                                    bytes prefix = {},
                                                    time_point deadline = never) {
        return rill::write_frame(over_, codec, payload, prefix, deadline);
    }

    /// The stream below.
    [[nodiscard]] byte_stream& stream() const noexcept { return over_; }
    /// Memory held for frames in pieces, in bytes.
    [[nodiscard]] std::size_t memory_bytes() const noexcept { return gathered_.capacity(); }

private:
    friend class read_frame_operation;
    using found = std::optional<result<frame>>;

    /// The frame that was read before is not needed any more.
    void begin() noexcept;
    /// A frame at hand, or why there will be none, or nothing: it takes more input.
    [[nodiscard]] found next(detail::decoder_ref const& codec);
    /// What the end of the stream makes of them.
    [[nodiscard]] result<frame> ended() noexcept;
    /// Lets the codec look at the bytes at hand, where it can see more than the last time.
    [[nodiscard]] found look(detail::decoder_ref const& codec, bytes window) noexcept;
    /// Moves bytes from the lease to the beginning of a frame that was gathered.
    [[nodiscard]] found gather(detail::decoder_ref const& codec);
    /// The reader has the frame now.
    void take(frame const& what) noexcept;
    void drop_taken() noexcept;
    std::error_code fail(framing::fault why) noexcept;

    byte_stream& over_;
    framed_options with_;
    // Invariant: gathered_ holds the beginning of the next frame, or nothing; lease_ holds what
    // comes after that, and is empty while the reader waits.
    lease lease_;
    buffer gathered_;
    std::size_t taken_ = 0;   // bytes of the frame that the reader has
    std::size_t seen_ = 0;    // bytes that the codec has looked at in vain
    std::size_t wanted_ = 1;  // how many there must be before it looks again
    std::error_code failed_;
};

/// A frame with its own bytes. See `read_frame`.
class RILL_API owned_frame {
public:
    /// None: the end of the stream.
    owned_frame() noexcept = default;
    /// A copy. Cost: one allocation.
    explicit owned_frame(frame const& of);
    /// True when there is one.
    [[nodiscard]] explicit operator bool() const noexcept { return !memory_.empty(); }
    /// What the frame carries; dies with this object.
    [[nodiscard]] bytes payload() const noexcept { return view().payload(); }
    /// The frame; its views die with this object.
    [[nodiscard]] frame view() const noexcept { return frame_.in(memory_.view()); }

private:
    buffer memory_;
    frame frame_;
};

/// Reads one frame and leaves what follows it in the stream: for a handshake. Whoever reads many
/// frames makes a `framed_stream`, which copies none of them.
///
/// Returns, errors  as of `framed_stream::read_frame`.
/// Cancel           what had come of the frame is lost.
template <class Codec>
[[nodiscard]] task<owned_frame> read_frame(byte_stream& from, Codec const& codec,
                                           time_point deadline = never) {
    framed_stream one(from);
    frame const got = co_await one.read_frame(codec, deadline);
    co_return owned_frame(got);
}

}  // namespace rill
