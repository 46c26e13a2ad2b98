// Entity tags, alone and in lists. RFC 9110 sections 8.8.3, 13.1.1 and 13.1.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rill/base/export.hpp"

namespace rill::codec {

/// An entity tag: `"abc"`, or `W/"abc"` for a weak one.
struct entity_tag {
    std::string_view opaque = {};  ///< What stands between the quotes.
    bool weak = false;             ///< Tells of the same meaning, not of the same bytes.
};

/// Reads one entity tag, without white space around it. Returns nothing for anything else.
[[nodiscard]] RILL_API std::optional<entity_tag> parse_entity_tag(std::string_view text) noexcept;

/// How two tags are compared.
enum class tag_comparison : std::uint8_t {
    strong,  ///< Both are strong and the same.
    weak,    ///< They are the same but for weakness.
};

/// True when both tags say the same. Spec: RFC 9110 section 8.8.3.2.
[[nodiscard]] RILL_API bool same_tag(entity_tag const& left, entity_tag const& right,
                                     tag_comparison how) noexcept;

/// True when `list`, the value of If-Match or If-None-Match, has an element that is the same as
/// `tag`. What follows the first malformed element is not looked at. `*` is for the caller.
[[nodiscard]] RILL_API bool list_has_tag(std::string_view list, entity_tag const& tag,
                                         tag_comparison how) noexcept;

}  // namespace rill::codec
