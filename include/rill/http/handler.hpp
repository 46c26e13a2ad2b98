// handler: any function that answers a request, behind one plain pointer.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "rill/base/time.hpp"
#include "rill/coro/task.hpp"
#include "rill/http/places.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"
#include "rill/http/streaming_request.hpp"
#include "rill/io/throttle.hpp"

namespace rill::http {

/// What one handler allows its clients, in place of the server's own bounds. What is 0 is the
/// server's.
struct handler_limits {
    /// Bytes of a request's content; over it the answer is 413.
    std::uint64_t body_bytes = 0;
    /// How long the server waits for the whole content; over it the answer is 408.
    duration body_timeout = 0s;
    /// For a handler that returns a task; over it the handler is cancelled and the answer is 503.
    duration handler_timeout = 0s;
    /// Requests of this handler that wait at once, on all cores together; beyond it the answer is
    /// 503. As the server's `most_requests`, and besides it.
    std::uint32_t most_requests = 0;
    /// Bytes per second of the content of all requests of this handler together, on all cores. As
    /// the server's own rate, and besides it.
    std::uint64_t read_rate = 0;
    /// The same for their answers.
    std::uint64_t write_rate = 0;

    friend bool operator==(handler_limits const& left, handler_limits const& right) = default;
};
static_assert(std::is_trivially_destructible_v<handler_limits>);

/// The limits of one handler, and what counts against them on all cores.
struct handler_bounds {
    /// With nothing counted yet.
    explicit handler_bounds(handler_limits const& allowed) noexcept
        : limits(allowed),
          requests(allowed.most_requests),
          reads(allowed.read_rate),
          writes(allowed.write_rate) {}

    /// True when one of the rates is limited.
    [[nodiscard]] bool throttles() const noexcept { return reads.limited() || writes.limited(); }

    handler_limits const limits;  ///< What was set.
    places mutable requests;      ///< Of `limits.most_requests`.
    byte_rate mutable reads;      ///< Of `limits.read_rate`.
    byte_rate mutable writes;     ///< Of `limits.write_rate`.
};

/// How a handler gets the content of a request.
enum class content_mode : std::uint8_t {
    whole,     ///< It is called when all has arrived.
    streamed,  ///< It is called with a `streaming_request`, and reads.
    unwanted,  ///< As whole, but a client that waits for 100 Continue is answered without.
};

/// A function that answers requests. Small, copied freely; owns nothing: whoever made it keeps
/// `object` alive and unchanged, because every core calls it.
struct handler {
    /// Answers at once.
    using plain_function = response (*)(void const* object, request& req);
    /// Answers at once, or says false where that needs a wait.
    using ready_function = bool (*)(void const* object, request& req, response& into);
    /// Answers when its task ends.
    using coroutine_function = task<response> (*)(void const* object, request& req);

    void const* object = nullptr;                ///< What the function is called with.
    plain_function plain = nullptr;              ///< Set for a function that returns a value.
    coroutine_function coroutine = nullptr;      ///< Set for one that returns a task; never both.
    ready_function ready = nullptr;              ///< Tried before `coroutine`; may be null.
    handler_bounds const* bounds = nullptr;      ///< Its own, kept alive like `object`, or null.
    content_mode content = content_mode::whole;  ///< `streamed` needs a `streaming_request`.

