// A list that a client may send in several fields. RFC 9110 section 5.3.
#pragma once

#include <string>
#include <string_view>

#include "rill/http/request.hpp"

namespace rill::http {

// All fields of that name as one list; where there are several, it lies in `joined`.
[[nodiscard]] std::string_view whole_list(request const& req, http1::known_field which,
                                          std::string& joined);

// The same by any name.
[[nodiscard]] std::string whole_list(request const& req, std::string_view name);

}  // namespace rill::http
