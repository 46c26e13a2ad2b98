// body_limit and deadline: bounds of many routes at once. RFC 9110 sections 15.5.14 and 15.6.4.
#pragma once

#include <cstdint>

#include "rill/base/time.hpp"
#include "rill/web/middleware.hpp"

namespace rill::web {

/// The most bytes of content that the routes below it take; over it the answer is 413, before
/// anything of it is read: `api.use(web::body_limit{64 * 1024})`. The innermost bound counts, a
/// route's own before all. It costs nothing while the server runs.
struct body_limit {
    std::uint64_t bytes;  ///< 0 leaves what is set around it.
    /// Sets it.
    void limits(route_options& allowed) const noexcept {
        if (bytes != 0) allowed.body_bytes = bytes;
    }
};

/// How long handlers that are tasks may take, and all that runs around them; over it they are
/// cancelled and the answer is 503: `app.use(web::deadline{2s})`. Else as `body_limit`.
struct deadline {
    duration length;  ///< 0 leaves what is set around it.
    /// Sets it.
    void limits(route_options& allowed) const noexcept {
        if (length != duration::zero()) allowed.handler_timeout = length;
    }
};

}  // namespace rill::web
