// router: which handler answers a request, by method and path.
// RFC 9110 sections 9.3.2 (HEAD), 9.3.7 (OPTIONS), 15.5.5 (404) and 15.5.6 (405).
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rill/base/export.hpp"
#include "rill/base/type_key.hpp"
#include "rill/http/handler.hpp"
#include "rill/web/call.hpp"
#include "rill/web/middleware.hpp"
#include "rill/web/state.hpp"
#include "rill/ws/accept.hpp"

namespace rill::web {

namespace detail {
class route_table;
}

/// One line of a router's list of routes.
struct route_info {
    std::optional<http::method> method;  ///< Nothing for a route that takes any method.
    std::string pattern;                 ///< With the prefixes of the groups that it is in.
    std::string host;                    ///< That it is for; empty for all that have no own.
    std::source_location where;          ///< Where it was registered.
};

/// Handlers by method and path.
///
/// A pattern is a path in plain, decoded text whose segments are text, or `{name}` for any one
/// segment that is not empty, or last `{name...}` for all that is left, also nothing. Segments are
/// split at the slashes that the client sent and decoded once after that, so an encoded slash
/// (`%2F`) stays inside its segment. A slash at the end makes another path.
///
/// Among the routes that fit both path and method the most specific wins: at the first segment
/// where two patterns differ, text goes before `{name}` and `{name}` before `{name...}`. The order
/// of registration plays no part. HEAD is answered by a GET route where there is none for HEAD. A
/// path that is known only with other methods gives 405 and Allow, and OPTIONS is answered with
/// Allow. A method that nobody knows, and CONNECT, give 501 where no `any` route takes them.
///
/// **Middleware** (`use`) runs around all routes of its router, also those registered before it,
/// and around those of the groups in it. The first that was added is the outermost; a group's runs
/// inside that of the router around it, and a route's own (`web::with`) inside both. The answers
/// that a router gives by itself (404, 405, OPTIONS) go through it too: 405 and OPTIONS through
/// that of the route with the most specific pattern that fits the path, the others through that of
/// the outermost router. It is put together when the router is frozen: a route without middleware
/// costs what it costs in a router without any.
///
/// A router is filled, then frozen by the server, and from then on all cores read it.
class RILL_API router {
public:
    router();
    router(router&&) noexcept;
    router& operator=(router&&) noexcept;
    ~router();

