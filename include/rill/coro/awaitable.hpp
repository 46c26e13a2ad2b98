// awaitable: what a rill coroutine can await and a combinator can run.
#pragma once

#include <concepts>
#include <type_traits>

namespace rill {

class chain;

namespace detail {

/// True for types that must be awaited in the expression that makes them.
template <class T>
inline constexpr bool awaited_where_made = false;

}  // namespace detail

/// What can be awaited in a rill coroutine and run by a combinator: a task, an operation, or what
/// a combinator gives. A task with a name is none: it may outlive what its arguments refer to.
template <class Awaitable>
concept awaitable =
    requires(std::remove_reference_t<Awaitable>& a, chain& line) {
        typename std::remove_reference_t<Awaitable>::value_type;
        a.start_on(line);
        a.abandon();
        { a.failed() } -> std::same_as<bool>;
        a.await_resume();
    } && (!std::is_lvalue_reference_v<Awaitable> ||
          !detail::awaited_where_made<std::remove_cvref_t<Awaitable>>);

/// The type that `co_await` on the awaitable gives.
template <awaitable Awaitable>
using await_result = typename std::remove_reference_t<Awaitable>::value_type;

}  // namespace rill
