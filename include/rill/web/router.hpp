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
#include "rill/http/handler.hpp"
#include "rill/web/call.hpp"

namespace rill::web {

namespace detail {
class route_table;
}

/// What a route allows, in place of the server's bounds:
/// `app.put("/x", f, web::route_options{.body_bytes = 1 << 30})`.
using route_options = http::handler_limits;

/// One line of a router's list of routes.
struct route_info {
    std::optional<http::method> method;  ///< Nothing for a route that takes any method.
    std::string pattern;                 ///< As it was registered.
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
    /// The same for a method by its name. `method::other` is refused: use `any`.
    template <class Function>
    router& route(http::method method, std::string_view pattern, Function&& function,
                  route_options const& limits = {},
                  std::source_location where = std::source_location::current()) {
        return add_function(method, pattern, std::forward<Function>(function), limits, where);
    }

    /// Ends registration and builds the tables. Does nothing when called again. Servers call it.
    void freeze();
    /// All routes, in the order of registration.
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
    ///           a connection would refuse gives that status. Content is held to the limits of the
    ///           route, or those of a server's defaults; deadlines are the caller's.
    /// Errors    what else the handler throws; `limit_exceeded` for a body beyond `most`.
    /// Lifetime  `request` must live until the await ends.
    /// Cancel    cancels the handler.
    [[nodiscard]] task<http::response> call(call_request const& request);

private:
    template <class Function>
    router& add_function(std::optional<http::method> method, std::string_view pattern,
                         Function&& function, route_options const& limits,
                         std::source_location where) {
        using stored = std::decay_t<Function> const;
        auto owned = std::make_shared<stored>(std::forward<Function>(function));
        http::handler const answer = http::handler_for(*owned);
        add(method, pattern, answer, limits, std::move(owned), where);
        return *this;
    }
    void add(std::optional<http::method> method, std::string_view pattern, http::handler answer,
             route_options const& limits, std::shared_ptr<void const> owner,
             std::source_location where);

    std::unique_ptr<detail::route_table> table_;
};

}  // namespace rill::web
