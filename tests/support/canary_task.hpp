// A minimal lazy task and its trampoline, used only to find out what a compiler makes of
// coroutines. It shares no code with rill's own task, so that a fault here is the compiler's.
#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>
#include <exception>
#include <new>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

namespace canary {

/// Runs coroutines one after another from a single loop.
///
/// `await_suspend` only stores who runs next and returns; the loop resumes it. The stack is thus as
/// deep for the millionth synchronous await as for the first, whatever the optimiser does.
class executor {
public:
    void schedule(std::coroutine_handle<> handle) { ready_.push_back(handle); }

    [[nodiscard]] bool idle() const { return ready_.empty(); }

    /// Resumes `handle` and everything it hands over to, until all of them wait.
    void resume(std::coroutine_handle<> handle) {
        next = handle;
        while (auto running = std::exchange(next, {})) {
            running.resume();
            if (auto finished = std::exchange(doomed, {})) finished.destroy();
        }
    }

    /// Resumes the coroutine that has waited longest. What a miscompiled coroutine left on the
    /// stack instead of in its frame is overwritten first, so that it fails in the same way every
    /// time.
    void step() {
        overwrite_stack();
        auto const handle = ready_.front();
        ready_.pop_front();
        resume(handle);
    }

    void run() {
        while (!idle()) step();
    }

    /// Forgets what waits; the frames are their owners' to destroy.
    void clear() { ready_.clear(); }

    std::coroutine_handle<> next;
    std::coroutine_handle<> doomed;

private:
    [[gnu::noinline]] static void overwrite_stack() {
        unsigned char volatile bytes[4096];
        for (auto& byte : bytes) byte = 0xa5;
    }

    std::deque<std::coroutine_handle<>> ready_;
};

struct promise_base {
    struct final_awaiter {
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template <typename Promise>
        void await_suspend(std::coroutine_handle<Promise> self) const noexcept {
            promise_base& promise = self.promise();
            if (promise.continuation) {
                promise.home->next = promise.continuation;
            } else if (promise.owned_by_loop) {
                promise.home->doomed = self;
            }
        }
        void await_resume() const noexcept {}
    };

    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] final_awaiter final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { failure = std::current_exception(); }

    executor* home = nullptr;
    promise_base* parent = nullptr;
    std::coroutine_handle<> continuation;
    std::source_location awaited_at;
    std::exception_ptr failure;
    bool owned_by_loop = false;
};

template <typename T>
struct promise_value : promise_base {
    template <typename U>
    void return_value(U&& from) {
        value.emplace(std::forward<U>(from));
    }
    T take() {
        if (failure) std::rethrow_exception(failure);
        return std::move(*value);
    }
    std::optional<T> value;
};

template <>
struct promise_value<void> : promise_base {
    void return_void() noexcept {}
    void take() const {
        if (failure) std::rethrow_exception(failure);
    }
};

/// Lazy, immovable, awaited in the expression that makes it.
template <typename T = void>
class [[nodiscard]] task {
public:
    struct promise_type : promise_value<T> {
        task get_return_object() noexcept {
            return task(std::coroutine_handle<promise_type>::from_promise(*this));
        }
    };

    task(task&&) = delete;
    ~task() { frame_.destroy(); }

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter,
                       std::source_location where = std::source_location::current()) noexcept {
        promise_base& parent = waiter.promise();
        parent.awaited_at = where;
        promise_type& promise = frame_.promise();
        promise.parent = &parent;
        promise.home = parent.home;
        promise.continuation = waiter;
        promise.home->next = frame_;
    }
    T await_resume() { return frame_.promise().take(); }

    void start(executor& home) {
        frame_.promise().home = &home;
        home.resume(frame_);
    }
    [[nodiscard]] bool done() const { return frame_.done(); }
    T result() { return frame_.promise().take(); }
    [[nodiscard]] promise_base const& promise() const { return frame_.promise(); }
    [[nodiscard]] std::coroutine_handle<promise_type> frame() const { return frame_; }

private:
    explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

    std::coroutine_handle<promise_type> frame_;
};

/// A root that nobody awaits: the loop destroys its frame after the final suspension.
struct detached {
    struct promise_type : promise_base {
        promise_type() noexcept { owned_by_loop = true; }
        detached get_return_object() noexcept {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        void return_void() noexcept {}
    };

    void start(executor& home) const {
        frame.promise().home = &home;
        home.resume(frame);
    }

    std::coroutine_handle<promise_type> frame;
};

/// One real suspension: the coroutine goes to the end of the executor's queue.
struct suspension {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) const {
        promise_base& promise = waiter.promise();
        promise.home->schedule(waiter);
    }
    void await_resume() const noexcept {}
};

}  // namespace canary