    /// True when the answer is there as soon as the function returns.
    [[nodiscard]] bool is_plain() const noexcept { return plain != nullptr; }
    /// True when the function returns a task.
    [[nodiscard]] bool is_coroutine() const noexcept { return coroutine != nullptr; }
};

namespace detail {

using http::to_response;

template <class Value>
concept answers = requires(Value&& value) {
    { to_response(std::forward<Value>(value)) } -> std::same_as<response>;
};

template <class T>
struct task_value {
    static constexpr bool is_task = false;
    using type = T;
};
template <class T>
struct task_value<task<T>> {
    static constexpr bool is_task = true;
    using type = T;
};

template <class Function>
inline constexpr bool reads_content = !std::invocable<Function const&, request&> &&
                                      std::invocable<Function const&, streaming_request&>;

// Calls `function` with the request when it wants one.
template <class Function>
decltype(auto) call_handler(Function const& function, request& req) {
    if constexpr (std::invocable<Function const&, request&>) {
        return function(req);
    } else if constexpr (reads_content<Function>) {
        return function(static_cast<streaming_request&>(req));
    } else {
        return function();
    }
}

template <class Function>
response answer_plainly(void const* object, request& req) {
    return to_response(call_handler(*static_cast<Function const*>(object), req));
}

// A task of an answer is handed on as it is; any other task's value is turned into one by a frame
// around it.
template <class Function>
task<response> answer_later(void const* object, request& req) {
    return call_handler(*static_cast<Function const*>(object), req);
}
template <class Function>
task<response> answer_converted(void const* object, request& req) {
    auto value = co_await call_handler(*static_cast<Function const*>(object), req);
    co_return to_response(std::move(value));
}

// Functions that often need no wait.
template <class Function>
concept answers_at_times = requires(Function const& function, request& req) {
    { function.ready(req) } -> std::same_as<std::optional<response>>;
};

template <class Function>
bool answer_if_ready(void const* object, request& req, response& into) {
    std::optional<response> answer = static_cast<Function const*>(object)->ready(req);
    if (!answer) return false;
    into = *std::move(answer);
    return true;
}

template <class Function>
constexpr handler::ready_function ready_of() noexcept {
    if constexpr (answers_at_times<Function>) return &answer_if_ready<Function>;
    return nullptr;
}

template <class Function>
inline constexpr bool callable_const = std::invocable<Function const&, request&> ||
                                       reads_content<Function> || std::invocable<Function const&>;

template <class Function>
inline constexpr bool callable_if_changed =
    std::invocable<Function&, request&> || std::invocable<Function&, streaming_request&> ||
    std::invocable<Function&>;

// Says in words what is wrong with a handler, one reason at a time.
template <class Function>
consteval bool check_handler() {
    static_assert(callable_const<Function> || !callable_if_changed<Function>,
                  "rill: a handler is shared by all cores and called const: drop `mutable`, and "
                  "keep state in an atomic, a per_core or behind a mutex");
    static_assert(callable_const<Function> || callable_if_changed<Function>,
                  "rill: a handler is called as f(), f(rill::http::request&) or, to read the "
                  "content while it arrives, f(rill::http::streaming_request&)");
    return callable_const<Function>;
}

template <class Result>
consteval bool check_answer() {
    static_assert(!std::is_void_v<Result>,
                  "rill: the handler returns nothing: return rill::http::status::no_content");
    static_assert(std::is_void_v<Result> || answers<Result>,
                  "rill: no to_response for what the handler returns: return a response, a status, "
                  "a string, or write to_response beside your type");
    return answers<Result>;
}

}  // namespace detail

/// The handler that calls `function`, which the caller keeps alive: f(), f(request&) or
/// f(streaming_request&), callable const, returning anything with a `to_response`, or a task of
/// that. The type of the parameter decides how content arrives: whole before the call, or read by
/// the handler, which is then a coroutine.
///
/// One that returns a task and seldom has to wait may have a second function,
/// `std::optional<response> ready(request&) const`, which is asked before and answers without a
/// coroutine where it can: `web::files` does for what it has in memory.
template <class Function>
[[nodiscard]] handler handler_for(Function const& function) noexcept {
    if constexpr (detail::check_handler<Function>()) {
        using result = decltype(detail::call_handler(function, std::declval<request&>()));
        using value = typename detail::task_value<std::remove_cvref_t<result>>::type;
        constexpr bool is_task = detail::task_value<std::remove_cvref_t<result>>::is_task;
        constexpr bool reads = detail::reads_content<Function>;
        constexpr auto mode = reads ? content_mode::streamed : content_mode::whole;
        static_assert(is_task || !reads,
                      "rill: a handler that takes a streaming_request reads its content with "
                      "co_await: let it return a rill::task, or take a rill::http::request& and "
                      "have the content whole");
        if constexpr (!detail::check_answer<std::conditional_t<is_task, value, result>>()) {
            return {};
        } else if constexpr (!is_task) {
            return {.object = &function, .plain = &detail::answer_plainly<Function>};
        } else if constexpr (std::same_as<value, response>) {
            return {.object = &function,
                    .coroutine = &detail::answer_later<Function>,
                    .ready = reads ? nullptr : detail::ready_of<Function>(),
                    .content = mode};
        } else {
            return {.object = &function,
                    .coroutine = &detail::answer_converted<Function>,
                    .content = mode};
        }
    }
    return {};
}

}  // namespace rill::http
