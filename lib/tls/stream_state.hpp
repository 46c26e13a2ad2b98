// The state behind a TLS stream: where an engine, the waits above and the stream below meet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "rill/base/buffer.hpp"
#include "rill/coro/executor.hpp"
#include "rill/tls/stream.hpp"
#include "tls/engine.hpp"

namespace rill::tls {

/// Owned by its stream until `release`, then by itself until the stream below has let go of what
/// was being sent.
///
/// Receiving decrypts into blocks of the core's frame pool, which go back with their leases: an
/// idle stream holds none. Sending encrypts a part of the first write into the engine's output,
/// which then changes places with `sending_`.
///
/// Invariant: `sending_now_` means that `portion_` is in the stream below and `sending_` its bytes;
/// `encrypted_` bytes of the first write are among them.
class stream::state final : private input_waiter, private buffer_source {
public:
    state(byte_stream& below, context const& with, std::string_view name)
        : below_(below), rules_(with), engine_(rules_.state(), name), next_(*this) {}
    state(state const&) = delete;
    state& operator=(state const&) = delete;

    [[nodiscard]] task<result<void>> handshake(time_point deadline);
    /// The owner lets go: closes, and deletes itself when nothing is in flight any more.
    void release() noexcept;

    [[nodiscard]] engine& tls() noexcept { return engine_; }
    [[nodiscard]] byte_stream& below() noexcept { return below_; }
    [[nodiscard]] bool established() const noexcept { return established_; }

    void finish() noexcept;
    void close() noexcept;
    [[nodiscard]] std::optional<result<lease>> begin_receive(input_waiter& who) noexcept;
    [[nodiscard]] bool stop_receive(input_waiter& who) noexcept;
    void put_back(lease input) noexcept;
    [[nodiscard]] std::optional<result<void>> begin_write(pending_write& what) noexcept;
    void stop_write(pending_write& what, std::error_code why) noexcept;

private:
    static constexpr std::uint32_t none = 0xffff'ffff;
    struct block {
        static constexpr std::size_t most = 4064;  // with its header it is one frame of the pool
        std::uint32_t begin;
        std::uint32_t end;
        std::uint32_t next;
        std::array<std::byte, most> memory;
        [[nodiscard]] static void* operator new(std::size_t size) {
            return rill::detail::allocate_frame(size);
        }
        static void operator delete(void* what, std::size_t size) noexcept {
            rill::detail::free_frame(what, size);
        }
    };
    class portion final : public pending_write {
    public:
        portion(state& of, bytes one) noexcept : pending_write(one), of_(of) {}

    private:
        void written(result<void> outcome) noexcept override { of_.sent(outcome); }
        state& of_;
    };
    class next_turn final : public ready_node {
    public:
        explicit next_turn(state& of) noexcept : of_(of) {}
        bool posted = false;

    private:
        void run() noexcept override;
        state& of_;
    };

    ~state() = default;

    void arrived(result<lease> input) noexcept override;
    void expired() noexcept override {}  // the stream below is given no deadlines
    void give_back(std::uint32_t index) noexcept override;

    [[nodiscard]] std::optional<result<lease>> read_on() noexcept;
    [[nodiscard]] engine::progress decrypt(lease& made) noexcept;
    void take(result<lease> input) noexcept;
    void resume_reader() noexcept;
    void drop_unread() noexcept;
    void free_block(std::uint32_t index) noexcept;

    void write_on() noexcept;
    void send_output() noexcept;
    void sent(result<void> outcome) noexcept;
    void account(result<void> outcome) noexcept;
    void encrypt_first() noexcept;
    void end_write(pending_write& what, result<void> outcome) noexcept;
    void fail_waiting(std::error_code why) noexcept;

    byte_stream& below_;
    context rules_;  // OpenSSL calls back into it
    engine engine_;

    std::array<block*, most_leases> blocks_{};
    std::uint32_t leases_ = 0;           // blocks that are unread or out
    std::uint32_t first_unread_ = none;  // what was put back
    input_waiter* reader_ = nullptr;
    std::error_code end_;  // why receiving has ended
    bool reading_below_ = false;

    pending_writes writes_;
    pending_write* starting_ = nullptr;    // the write whose begin has not returned
    std::optional<result<void>> started_;  // its outcome, where it is known already
    buffer sending_;
    std::optional<portion> portion_;
    std::size_t encrypted_ = 0;
    next_turn next_;
    std::error_code broken_;  // why nothing more can be written
    bool sending_now_ = false;
    bool handshake_begun_ = false;
    bool established_ = false;
    bool finishing_ = false;
    bool notified_ = false;  // our close_notify was made
    bool finished_ = false;  // and the stream below ended behind it
    bool closed_ = false;
    bool released_ = false;
};

}  // namespace rill::tls
