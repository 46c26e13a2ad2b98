// throttled_stream: a stream that keeps to rates. byte_rate: a rate that streams of all cores
// share.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "rill/base/export.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/executor.hpp"
#include "rill/io/byte_stream.hpp"

namespace rill {

/// Bytes per second that any number of streams on any cores share.
///
/// Bytes are booked in small portions, and each booking gets the time after the one before it,
/// whoever made that. So all who have something to send take turns, what one does not use is the
/// others', and in no second pass more bytes than the rate and three in a hundred of it (portions
/// are at least one byte). Nothing is saved up while nobody sends.
///
/// Core  any thread.
/// Cost  one atomic exchange for each portion.
class RILL_API byte_rate {
public:
    /// Most bytes of a portion. Smaller rates have portions of a 64th of a second.
    static constexpr std::size_t most_portion_bytes = 256 * 1024;

    /// 0 is no limit.
    explicit byte_rate(std::uint64_t bytes_per_second) noexcept;
    byte_rate(byte_rate const&) = delete;
    byte_rate& operator=(byte_rate const&) = delete;

    /// True when there is a limit.
    [[nodiscard]] bool limited() const noexcept { return rate_ != 0; }
    /// The limit; 0 is none.
    [[nodiscard]] std::uint64_t bytes_per_second() const noexcept { return rate_; }
    /// Most bytes to be booked at once by those who want to share fairly.
    [[nodiscard]] std::size_t portion_bytes() const noexcept { return portion_; }

    /// Books `count` bytes. Returns the moment at which they may pass, which may be now or before.
    [[nodiscard]] time_point book(std::size_t count, time_point now) noexcept;

private:
    static constexpr std::size_t cache_line_bytes = 64;

    [[nodiscard]] std::int64_t length_of(std::size_t count) const noexcept;

    std::uint64_t rate_;
    std::size_t portion_;
    std::int64_t slack_;  // what a late sender may catch up with
    alignas(cache_line_bytes) std::atomic<std::int64_t> booked_until_;  // in the clock's ticks
};

/// A stream over another that lets bytes pass at the rates that it was given: all of them.
///
/// Writes go out in portions. Input is received as it comes and handed on when its time has come;
/// what a stream receives at once (4 KiB of a socket) is not cut.
///
/// Deadlines of reads and writes are for the peer: the time for which this stream itself held a
/// wait back does not count; of several writes that wait with deadlines of their own, it is given
/// to the deadline that passes first. A cancellation ends a wait that is held back at once; a write
/// that had begun then leaves the stream `write_broken`, as ever.
///
/// Lifetime  the stream below and the rates outlive it. It is closed, and its waits have ended,
///           before it ends.
/// Core      one core, that of the stream below, which nobody else reads or writes meanwhile.
/// Cost      no allocation.
class RILL_API throttled_stream final : public byte_stream, private input_waiter {
public:
    /// How many rates each way has at most: of the stream, of a group that it belongs to, of all.
    static constexpr std::size_t most_rates = 3;

    /// Without rates it lets all pass.
    explicit throttled_stream(byte_stream& below) noexcept;
    ~throttled_stream();

    /// What is received keeps to `rate`, too; null for none at this place (0..most_rates-1).
    /// Input that is held back already keeps to those of before.
    void set_read_rate(std::size_t place, byte_rate* rate) noexcept { in_.rates[place] = rate; }
    /// What is written keeps to `rate`, too; null for none at this place. Holds from the next
    /// portion on.
    void set_write_rate(std::size_t place, byte_rate* rate) noexcept { out_.rates[place] = rate; }

    [[nodiscard]] bool sends_files() const noexcept override { return below_.sends_files(); }
    void finish() noexcept override;
    void close() noexcept override;
    void watch_end(chain* who) noexcept override { below_.watch_end(who); }
    [[nodiscard]] address remote_address() const override { return below_.remote_address(); }
    [[nodiscard]] address local_address() const override { return below_.local_address(); }
    [[nodiscard]] duration held_back_reads() const noexcept override { return in_.held_back; }

private:
    // One way's wait for its time.
    struct way final : ::rill::timer_node {
        way(throttled_stream& of, void (throttled_stream::*go_on)() noexcept) noexcept;
        [[nodiscard]] bool waits(std::size_t count) noexcept;
        [[nodiscard]] duration excuse() noexcept;
        void stop() noexcept;

        throttled_stream& stream;
        void (throttled_stream::*then)() noexcept;
        std::array<byte_rate*, most_rates> rates{};
        std::size_t booked = 0;  // how many of the rates have the bytes booked
        duration held_back{};    // all time for which a wait was held back
        duration excused{};      // of that, what no deadline asks for any more
        time_point since = never;
    };
    // A part of a write, in the stream below.
    class portion final : public pending_write {
    public:
        portion(throttled_stream& of, bytes one) noexcept : pending_write(one), of_(of) {}
        portion(throttled_stream& of, std::span<bytes const> pieces) noexcept
            : pending_write(pieces), of_(of) {}
        portion(throttled_stream& of, file_piece const& file) noexcept
            : pending_write(file), of_(of) {}

    private:
        void written(result<void> outcome) noexcept override { of_.portion_written(outcome); }
        throttled_stream& of_;
    };
    class next_turn final : public ready_node {
    public:
        explicit next_turn(throttled_stream& of) noexcept : of_(of) {}
        bool posted = false;

    private:
        void run() noexcept override {
            posted = false;
            of_.write_on();
        }
        throttled_stream& of_;
    };

    [[nodiscard]] std::optional<result<lease>> begin_receive(input_waiter& who) noexcept override;
    [[nodiscard]] bool stop_receive(input_waiter& who) noexcept override;
    void put_back(lease input) noexcept override;
    [[nodiscard]] std::optional<result<void>> begin_write(pending_write& what) noexcept override;
    void stop_write(pending_write& what, std::error_code why) noexcept override;
    [[nodiscard]] duration excuse(bool writing) noexcept override;
    void arrived(result<lease> input) noexcept override;
    void expired() noexcept override {}  // the stream below is given no deadlines

    [[nodiscard]] bool hold(lease& input) noexcept;
    void read_on() noexcept;

    [[nodiscard]] std::optional<result<void>> write_portions() noexcept;
    [[nodiscard]] std::optional<result<void>> start_portion() noexcept;
    [[nodiscard]] std::size_t next_size() const noexcept;
    void portion_written(result<void> outcome) noexcept;
    void write_on() noexcept;
    void note_broken(pending_write const& what, result<void> outcome) noexcept;
    void end_first(result<void> outcome) noexcept;
    void fail_waiting(std::error_code why) noexcept;
    void finish_if_done() noexcept;

    byte_stream& below_;
    way in_;
    way out_;
    input_waiter* reader_ = nullptr;
    lease held_;            // input whose time has not come
    std::size_t paid_ = 0;  // unread bytes of the stream below that have had their time
    time_point paid_at_{};  // when that is
    pending_writes writes_;
    std::size_t size_ = 0;  // of the portion that is booked or in the stream below; 0 for none
    std::optional<portion> portion_;
    bytes cut_;  // storage for a piece of the first write of which a part has gone
    next_turn next_;
    std::error_code broken_;
    bool finishing_ = false;
    bool closed_ = false;
};

}  // namespace rill
