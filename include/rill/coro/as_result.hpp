// as_result: what an await would throw, as a value.
#pragma once

#include <concepts>
#include <coroutine>
#include <source_location>
#include <system_error>
#include <type_traits>

#include "rill/base/error.hpp"
#include "rill/base/result.hpp"
#include "rill/coro/awaitable.hpp"
#include "rill/coro/operation.hpp"

namespace rill {

namespace detail {

template <awaitable Awaitable>
class [[nodiscard("it does nothing until it is awaited")]] as_result_awaiter {
    static constexpr bool holds_result = requires(Awaitable& a) { a.take_result(); };
    static constexpr bool can_stop = std::derived_from<Awaitable, operation>;

public:
    using value_type = result<await_result<Awaitable>>;

    explicit as_result_awaiter(Awaitable& what) noexcept : what_(what) {
        if constexpr (can_stop) what.catch_cancellation();
    }
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    RILL_AWAIT_SUSPEND auto await_suspend(
        std::coroutine_handle<Promise> frame,
        std::source_location where = std::source_location::current()) noexcept {
        return what_.await_suspend(frame, where);
    }
    value_type await_resume() noexcept(holds_result) {
        if constexpr (holds_result) {
            return what_.take_result();
        } else {
            if constexpr (can_stop) {
                if (what_.stopped()) return errc::cancelled;
            }
            try {
                return take();
            } catch (error const& failure) {
                return failure.code();
            }
        }
    }

    void start_on(chain& line) noexcept { what_.start_on(line); }
    void abandon() noexcept { what_.abandon(); }
    void claim() noexcept
        requires requires(Awaitable& a) { a.claim(); }
    {
        what_.claim();
    }
    /// True when it ended by an exception that is no `error`.
    [[nodiscard]] bool failed() const noexcept {
        if constexpr (holds_result) {
            return false;
        } else {
            if (!what_.failed()) return false;
            try {
                what_.await_resume();
            } catch (error const&) {
                return false;
            } catch (...) {
                return true;
            }
            return false;
        }
    }

private:
    value_type take() {
        if constexpr (std::is_void_v<await_result<Awaitable>>) {
            what_.await_resume();
            return {};
        } else {
            return what_.await_resume();
        }
    }

    Awaitable& what_;
};

}  // namespace detail

/// Awaits and gives a `result` instead of throwing: the value, or the code of the `error`.
///
/// Other exceptions pass. A cancellation of an operation (a combinator is one) is seen here as
/// `errc::cancelled`, and the coroutine goes on; its next await outside `shield` and `as_result`
/// ends the chain. A cancellation in a task ends the chain as it does without `as_result`.
template <awaitable Awaitable>
[[nodiscard]] auto as_result(Awaitable&& what) noexcept {
    return detail::as_result_awaiter<std::remove_reference_t<Awaitable>>(what);
}

}  // namespace rill
