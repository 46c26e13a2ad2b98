// middleware: what runs around handlers: `app.use(...)`, `group.use(...)`, `web::with(...)`.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "rill/base/export.hpp"
#include "rill/coro/task.hpp"
#include "rill/http/handler.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"

namespace rill::web {

/// What a route allows, in place of the server's bounds:
/// `app.put("/x", f, web::route_options{.body_bytes = 1 << 30})`.
using route_options = http::handler_limits;

/// What stands behind a middleware: the next one, and at last the handler.
/// `auto answer = co_await next(req);`
class next {
public:
    /// For the library. `inside` is kept by the router.
    explicit next(http::handler const& inside) noexcept : inside_(&inside) {}

    /// Answers the request. It throws nothing: what the handler throws is an answer by then (a
    /// `http::problem` its own, anything else 500, which is logged), so that middleware sees every
    /// answer. Only in `app.call` a bug of the handler comes through.
    ///
    /// Lifetime  as the request's. It may be called again, for a handler whose content is whole.
    /// Cost      no frame of its own around a handler that is a coroutine.
    [[nodiscard]] RILL_API task<http::response> operator()(http::request& req) const;

private:
    http::handler const* inside_;
};

namespace detail {

/// What a middleware does; what is null it does not.
struct middleware_functions {
    bool (*before)(void const*, http::request&, http::response& into) = nullptr;
    void (*after)(void const*, http::request&, http::response&) = nullptr;
    task<http::response> (*around)(void const*, http::request&, next) = nullptr;
    void (*limits)(void const*, route_options&) = nullptr;
};

/// A middleware, shared by the routes that it runs around.
struct middleware_entry {
    std::shared_ptr<void const> owner;
    middleware_functions const* functions = nullptr;
};

using early_answer = std::optional<http::response>;

template <class M>
concept runs_around = std::invocable<M const&, http::request&, next>;
template <class M>
concept has_before = requires(M const& m, http::request& req) {
    { m.before(req) } -> std::convertible_to<early_answer>;
};
template <class M>
concept has_after =
    requires(M const& m, http::request& req, http::response& answer) { m.after(req, answer); };
template <class M>
concept is_before = requires(M const& m, http::request& req) {
    { m(req) } -> std::same_as<early_answer>;
};
template <class M>
concept is_after = std::is_invocable_r_v<void, M const&, http::request&, http::response&>;
template <class M>
concept has_limits = requires(M const& m, route_options& allowed) { m.limits(allowed); };
template <class M>
concept is_middleware =
    runs_around<M> || has_before<M> || has_after<M> || is_before<M> || is_after<M> || has_limits<M>;

template <class M>
consteval middleware_functions functions_of() {
    middleware_functions all;
    if constexpr (runs_around<M>) {
        static_assert(
            std::same_as<std::invoke_result_t<M const&, http::request&, next>,
                         task<http::response>>,
            "rill: middleware that takes a web::next returns rill::task<rill::http::response>");
        all.around = [](void const* object, http::request& req, next inside) {
            return (*static_cast<M const*>(object))(req, inside);
        };
    }
    if constexpr (has_before<M> || is_before<M>) {
        all.before = [](void const* object, http::request& req, http::response& into) {
            early_answer early;
            if constexpr (has_before<M>) {
                early = static_cast<M const*>(object)->before(req);
            } else {
                early = (*static_cast<M const*>(object))(req);
            }
            if (early) into = *std::move(early);
            return early.has_value();
        };
    }
    if constexpr (has_after<M>) {
        all.after = [](void const* object, http::request& req, http::response& answer) {
            static_cast<M const*>(object)->after(req, answer);
        };
    } else if constexpr (is_after<M>) {
        all.after = [](void const* object, http::request& req, http::response& answer) {
            (*static_cast<M const*>(object))(req, answer);
        };
    }
    if constexpr (has_limits<M>) {
        all.limits = [](void const* object, route_options& allowed) {
            static_cast<M const*>(object)->limits(allowed);
        };
    }
    return all;
}

template <class M>
inline constexpr middleware_functions middleware_functions_of = functions_of<M>();

template <class Middleware>
middleware_entry middleware_from(Middleware&& middleware) {
    using stored = std::decay_t<Middleware>;
    static_assert(is_middleware<stored>,
                  "rill: middleware is f(http::request&, web::next) -> task<http::response>, or "
                  "f(http::request&) -> std::optional<http::response>, or "
                  "f(http::request&, http::response&), or a class with before, after or limits; "
                  "it is shared by all cores and called const");
    return {std::make_shared<stored const>(std::forward<Middleware>(middleware)),
            &middleware_functions_of<stored>};
}

/// A handler and what runs around it alone.
template <class Function>
struct handler_with {
    std::vector<middleware_entry> around;
    Function function;
};
template <class T>
inline constexpr bool is_handler_with = false;
template <class Function>
inline constexpr bool is_handler_with<handler_with<Function>> = true;

}  // namespace detail

/// A handler with middleware of its own, the outermost first and the handler last:
/// `app.get("/x", web::with(signed_in, slowly, f))`.
template <class First, class... Rest>
    requires(sizeof...(Rest) > 0)
[[nodiscard]] auto with(First&& first, Rest&&... rest) {
    if constexpr (sizeof...(Rest) == 1) {
        using function = std::decay_t<std::tuple_element_t<0, std::tuple<Rest...>>>;
        detail::handler_with<function> made{{}, function(std::forward<Rest>(rest)...)};
        made.around.push_back(detail::middleware_from(std::forward<First>(first)));
        return made;
    } else {
        auto made = web::with(std::forward<Rest>(rest)...);
        made.around.insert(made.around.begin(),
                           detail::middleware_from(std::forward<First>(first)));
        return made;
    }
}

}  // namespace rill::web
