// The receive buffers of one core: a fixed set that the driver fills, and pooled copies beside it
// for the time when readers hold too much of that set.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rill/base/bytes.hpp"
#include "rill/rt/lease.hpp"

namespace rill {

/// Somebody who could not be given a buffer and is told when one comes back.
class buffer_waiter {
public:
    virtual void buffer_returned() noexcept = 0;

protected:
    ~buffer_waiter() = default;

private:
    friend class receive_buffers;
    buffer_waiter* next_ = nullptr;
    buffer_waiter* previous_ = nullptr;
    bool waiting_ = false;
};

/// A core's buffers, all of one size, named by index. Indices below `ring_count` are the
/// driver's set; those above are copies, taken from the heap when needed and kept for reuse.
///
/// Core: owner core only.
class receive_buffers final : public buffer_source {
public:
    static constexpr std::uint32_t block_bytes = 4096;
    /// Holds any UDP datagram with what stands before it.
    static constexpr std::uint32_t large_block_bytes = 65536 + 256;
    /// 2 MiB of address space, of which what was used once is in memory; and copies beside them.
    static constexpr std::uint32_t large_count = 32;
    static constexpr std::uint32_t large_copies = 64;
    static constexpr std::uint32_t none = 0xffff'ffff;

    /// Who gets a buffer of the driver's set back.
    class provider {
    public:
        virtual void provide(std::uint32_t index) noexcept = 0;

    protected:
        ~provider() = default;
    };

    /// `ring_count` buffers for the driver, at most `copy_limit` copies beside them.
    receive_buffers(std::uint32_t ring_count, std::uint32_t copy_limit,
                    std::uint32_t bytes_each = block_bytes);
    receive_buffers(receive_buffers const&) = delete;
    receive_buffers& operator=(receive_buffers const&) = delete;
    ~receive_buffers();

    /// Sets who is told of returned buffers of the driver's set, and gives it all of them.
    void attach(provider& to) noexcept;
    /// Nobody is told any more.
    void detach() noexcept { provider_ = nullptr; }

    /// The size of each buffer.
    [[nodiscard]] std::uint32_t bytes_each() const noexcept { return bytes_each_; }
    /// The memory of a buffer.
    [[nodiscard]] std::byte* block(std::uint32_t index) noexcept {
        return index < ring_count_ ? memory_.get() + std::size_t{index} * bytes_each_
                                   : copies_[index - ring_count_].get();
    }

    /// The driver filled buffer `index`: it is the receiver's now. Returns the index to use: the
    /// same one, or that of a copy when more than half of the set is out.
    [[nodiscard]] std::uint32_t filled(std::uint32_t index, std::uint32_t size) noexcept;
    void give_back(std::uint32_t index) noexcept override;

    /// Puts `who` on the list of those that are told, in order, when a buffer has come back.
    void wait(buffer_waiter& who) noexcept;
    void stop_waiting(buffer_waiter& who) noexcept;
    /// For the driver, in each turn: tells as many waiters as there are free buffers, and all of
    /// them where the core is `about_to_wait`. Who was told first may have no input at all, and
    /// would leave the buffer to nobody.
    void retry_waiters(bool about_to_wait) noexcept;

    [[nodiscard]] std::uint32_t ring_count() const noexcept { return ring_count_; }
    /// Buffers that receivers hold: unread or leased.
    [[nodiscard]] std::uint32_t held() const noexcept { return ring_held_ + copies_held_; }
    [[nodiscard]] std::uint32_t ring_held() const noexcept { return ring_held_; }
    /// True when a receiver is to wait for a buffer to come back, not to ask again at once.
    [[nodiscard]] bool exhausted() const noexcept { return withheld_ || ring_held_ >= ring_count_; }
    /// For a simulation: the driver gives none out, whatever is free.
    void withhold(bool all) noexcept { withheld_ = all; }
    /// True when more than half of the copies are out: receivers then keep one buffer each, so that
    /// some hundreds of peers who are not read cannot take all from everybody else.
    [[nodiscard]] bool scarce() const noexcept { return copies_held_ > copy_limit_ / 2; }

    // The queue of one receiver is a list through these slots: it takes no memory of its own.
    struct slot {
        std::uint32_t next = none;
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
    };
    [[nodiscard]] slot& at(std::uint32_t index) noexcept { return slots_[index]; }

private:
    struct memory_deleter {
        std::size_t size;
        void operator()(std::byte* memory) const noexcept;
    };

    std::uint32_t take_copy() noexcept;

    std::uint32_t ring_count_;
    std::uint32_t copy_limit_;
    std::uint32_t bytes_each_;
    std::unique_ptr<std::byte[], memory_deleter> memory_;
    std::vector<slot> slots_;
    std::vector<std::unique_ptr<std::byte[]>> copies_;
    std::uint32_t free_copy_ = none;
    std::uint32_t ring_held_ = 0;
    std::uint32_t copies_held_ = 0;
    bool withheld_ = false;
    provider* provider_ = nullptr;
    buffer_waiter* first_waiter_ = nullptr;
    buffer_waiter* last_waiter_ = nullptr;
};

}  // namespace rill
