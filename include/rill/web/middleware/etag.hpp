// etag: entity tags of answers that are made, and the conditions that clients put on them.
// RFC 9110 sections 8.8.3, 13.1 and 15.4.5.
#pragma once

#include <cstddef>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/web/middleware.hpp"

namespace rill::web {

/// Which answers get a tag.
struct etag_options {
    /// Larger bodies get none: each is hashed each time. 0 is no bound.
    std::size_t most_bytes = 1024 * 1024;
};
static_assert(std::is_trivially_destructible_v<etag_options>);

/// Gives a tag to each answer of 200 to GET or HEAD whose body is in memory (SHA-256 of its bytes,
/// unless the handler has set one), and answers 304 or 412 where the request's conditions say so.
/// The answer is made all the same: this saves the way to the client, not the work. Files have it
/// by themselves. Conditions of requests that change something are for the handler.
class RILL_API etag {
public:
    /// With these options.
    explicit etag(etag_options const& options = {}) noexcept : options_(options) {}
    /// Adds the field, and judges.
    void after(http::request& req, http::response& answer) const;

private:
    etag_options options_;
};

}  // namespace rill::web
