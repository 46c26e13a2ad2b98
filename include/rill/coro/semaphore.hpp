// semaphore: a stated number of permits, and those who wait for some.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "rill/coro/operation.hpp"
#include "rill/coro/wait_list.hpp"

namespace rill {

/// A bound on how much may be going on at once: each acquirer holds some of a fixed number of
/// permits until its guard is gone.
///
/// Strictly first come first served: a large request is not overtaken by small ones behind it.
/// Core: owner core only. It outlives its guards and waits.
class semaphore {
public:
    /// With `limit` permits, all of them free; at least 1.
    explicit semaphore(std::size_t limit) noexcept : limit_(limit), free_(limit) {
        RILL_ASSERT(limit > 0, "a semaphore needs a permit that can be acquired");
    }
    semaphore(semaphore const&) = delete;
    semaphore& operator=(semaphore const&) = delete;
    ~semaphore() { RILL_ASSERT(free_ == limit_, "a semaphore outlives its guards"); }

    /// Permits that are held; gives them back when it is destroyed.
    class [[nodiscard]] guard {
    public:
        /// Holds none.
        guard() noexcept = default;
        guard(guard&& other) noexcept
            : from_(std::exchange(other.from_, nullptr)), count_(std::exchange(other.count_, 0)) {}
        guard& operator=(guard&& other) noexcept {
            if (this != &other) {
                release();
                from_ = std::exchange(other.from_, nullptr);
                count_ = std::exchange(other.count_, 0);
            }
            return *this;
        }
        ~guard() { release(); }

        /// Gives the permits back now.
        void release() noexcept {
            if (from_ != nullptr)
                std::exchange(from_, nullptr)->give_back(std::exchange(count_, 0));
        }
        /// How many it holds.
        [[nodiscard]] std::size_t count() const noexcept { return count_; }
        /// True when it holds any.
        [[nodiscard]] explicit operator bool() const noexcept { return from_ != nullptr; }

    private:
        friend class semaphore;
        guard(semaphore& from, std::size_t count) noexcept : from_(&from), count_(count) {}

        semaphore* from_ = nullptr;
        std::size_t count_ = 0;
    };

    class acquire_operation;
    /// Waits for `count` permits, 1..limit(). Returns their guard.
    /// Cancel: leaves the queue; permits granted at the same moment go to who is next.
    [[nodiscard]] acquire_operation acquire(std::size_t count = 1) noexcept;
    /// The permits if they are free and nobody waits; an empty guard otherwise.
    [[nodiscard]] guard try_acquire(std::size_t count = 1) noexcept {
        RILL_ASSERT(count > 0, "acquire at least one permit");
        if (!waiting_.empty() || count > free_) return {};
        free_ -= count;
        return {*this, count};
    }
    /// Permits that nobody holds.
    [[nodiscard]] std::size_t available() const noexcept { return free_; }
    /// Permits in all.
    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }

private:
    void give_back(std::size_t count) noexcept {
        free_ += count;
        RILL_ASSERT(free_ <= limit_, "a permit comes back once");
        serve();
    }
    void serve() noexcept;

    std::size_t limit_;
    std::size_t free_;
    detail::wait_list<acquire_operation> waiting_;
};

/// The wait of `semaphore::acquire`.
class [[nodiscard]] semaphore::acquire_operation final : public value_operation<guard>,
                                                         public detail::wait_node {
public:
    /// The wait for `count` permits of `from`.
    acquire_operation(semaphore& from, std::size_t count) noexcept : from_(from), count_(count) {
        RILL_ASSERT(count > 0, "acquire at least one permit");
        RILL_ASSERT(count <= from.limit_, "more permits than there are would wait for ever");
    }
    [[nodiscard]] char const* name() const noexcept override { return "semaphore"; }
    /// Gives back what nobody will take. For combinators.
    void abandon() noexcept { stored().reset(); }

private:
    friend class semaphore;

    bool start() noexcept override {
        if (auto now = from_.try_acquire(count_)) {
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
        from_.serve();  // a large request may have held up small ones
    }
    void granted(guard permits) noexcept {
        set_result(std::move(permits));
        complete();
    }

    semaphore& from_;
    std::size_t count_;
};

inline void semaphore::serve() noexcept {
    while (!waiting_.empty() && waiting_.front().count_ <= free_) {
        acquire_operation& next = waiting_.pop_front();
        free_ -= next.count_;
        next.granted(guard(*this, next.count_));
    }
}
inline semaphore::acquire_operation semaphore::acquire(std::size_t count) noexcept {
    return {*this, count};
}

}  // namespace rill
