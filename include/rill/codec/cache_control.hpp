// Cache-Control: what a message allows caches to do. RFC 9111 section 5.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rill/base/export.hpp"

namespace rill::codec {

/// The directives of a message that a shared cache looks at, taken line by line.
struct cache_control {
    bool no_store = false;                      ///< Keep nothing.
    bool no_cache = false;                      ///< Ask before each use; also with names of fields.
    bool is_private = false;                    ///< Not for a shared cache; also with names.
    bool only_if_cached = false;                ///< Answer from the cache or with 504.
    bool no_transform = false;                  ///< Send it on as it is.
    std::optional<std::uint32_t> max_age = {};  ///< Seconds.
    std::optional<std::uint32_t> shared_max_age = {};  ///< Seconds; before `max_age` here.
    std::optional<std::uint32_t> min_fresh = {};       ///< Seconds that it has to last still.

    /// Takes the value of a line. A number that is malformed, or of two that differ, counts as 0:
    /// it makes the answer stale (section 4.2.1). One above 2^31 counts as 2^31 (section 1.2.2).
    RILL_API void take(std::string_view value) noexcept;
};

}  // namespace rill::codec
