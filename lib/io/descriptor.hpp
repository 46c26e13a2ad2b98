// A descriptor as a byte stream, over the driver's waits and calls that do not block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "rill/io/byte_stream.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/request.hpp"
#include "rt/driver.hpp"
#include "rt/pipe_calls.hpp"

namespace rill {

/// Owned by a handle (`descriptor_stream`) until `release`, then by itself until the driver and all
/// leases have let go of it.
///
/// Invariant: a request in flight, or a lease that is out, implies that the object lives; a request
/// in flight implies that the descriptor is open.
class descriptor_state final : public byte_stream, private buffer_source {
public:
    static constexpr std::size_t block_bytes = 4096;
    /// Leases that may be out at once; receiving waits for one to come back.
    static constexpr std::uint32_t most_leases = 16;

    descriptor_state(core& home, int of, bool owned, pipe_calls::nature const& kind) noexcept;

    void finish() noexcept override;
    void close() noexcept override;
    void watch_end(chain* who) noexcept override;

    [[nodiscard]] int native() const noexcept { return descriptor_; }
    /// The owner lets go: closes, and deletes itself when nothing is in flight any more.
    void release() noexcept;

private:
    class wait final : public request {
    public:
        using handler = void (descriptor_state::*)(int value) noexcept;
        wait(descriptor_state& of, verb what, handler then) noexcept
            : request(what), owner_(of), then_(then) {
            set_descriptor(of.descriptor_);
        }
        using request::set_into;
        using request::set_offset;
        using request::set_pieces;

    private:
        void completed(int value, std::uint32_t, bool) noexcept override { (owner_.*then_)(value); }
        descriptor_state& owner_;
        handler then_;
    };

    ~descriptor_state();

    std::optional<result<lease>> begin_receive(input_waiter& who) noexcept override;
    bool stop_receive(input_waiter& who) noexcept override;
    void put_back(lease input) noexcept override;
    std::optional<result<void>> begin_write(pending_write& what) noexcept override;
    void stop_write(pending_write& what, std::error_code why) noexcept override;
    void give_back(std::uint32_t index) noexcept override;

    void wait_for_input() noexcept;
    void input_ready(int value) noexcept;
    void input_came(result<std::size_t> count) noexcept;
    [[nodiscard]] result<lease> take(result<std::size_t> count) noexcept;
    [[nodiscard]] std::uint32_t free_block() noexcept;
    void ended(std::error_code why) noexcept;

    void wait_for_room() noexcept;
    void room_ready(int value) noexcept;
    void wrote(result<std::size_t> count) noexcept;
    void finish_first(result<void> outcome) noexcept;
    void hung_up(int value) noexcept;
    void close_descriptor() noexcept;
    void let_go() noexcept;

    core& home_;
    int descriptor_;
    bool owned_;
    bool file_;         // always ready: read and written by the driver
    bool nonblocking_;  // a call on it never waits
    bool write_only_;

    wait input_;
    wait output_;
    wait hangup_;

    struct block {
        std::unique_ptr<std::byte[]> memory;
        bool out = false;
    };
    std::array<block, most_leases> blocks_;
    std::uint32_t leases_ = 0;
    std::uint32_t filling_ = 0;  // the block that the wait for input reads into
    lease unread_;               // was put back
    std::error_code end_;        // why no more input comes; `end_of_stream` for a clean end
    std::error_code broken_;     // why nothing more can be written
    input_waiter* reader_ = nullptr;
    pending_writes writes_;
    bytes writing_;    // what the driver writes now, of a file
    bytes cut_piece_;  // storage for the piece that a short write has cut
    chain* end_watcher_ = nullptr;
    bool closed_ = false;
    bool released_ = false;
    bool finishing_ = false;
};

}  // namespace rill
