// task<T>: a lazy coroutine that gives a T to the one coroutine that awaits it.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>

#include "rill/base/error.hpp"
#include "rill/coro/chain.hpp"

#if defined(__has_cpp_attribute) && __has_cpp_attribute(clang::coro_return_type)
#define RILL_CORO_TYPE [[clang::coro_return_type]]
#else
#define RILL_CORO_TYPE
#endif
#if defined(__has_cpp_attribute) && __has_cpp_attribute(clang::coro_lifetimebound)
#define RILL_CORO_LIFETIME [[clang::coro_lifetimebound]]
#else
#define RILL_CORO_LIFETIME
#endif

namespace rill {

template <class T>
class task;

namespace detail {

template <class T>
struct task_promise : promise_base {
    static_assert(std::is_object_v<T>, "a task gives an object or void; return a pointer instead");

    task_promise() noexcept {}
    task_promise(task_promise const&) = delete;
    task_promise& operator=(task_promise const&) = delete;
    ~task_promise() {
        if (has_value_) std::destroy_at(std::addressof(value_));
    }

    task<T> get_return_object() noexcept;

    template <class U>
        requires std::is_constructible_v<T, U&&>
    void return_value(U&& value) noexcept(std::is_nothrow_constructible_v<T, U&&>) {
        std::construct_at(std::addressof(value_), std::forward<U>(value));
        has_value_ = true;
    }
    T take() {
        if (exception_) std::rethrow_exception(exception_);
        return std::move(value_);
    }

    bool has_value_ = false;
    union {
        T value_;
    };
};

template <>
struct task_promise<void> : promise_base {
    task<void> get_return_object() noexcept;
    void return_void() const noexcept {}
    void take() const {
        if (exception_) std::rethrow_exception(exception_);
    }
};

}  // namespace detail

/// A coroutine that starts when it is awaited and gives a T (or an exception) to its awaiter.
///
/// A task is awaited in the expression that makes it: `co_await f(x)`. It cannot be moved, so
/// arguments passed by reference outlive it. To run several at once see `when_all` and
/// `task_group`. Cancelling the chain destroys the frame where it waits; destructors run in order.
///
/// Cost: one frame from the core's pool.
template <class T = void>
class [[nodiscard(
    "a task does nothing until it is awaited")]] RILL_CORO_TYPE RILL_CORO_LIFETIME task {
public:
    using promise_type = detail::task_promise<T>;
    using value_type = T;

    task(task&&) = delete;
    task& operator=(task&&) = delete;
    ~task() {
        if (frame_) frame_.destroy();
    }

    bool await_ready() const noexcept { return false; }
    template <class Promise>
    RILL_AWAIT_SUSPEND void await_suspend(
        std::coroutine_handle<Promise> parent,
        std::source_location where = std::source_location::current()) noexcept {
        detail::promise_base& above = parent.promise();
        detail::promise_base& mine = frame_.promise();
        above.where_ = where;
        mine.chain_ = above.chain_;
        mine.parent_ = &above;
        mine.continuation_ = parent;
        above.chain_->innermost_ = &mine;
        above.chain_->next_ = frame_;
    }
    T await_resume() { return frame_.promise().take(); }

    /// Makes this task the root of `line` and puts it on the ready list. For combinators.
    void start_on(chain& line) noexcept { line.start(frame_, frame_.promise()); }
    /// Destroys the frame where it waits. For combinators, when their chain was stopped.
    void abandon() noexcept { std::exchange(frame_, {}).destroy(); }
    /// True when it ended by an exception. For combinators.
    [[nodiscard]] bool failed() const noexcept { return frame_.promise().exception_ != nullptr; }

private:
    friend promise_type;
    explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

    std::coroutine_handle<promise_type> frame_;
};

namespace detail {

template <class T>
task<T> task_promise<T>::get_return_object() noexcept {
    return task<T>(std::coroutine_handle<task_promise>::from_promise(*this));
}
inline task<void> task_promise<void>::get_return_object() noexcept {
    return task<void>(std::coroutine_handle<task_promise>::from_promise(*this));
}

}  // namespace detail

}  // namespace rill
