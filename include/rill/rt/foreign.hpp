// foreign: awaits what another coroutine library awaits, and comes back to the own core.
#pragma once

#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>

#include "rill/rt/completion.hpp"

namespace rill {

namespace detail {

/// The awaiter of an awaitable, as `co_await` finds it.
template <class Awaitable>
decltype(auto) awaiter_of(Awaitable&& what) {
    if constexpr (requires { std::forward<Awaitable>(what).operator co_await(); }) {
        return std::forward<Awaitable>(what).operator co_await();
    } else if constexpr (requires { operator co_await(std::forward<Awaitable>(what)); }) {
        return operator co_await(std::forward<Awaitable>(what));
    } else {
        return std::forward<Awaitable>(what);
    }
}
template <class Awaitable>
using foreign_value =
    std::remove_cvref_t<decltype(awaiter_of(std::declval<Awaitable>()).await_resume())>;

/// A coroutine of no chain: it starts at once, runs on whatever thread resumes it, and destroys
/// itself. Its frame comes from the heap, since the core's pool belongs to the core's thread.
struct foreign_line {
    struct promise_type {
        foreign_line get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
};

// A false alarm of GCC about awaitables of an unnamed name space, which the frame holds.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif
template <class T, class Awaitable>
foreign_line await_foreign(Awaitable what, completer<T> done) {
    std::exception_ptr failure;
    try {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(what);
            done.complete();
        } else {
            auto value = co_await std::move(what);
            done.complete(std::move(value));
        }
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) done.fail(std::move(failure));
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

}  // namespace detail

/// The wait of `foreign`.
template <class T, class Awaitable>
class [[nodiscard]] foreign_operation final : public detail::completion_wait<T> {
public:
    /// A wait for `what`, which it owns until it starts.
    explicit foreign_operation(Awaitable what)
        : detail::completion_wait<T>(std::make_shared<detail::completion_state<T>>()),
          what_(std::move(what)) {}
    /// "foreign".
    [[nodiscard]] char const* name() const noexcept override { return "foreign"; }

private:
    [[nodiscard]] bool start() noexcept override {
        detail::await_foreign<T>(std::move(what_), completer<T>(this->state()));
        return detail::completion_wait<T>::start();
    }

    Awaitable what_;
};

/// Awaits an awaitable of another library: `co_await foreign(other::fetch(url))`.
///
/// It is awaited by a coroutine of its own, which may be resumed by a `std::coroutine_handle` on
/// any thread; the value then comes to this core as a message. What it must not need is a promise
/// type of its own library (an asio::awaitable does: start it with co_spawn and a `completer`).
///
/// Returns   its value, moved.
/// Errors    what it throws.
/// Lifetime  the awaitable is moved into that coroutine: what it refers to lives until it is done,
///           also when the wait was cancelled.
/// Cancel    ends the wait at once. The other library is not told; what it gives later is dropped.
/// Cost      two allocations and a message.
template <class Awaitable>
[[nodiscard]] auto foreign(Awaitable&& what) {
    using owned = std::decay_t<Awaitable>;
    return foreign_operation<detail::foreign_value<owned>, owned>(std::forward<Awaitable>(what));
}

}  // namespace rill