    /// Answers GET, and HEAD where nothing else does, for `pattern` with `function`: f() or
    /// f(http::request&), returning a value with a `to_response` or a task of one; or a coroutine
    /// f(http::streaming_request&) that reads the content while it arrives. `limits` are checked
    /// before the content is read.
    ///
    /// Errors    `error`: the pattern is malformed, the method and pattern are taken (the text
    /// names
    ///           both places), or the router is frozen.
    template <class Function>
    router& get(std::string_view pattern, Function&& function, route_options const& limits = {},
                std::source_location where = std::source_location::current()) {
        return route(http::method::get, pattern, std::forward<Function>(function), limits, where);
    }
    /// The same for HEAD.
    template <class Function>
    router& head(std::string_view pattern, Function&& function, route_options const& limits = {},
                 std::source_location where = std::source_location::current()) {
        return route(http::method::head, pattern, std::forward<Function>(function), limits, where);
    }
    /// The same for POST.
    template <class Function>
    router& post(std::string_view pattern, Function&& function, route_options const& limits = {},
                 std::source_location where = std::source_location::current()) {
        return route(http::method::post, pattern, std::forward<Function>(function), limits, where);
    }
    /// The same for PUT.
    template <class Function>
    router& put(std::string_view pattern, Function&& function, route_options const& limits = {},
                std::source_location where = std::source_location::current()) {
        return route(http::method::put, pattern, std::forward<Function>(function), limits, where);
    }
    /// The same for DELETE.
    template <class Function>
    router& del(std::string_view pattern, Function&& function, route_options const& limits = {},
                std::source_location where = std::source_location::current()) {
        return route(http::method::delete_, pattern, std::forward<Function>(function), limits,
                     where);
    }
    /// The same for PATCH.
    template <class Function>
    router& patch(std::string_view pattern, Function&& function, route_options const& limits = {},
                  std::source_location where = std::source_location::current()) {
        return route(http::method::patch, pattern, std::forward<Function>(function), limits, where);
    }
    /// The same for OPTIONS, instead of the answer that the router gives by itself.
    template <class Function>
    router& options(std::string_view pattern, Function&& function, route_options const& limits = {},
                    std::source_location where = std::source_location::current()) {
        return route(http::method::options, pattern, std::forward<Function>(function), limits,
                     where);
    }
    /// The same for every method that has no route of its own with this pattern.
    template <class Function>
    router& any(std::string_view pattern, Function&& function, route_options const& limits = {},
                std::source_location where = std::source_location::current()) {
        return add_function(std::nullopt, pattern, std::forward<Function>(function), limits, where);
    }
    /// Answers GET for `pattern` with a WebSocket, on which `session(ws::socket&)`, a coroutine,
    /// runs; each connection has a copy of it. A handler that looks at the request first returns
    /// `ws::accept`. Errors as in `get`.
    template <class Session>
    router& ws(std::string_view pattern, Session&& session,
               rill::ws::accept_options const& options = {},
               std::source_location where = std::source_location::current()) {
        rill::ws::acceptor<std::decay_t<Session>> answer(std::forward<Session>(session), options);
        return get(pattern, std::move(answer), {}, where);
    }
    /// The same for a method by its name. `method::other` is refused: use `any`.
    template <class Function>
    router& route(http::method method, std::string_view pattern, Function&& function,
                  route_options const& limits = {},
                  std::source_location where = std::source_location::current()) {
        return add_function(method, pattern, std::forward<Function>(function), limits, where);
    }

    /// Runs `middleware` around all routes. It is one of, or a class with some of:
    ///
    /// - `task<http::response> f(http::request&, web::next)`: runs around, and may wait;
    /// - `std::optional<http::response> f(http::request&)`, or `before`: answers, or lets through;
    /// - `void f(http::request&, http::response&)`, or `after`: changes every answer from inside;
    /// - `void limits(web::route_options&)`: sets bounds while the router is frozen.
    ///
    /// Where none of it waits, a handler that answers at once still does so without a coroutine.
    /// For requests whose content is read whole, it runs when that has arrived.
    /// Errors    `error` when the router is frozen.
    template <class Middleware>
    router& use(Middleware&& middleware,
                std::source_location where = std::source_location::current()) {
        add_middleware(detail::middleware_from(std::forward<Middleware>(middleware)), where);
        return *this;
    }
    /// A router for all that begins with `prefix` ("/api", "/users/{id}"; "" for a group that only
    /// shares middleware): `auto& api = app.group("/api"); api.get("/users", f);`. In it the
    /// pattern "" is the prefix itself. What is wrong between groups is found by `freeze`.
    ///
    /// Lifetime  the reference is good as long as this router, also when that is moved.
    /// Errors    `error` when the prefix is malformed or ends in a slash, or the router is frozen.
    router& group(std::string_view prefix,
                  std::source_location where = std::source_location::current());
    /// Takes a router that was filled elsewhere, as a group. Errors as in `group`.
    router& mount(std::string_view prefix, router&& filled,
                  std::source_location where = std::source_location::current());
    /// A router for requests to `host`, without its port, in place of this one: "api.example.org",
    /// or "*.example.org" for all that end so. An exact name goes before the longest such end. The
    /// middleware, the pages and the state of this router count for it.
    ///
    /// Lifetime  as for `group`.
    /// Errors    `error` when the host is taken or malformed, when this router is itself a group or
    ///           for a host (found by `freeze`), or is frozen.
    router& host(std::string_view host,
                 std::source_location where = std::source_location::current());
    /// What clients see in place of an error's body: `app.error_page(404, f)`, where `f()` or
    /// `f(http::request&)` answers at once. It counts for the answers that the router gives by
    /// itself (400, 404, 405, 501) and for what handlers and middleware throw (any problem, 500),
    /// not for answers that they return. Status and fields (Allow) stay. A group may have its own;
    /// the answers of the router itself have those of the outermost. Errors    `error` when there
    /// is one for that status, or the router is frozen.
    template <class Function>
    router& error_page(int status, Function&& function,
                       std::source_location where = std::source_location::current()) {
        using stored = std::decay_t<Function> const;
        auto owned = std::make_shared<stored>(std::forward<Function>(function));
        http::handler const says = http::handler_for(*owned);
        add_page(status, says, std::move(owned), where);
        return *this;
    }
    /// Makes an object that handlers find by its type, with `web::state<T>(req)`: one for all
    /// cores. With `T` = `per_core<U>` each core has its own `U`, `web::core_state<U>(req)`.
    ///
    /// Lifetime  as long as this router.
    /// Errors    `error` when there is one of that type, or the router is frozen.
    template <class T, class... Arguments>
    T& state(Arguments&&... arguments) {
        auto made = std::make_shared<T>(std::forward<Arguments>(arguments)...);
        T& place = *made;
        add_state(rill::detail::type_key_of<T>, std::move(made));
        return place;
    }

