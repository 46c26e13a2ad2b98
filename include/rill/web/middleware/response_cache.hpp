// response_cache: answers that are given again without asking the handler. RFC 9111.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/web/middleware.hpp"

namespace rill::web {

/// How much is kept.
struct response_cache_options {
    /// Bytes of all answers that are kept, on all cores together; beyond it the oldest go first.
    std::size_t bytes = 64 * 1024 * 1024;
    /// Larger answers are not kept.
    std::size_t entry_bytes = 1024 * 1024;
};
static_assert(std::is_trivially_destructible_v<response_cache_options>);

/// A shared cache in front of handlers: answers to GET that say how long they are fresh
/// (`s-maxage`, `max-age` or Expires) are kept and given again, with Age, until they are stale.
/// What differs by a field of the request says so in Vary, and is kept for each.
///
/// It keeps only what is in memory, has one of the statuses 200, 203, 301, 308, 404 and 410, sets
/// no cookie and does not say `no-store`, `no-cache`, `private` or `Vary: *`. Requests with
/// Authorization or Range go past it. Of requests for one thing that come at once, on all cores,
/// one asks the handler and the others wait for what it says; where that may not be kept, they ask
/// themselves. Conditions of a client are answered with 304 from what is kept. What is stale is
/// asked for anew. A request that changes something drops what is kept for its target.
///
/// Core  all cores share what is kept. A hit on a core that has had one before takes no lock: it
///       looks into a table of its own, of 512 places, which hold on to answers that were dropped
///       until they are needed otherwise, at most that many for each core.
class RILL_API response_cache {
public:
    /// An empty one.
    explicit response_cache(response_cache_options const& options = {});
    response_cache(response_cache&&) noexcept;
    response_cache& operator=(response_cache&&) noexcept;
    ~response_cache();

    /// Answers from what is kept, or asks.
    task<http::response> operator()(http::request& req, next inside) const;

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace rill::web
