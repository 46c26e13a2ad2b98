// mutex: one coroutine of a core at a time, across its awaits.
#pragma once

#include <utility>

#include "rill/coro/operation.hpp"
#include "rill/coro/wait_list.hpp"

namespace rill {

/// Keeps a section that awaits to one coroutine at a time, first come first served.
///
/// A section without an await needs none: nothing else of the core runs meanwhile.
/// Core: owner core only. It outlives its guards and waits.
class mutex {
public:
    mutex() noexcept = default;
    mutex(mutex const&) = delete;
    mutex& operator=(mutex const&) = delete;
    ~mutex() { RILL_ASSERT(!locked_, "a mutex outlives its guards"); }

    /// The lock that is held; unlocks when it is destroyed.
    class [[nodiscard]] guard {
    public:
        /// Holds none.
        guard() noexcept = default;
        guard(guard&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
        guard& operator=(guard&& other) noexcept {
            if (this != &other) {
                unlock();
                held_ = std::exchange(other.held_, nullptr);
            }
            return *this;
        }
        ~guard() { unlock(); }

        /// Unlocks now; who has waited longest gets it.
        void unlock() noexcept {
            if (held_ != nullptr) std::exchange(held_, nullptr)->pass_on();
        }
        /// True while it holds the lock.
        [[nodiscard]] explicit operator bool() const noexcept { return held_ != nullptr; }

    private:
        friend class mutex;
        explicit guard(mutex& held) noexcept : held_(&held) {}

        mutex* held_ = nullptr;
    };

    class lock_operation;
    /// Waits for the lock. Returns its guard.
    /// Cancel: leaves the queue; a lock granted at the same moment goes to who is next.
    [[nodiscard]] lock_operation lock() noexcept;
    /// The lock if it is free; an empty guard otherwise.
    [[nodiscard]] guard try_lock() noexcept {
        if (locked_) return {};
        locked_ = true;
        return guard(*this);
    }
    /// True while somebody holds it.
    [[nodiscard]] bool locked() const noexcept { return locked_; }

private:
    void pass_on() noexcept;

    bool locked_ = false;  // it stays so while it is handed from one to the next
    detail::wait_list<lock_operation> waiting_;
};

/// The wait of `mutex::lock`.
class [[nodiscard]] mutex::lock_operation final : public value_operation<guard>,
                                                  public detail::wait_node {
public:
    /// The wait for the lock of `from`.
    explicit lock_operation(mutex& from) noexcept : from_(from) {}
    [[nodiscard]] char const* name() const noexcept override { return "mutex"; }
    /// Passes on what nobody will take. For combinators.
    void abandon() noexcept { stored().reset(); }

private:
    friend class mutex;

    bool start() noexcept override {
        if (auto now = from_.try_lock()) {
            set_result(std::move(now));
            return false;
        }
        from_.waiting_.push_back(*this);
        return true;
    }
    void cancel(cancel_reason) noexcept override {
        from_.waiting_.remove(*this);
        set_result(errc::cancelled);
        complete();
    }
    void granted(guard held) noexcept {
        set_result(std::move(held));
        complete();
    }

    mutex& from_;
};

inline void mutex::pass_on() noexcept {
    if (waiting_.empty()) {
        locked_ = false;
    } else {
        waiting_.pop_front().granted(guard(*this));
    }
}
inline mutex::lock_operation mutex::lock() noexcept {
    return lock_operation(*this);
}

}  // namespace rill