    /// Ends registration and builds the tables. Does nothing when called again. Servers call it.
    void freeze();
    /// All routes, to be printed: its own in the order of registration, then those of its groups,
    /// then those of its hosts.
    [[nodiscard]] std::vector<route_info> routes() const;
    /// The handler for a request, which then has its path parameters; never an empty one: 400, 404,
    /// 405 and the answer to OPTIONS are handlers too. The router must be frozen.
    /// Cost      no allocation for a path without percent-encoding.
    [[nodiscard]] http::handler choose(http::request& req) const;

    /// True when some route has a rate of its own. The router must be frozen.
    [[nodiscard]] bool throttles() const noexcept;

    /// Answers a request that was made by hand, without a port: for tests. Freezes the router.
    ///
    /// Returns   the answer with its body in memory, where `text()` has it, also that of a file or
    ///           of a stream. No body for HEAD. A thrown `http::problem` is its answer; a head that
    ///           a server with the default options would refuse gives that status. Content is held
    ///           to the limits of the route, or those of the defaults; deadlines are the caller's.
    /// Errors    what else the handler throws; `limit_exceeded` for a body beyond `most`.
    /// Lifetime  `request` must live until the await ends.
    /// Cancel    cancels the handler.
    [[nodiscard]] task<http::response> call(call_request const& request);

private:
    template <class Function>
    router& add_function(std::optional<http::method> method, std::string_view pattern,
                         Function&& function, route_options const& limits,
                         std::source_location where) {
        if constexpr (detail::is_handler_with<std::decay_t<Function>>) {
            return add_with(method, pattern, std::forward<Function>(function).function, limits,
                            where, std::forward<Function>(function).around);
        } else {
            return add_with(method, pattern, std::forward<Function>(function), limits, where, {});
        }
    }
    template <class Function>
    router& add_with(std::optional<http::method> method, std::string_view pattern,
                     Function&& function, route_options const& limits, std::source_location where,
                     std::vector<detail::middleware_entry> around) {
        using stored = std::decay_t<Function> const;
        auto owned = std::make_shared<stored>(std::forward<Function>(function));
        http::handler const answer = http::handler_for(*owned);
        add({method, std::string(pattern), {}, where}, answer, limits, std::move(owned),
            std::move(around));
        return *this;
    }
    void add(route_info info, http::handler answer, route_options const& limits,
             std::shared_ptr<void const> owner, std::vector<detail::middleware_entry> around);
    void add_middleware(detail::middleware_entry added, std::source_location const& where);
    void add_page(int status, http::handler says, std::shared_ptr<void const> owner,
                  std::source_location const& where);
    void add_state(rill::detail::type_key type, std::shared_ptr<void> object);

    friend class detail::route_table;
    std::unique_ptr<detail::route_table> table_;
};

}  // namespace rill::web
