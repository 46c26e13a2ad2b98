// task<T>: a lazy coroutine that gives a T to the one coroutine that awaits it.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>

#include "rill/base/error.hpp"
#include "rill/coro/awaitable.hpp"
#include "rill/coro/chain.hpp"

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

    template <class U = T>
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

template <class T>
class task_awaiter {
public:
    explicit task_awaiter(task<T>& what) noexcept : what_(what) {}
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    RILL_AWAIT_SUSPEND void await_suspend(
        std::coroutine_handle<Promise> parent,
        std::source_location where = std::source_location::current()) noexcept {
        what_.await_suspend(parent, where);
    }
    T await_resume() { return what_.await_resume(); }

private:
    task<T>& what_;
};

}  // namespace detail

/// A coroutine that starts when it is awaited and gives a T (or an exception) to its awaiter.
///
/// A task is awaited in the expression that makes it: `co_await f(x)`. It cannot be moved, so
/// arguments passed by reference outlive it. To run several at once see `when_all` and
/// `task_group`. Cancelling the chain destroys the frame where it waits; destructors run in order.
///
/// Cost: one frame from the core's pool.
//
// Clang's coro_return_type is left out: with it, clang rejects every plain function that returns a
// task, and so std::invoke, std::function and a lambda that forwards to a coroutine.
template <class T = void>
class [[nodiscard("a task does nothing until it is awaited")]] task {
public:
    using promise_type = detail::task_promise<T>;
    using value_type = T;

    task(task&&) = delete;
    task& operator=(task&&) = delete;
    ~task() {
        if (frame_) frame_.destroy();
    }

    /// Awaits this task. There is none for a task with a name: its arguments may be gone.
    [[nodiscard]] detail::task_awaiter<T> operator co_await() && noexcept {
        return detail::task_awaiter<T>(*this);
    }

    /// Lets the task run in the chain of `parent`, which suspends. For awaiters.
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> parent, std::source_location where) noexcept {
        detail::promise_base& above = parent.promise();
        detail::promise_base& mine = frame_.promise();
        above.where_ = where;
        mine.chain_ = above.chain_;
        mine.parent_ = &above;
        mine.continuation_ = parent;
        above.chain_->innermost_ = &mine;
        above.chain_->next_ = frame_;
    }
    /// The value, or throws the exception that it ended by. For awaiters and combinators.
    T await_resume() { return frame_.promise().take(); }

    /// Makes this task the root of `line` and puts it on the ready list. For combinators.
    void start_on(chain& line) noexcept { line.start(frame_, frame_.promise()); }
    /// Destroys the frame where it waits or after it has ended. For combinators, when the chain
    /// was stopped or nobody will take the value.
    void abandon() noexcept { std::exchange(frame_, {}).destroy(); }
    /// True when it ended by an exception. For combinators.
    [[nodiscard]] bool failed() const noexcept {
        return frame_ && frame_.promise().exception_ != nullptr;
    }

private:
    friend promise_type;
    explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

    std::coroutine_handle<promise_type> frame_;
};

namespace detail {

template <class T>
inline constexpr bool awaited_where_made<task<T>> = true;

template <class T>
task<T> task_promise<T>::get_return_object() noexcept {
    return task<T>(std::coroutine_handle<task_promise>::from_promise(*this));
}
inline task<void> task_promise<void>::get_return_object() noexcept {
    return task<void>(std::coroutine_handle<task_promise>::from_promise(*this));
}

}  // namespace detail

}  // namespace rill
