// as_result: what an await would throw, as a value.
#pragma once

#include <source_location>
#include <system_error>

#include "rill/base/result.hpp"
#include "rill/coro/child.hpp"

namespace rill {

namespace detail {

template <class Operation>
class operation_as_result {
public:
    explicit operation_as_result(Operation& what) noexcept : what_(what) {
        what.catch_cancellation();
    }
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    RILL_AWAIT_SUSPEND bool await_suspend(
        std::coroutine_handle<Promise> frame,
        std::source_location where = std::source_location::current()) noexcept {
        return what_.await_suspend(frame, where);
    }
    result<typename Operation::value_type> await_resume() noexcept { return what_.take_result(); }

private:
    Operation& what_;
};

template <class T>
class task_as_result {
public:
    explicit task_as_result(task<T>& what) noexcept : what_(what) {}
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    RILL_AWAIT_SUSPEND void await_suspend(
        std::coroutine_handle<Promise> frame,
        std::source_location where = std::source_location::current()) noexcept {
        what_.await_suspend(frame, where);
    }
    result<T> await_resume() {
        try {
            if constexpr (std::is_void_v<T>) {
                what_.await_resume();
                return {};
            } else {
                return what_.await_resume();
            }
        } catch (error const& failure) {
            return failure.code();
        }
    }

private:
    task<T>& what_;
};

}  // namespace detail

/// Awaits an operation and gives its `result<T>` instead of throwing.
///
/// A cancellation is seen here as `errc::cancelled`, and the coroutine goes on; its next await
/// outside `shield` and `as_result` ends the chain.
template <class Operation>
    requires std::derived_from<std::remove_reference_t<Operation>, operation>
[[nodiscard]] auto as_result(Operation&& what) noexcept {
    return detail::operation_as_result<std::remove_reference_t<Operation>>(what);
}

/// Awaits a task and gives its value, or the code of the `error` that it threw.
///
/// Other exceptions pass. A cancellation ends the chain as it does without `as_result`.
template <class T>
[[nodiscard]] auto as_result(task<T>&& what) noexcept {
    return detail::task_as_result<T>(what);
}

}  // namespace rill
