// field: one header field as two views. The type is the codec's own.
// RFC 9110 section 5.
#pragma once

#include "rill/codec/http_fields.hpp"

namespace rill::http {

/// One header field: `name` and `value`. Both views belong to whoever gave it out.
using http1::field;

/// True when two field names are the same, ASCII letters in either case.
[[nodiscard]] inline bool same_name(std::string_view left, std::string_view right) noexcept {
    return http1::equal_ignoring_case(left, right);
}

}  // namespace rill::http
