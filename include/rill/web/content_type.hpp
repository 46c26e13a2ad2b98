// Content types by file name.
// RFC 9110 section 8.3, RFC 6838 and the IANA registry of media types.
#pragma once

#include <string_view>

#include "rill/base/export.hpp"
#include "rill/http/response.hpp"

namespace rill::web {

/// The content type of a file by the extension of its name, whose case does not matter; text comes
/// with `charset=utf-8`. "application/octet-stream" for an extension that is unknown or missing.
[[nodiscard]] RILL_API http::literal content_type(std::string_view file_name) noexcept;

}  // namespace rill::web
