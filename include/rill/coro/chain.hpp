// A chain: one line of awaits, from a root coroutine to the operation it waits for.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <source_location>
#include <utility>

#include "rill/base/time.hpp"
#include "rill/coro/executor.hpp"

// Clang before 19 may write to a frame after await_suspend has given it away, if it was inlined.
#if defined(__clang__) && __clang_major__ < 19
#define RILL_AWAIT_SUSPEND [[gnu::noinline]]
#else
#define RILL_AWAIT_SUSPEND
#endif

namespace rill {

class chain;
class operation;

/// Why a wait was told to end.
enum class cancel_reason : std::uint8_t {
    none,         ///< It was not.
    user,         ///< Somebody called cancel.
    sibling,      ///< Another branch won or failed.
    deadline,     ///< A deadline passed.
    client_gone,  ///< The peer that wanted the answer left.
    shutdown,     ///< The server or the core stops.
};

/// How a chain ended.
enum class outcome : std::uint8_t {
    completed,  ///< The root returned or threw.
    stopped,    ///< It was cancelled: its frames were destroyed where they waited.
};

namespace detail {

/// Memory for a coroutine frame, from the core's pool of size classes.
[[nodiscard]] RILL_API void* allocate_frame(std::size_t size);
/// Gives a frame's memory back; `size` as it was allocated.
RILL_API void free_frame(void* frame, std::size_t size) noexcept;

/// What every promise of rill has: its chain, who awaits it, and where.
struct promise_base {
    chain* chain_ = nullptr;
    promise_base* parent_ = nullptr;             // who awaits this coroutine; null for a root
    std::coroutine_handle<> continuation_ = {};  // the frame of that awaiter
    std::source_location where_ = {};            // the place of the await this one waits in
    std::exception_ptr exception_ = {};

    static void* operator new(std::size_t size) { return allocate_frame(size); }
    static void operator delete(void* frame, std::size_t size) noexcept { free_frame(frame, size); }

    std::suspend_always initial_suspend() const noexcept { return {}; }
    struct final_awaiter {
        bool await_ready() const noexcept { return false; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> self) const noexcept;
        void await_resume() const noexcept {}
    };
    final_awaiter final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { exception_ = std::current_exception(); }
};

}  // namespace detail

/// One line of awaits: a root coroutine, the frames below it, and the one operation that the
/// innermost frame waits for. The unit of cancellation.
///
/// **How a cancellation travels.** `cancel` notes the reason and asks the operation to end early.
/// When the operation's own completion has arrived, the owner destroys the root's frame, which
/// destroys the frames below it at their suspension points, children before parents. No exception
/// is thrown. Every later await of the chain ends the same way, except under `shield`.
///
/// **How frames are resumed.** `run` is a trampoline: awaiting stores the next frame in the chain
/// and returns to it. The stack stays flat in every build, without symmetric transfer.
class RILL_API chain : public ready_node {
public:
    /// A chain of `home`, inheriting the deadline of `parent` (null for none).
    chain(executor& home, chain* parent) noexcept
        : chain(home, parent, parent != nullptr ? parent->deadline_ : never) {}
    /// A chain of `home` with a deadline of its own; `parent` is for traces.
    chain(executor& home, chain* parent, time_point deadline) noexcept
        : home_(&home), parent_(parent), deadline_(deadline) {}

    /// Starts with `root`, from the ready list. `promise` is root's.
    void start(std::coroutine_handle<> root, detail::promise_base& promise) noexcept {
        state_ = state::going;
        next_ = root;
        promise.chain_ = this;
        innermost_ = &promise;
        home_->post(*this);
    }
    /// Starts with one operation and no coroutine; `ended` comes when it has completed.
    void start(operation& only) noexcept;

    /// Asks for an early end. Later calls change nothing: the first reason stays.
    void cancel(cancel_reason reason) noexcept;

    /// True when an early end was asked for.
    [[nodiscard]] bool cancelled() const noexcept { return reason_ != cancel_reason::none; }
    /// Why; `none` when it was not.
    [[nodiscard]] cancel_reason reason() const noexcept { return reason_; }
    /// The moment by which the chain must be done; `never` when there is none.
    [[nodiscard]] time_point deadline() const noexcept { return deadline_; }
    /// Brings the deadline forward to `when`; it is never put back.
    void limit_deadline(time_point when) noexcept {
        if (when < deadline_) deadline_ = when;
    }
    /// The chain that waits for this one; null at the top.
    [[nodiscard]] chain* parent() const noexcept { return parent_; }
    /// The core it runs on.
    [[nodiscard]] executor& home() const noexcept { return *home_; }
    /// What it waits for now; null while it runs.
    [[nodiscard]] operation* waiting_for() const noexcept { return leaf_; }
    /// True for a chain of one operation that has completed and only waits to be told so: too late
    /// to cancel without losing what it has won.
    [[nodiscard]] bool has_won() const noexcept;
    /// The frame that waits or runs; null for a chain of one operation.
    [[nodiscard]] detail::promise_base* innermost() const noexcept { return innermost_; }

protected:
    ~chain() {
        RILL_ASSERT(state_ != state::going, "wait for the end of a chain before it is destroyed");
    }

    /// Called once when nothing of the chain runs or waits any more. May destroy the chain.
    ///
    /// `stopped` means that the frames still stand where they waited: the owner of the root
    /// destroys it here, and with it all frames below.
    virtual void ended(outcome how) noexcept = 0;

private:
    friend class operation;
    friend struct detail::promise_base::final_awaiter;
    template <class T>
    friend class task;

    enum class state : std::uint8_t { created, going, finished, stopping };

    void run() noexcept override {
        if (cancelled()) {
            stop();
        } else {
            resume({});
        }
    }
    void resume(std::coroutine_handle<> from) noexcept {
        if (from) next_ = from;
        while (auto const frame = std::exchange(next_, {})) frame.resume();
        if (state_ != state::going) [[unlikely]]
            finish();
    }
    void finish() noexcept;
    /// Ends the chain as stopped. Nothing of it may be in flight.
    void stop() noexcept {
        state_ = state::stopping;
        finish();
    }

    executor* home_;
    chain* parent_;
    operation* leaf_ = nullptr;
    detail::promise_base* innermost_ = nullptr;
    std::coroutine_handle<> next_ = {};
    time_point deadline_;
    cancel_reason reason_ = cancel_reason::none;
    state state_ = state::created;
};

template <class Promise>
void detail::promise_base::final_awaiter::await_suspend(
    std::coroutine_handle<Promise> self) const noexcept {
    promise_base& promise = self.promise();
    chain& line = *promise.chain_;
    line.next_ = promise.continuation_;
    line.innermost_ = promise.parent_;
    if (promise.parent_ == nullptr) line.state_ = chain::state::finished;
}

}  // namespace rill
