// A core's mailbox: how other threads reach it. It outlives the core for those that still hold it.
#pragma once

#include <atomic>

#include "rill/coro/executor.hpp"

namespace rill {

/// Something another thread sends to a core. It runs there once; it may destroy itself then.
class message : public ready_node {
protected:
    message() noexcept = default;
    ~message() = default;

private:
    friend class mailbox;
    message* next_message_ = nullptr;
};

/// A queue of messages to one core: any thread delivers, the core drains.
///
/// Bounded by its users: a message is a node that its sender owns, so nothing is allocated here.
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

private:
    static void post_all(message* newest, executor& home) noexcept;

    std::atomic<message*> newest_ = nullptr;
    std::atomic<bool> sleeping_ = false;
    int descriptor_;
};

}  // namespace rill
