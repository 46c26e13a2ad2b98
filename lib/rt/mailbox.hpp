// A core's mailbox: how other threads reach it. It outlives the core for those that still hold it.
#pragma once

#include <atomic>
#include <cstdint>

#include "rill/rt/message.hpp"

namespace rill {

/// A queue of messages to one core: any thread delivers, the core drains.
///
/// A message is a node that its sender owns, so nothing is allocated here; senders that allocate
/// count what they have on the way.
class mailbox {
public:
    mailbox();
    mailbox(mailbox const&) = delete;
    mailbox& operator=(mailbox const&) = delete;
    ~mailbox();

    /// Hands `what` to the core; any thread. Returns false when the core has gone: the message is
    /// then still the caller's.
    [[nodiscard]] bool deliver(message& what) noexcept;

    /// Owner core: posts all messages to `home`, in the order of their delivery.
    void drain(executor& home) noexcept;
    /// True when no message waits.
    [[nodiscard]] bool empty() const noexcept {
        return newest_.load(std::memory_order_relaxed) == nullptr;
    }
    /// Owner core: about to sleep. Returns false when there is a message: do not.
    [[nodiscard]] bool prepare_to_sleep() noexcept;
    /// Owner core: awake again.
    void awake() noexcept { sleeping_.store(false, std::memory_order_relaxed); }
    /// Owner core: no further messages. Posts those that are still there.
    void close(executor& home) noexcept;

    /// The descriptor (an eventfd) that becomes readable when a sleeping core is to wake up.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// Wakes the core if it sleeps; any thread, also from a signal handler.
    void wake() noexcept;

    /// Counts a message that the sender allocated, and refuses it at `most_posted`; any thread.
    [[nodiscard]] bool reserve_post() noexcept {
        if (posted_.fetch_add(1, std::memory_order_relaxed) < most_posted) return true;
        release_post();
        return false;
    }
    /// Uncounts it, before it runs.
    void release_post() noexcept { posted_.fetch_sub(1, std::memory_order_relaxed); }

    /// Allocated messages that may wait for one core. It bounds what threads that outrun the core
    /// can pile up.
    static constexpr std::uint32_t most_posted = 65'536;

private:
    static void post_all(message* newest, executor& home) noexcept;

    std::atomic<message*> newest_ = nullptr;
    std::atomic<bool> sleeping_ = false;
    std::atomic<std::uint32_t> posted_ = 0;
    int descriptor_;
};

}  // namespace rill
