// How a server's cores are told to stop, from any thread.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>

#include "rill/base/time.hpp"
#include "rill/coro/event.hpp"
#include "rill/rt/core.hpp"
#include "rt/mailbox.hpp"

namespace rill::web {

/// A request to stop with a grace period that only gets shorter. Set by any thread; every core
/// that has a waiter sees an event on its own core.
class stop_signal {
public:
    /// One core's view. Made and destroyed on its core.
    class waiter {
    public:
        explicit waiter(stop_signal& of);
        waiter(waiter const&) = delete;
        waiter& operator=(waiter const&) = delete;
        ~waiter();

        /// Set whenever the grace period was given or got shorter.
        [[nodiscard]] event& changed() noexcept { return notice_->changed; }

    private:
        friend class stop_signal;
        // Shared with the message on its way: it may arrive after the waiter has gone.
        struct notice final : message, std::enable_shared_from_this<notice> {
            event changed;
            std::atomic<bool> sent = false;
            std::shared_ptr<notice> self;  // while on its way
            void run() noexcept override {
                auto const keep = std::move(self);
                sent = false;
                changed.set();
            }
        };
        stop_signal& of_;
        std::shared_ptr<notice> notice_;
        std::shared_ptr<mailbox> box_;
    };

    /// Asks for a stop within `grace` of the first request; a longer one than before changes
    /// nothing. Any thread.
    void request(duration grace) noexcept;
    /// The grace period asked for; the longest duration when none was.
    [[nodiscard]] duration grace() const noexcept {
        return duration(grace_.load(std::memory_order_acquire));
    }

private:
    static void tell(waiter& who) noexcept;

    std::atomic<duration::rep> grace_ = duration::max().count();
    std::mutex mutex_;
    std::list<waiter*> waiters_;
};

}  // namespace rill::web
