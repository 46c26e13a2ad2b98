// What a client accepts: weights of content codings and media types.
// RFC 9110 sections 12.4.2 (weights), 12.5.1 (Accept), 12.5.3 (Accept-Encoding) and 12.5.4
// (Accept-Language); RFC 4647 section 3 (matching of language tags).
#pragma once

#include <string_view>

#include "rill/base/export.hpp"

namespace rill::codec {

/// How much an Accept-Encoding list wants `coding`: 0 for not at all, to 1000. A coding that is not
/// named has the weight of `*`, and without that 0, but `identity`, which then has 1.
[[nodiscard]] RILL_API int coding_weight(std::string_view accept_encoding,
                                         std::string_view coding) noexcept;

/// How much an Accept list wants the media type `type` ("text/html"): 0 for not at all, to 1000.
/// The most specific range that fits decides; parameters but `q` are not looked at. An empty list
/// wants everything equally.
[[nodiscard]] RILL_API int type_weight(std::string_view accept, std::string_view type) noexcept;

/// How much an Accept-Language list wants the language `tag` ("de-CH"): 0 for not at all, to 1000.
/// The longest range that the tag begins with decides ("de" for "de-CH"); without one, a range that
/// begins with the tag ("en-US" for "en"), and then `*`. An empty list wants everything equally.
[[nodiscard]] RILL_API int language_weight(std::string_view accept_language,
                                           std::string_view tag) noexcept;

}  // namespace rill::codec
