// Text as a JSON string. RFC 8259 section 7.
#pragma once

#include <string>
#include <string_view>

namespace rill::http {

// Appends `text` with its quotes. What is no UTF-8 becomes U+FFFD.
void append_json_string(std::string& to, std::string_view text);

}  // namespace rill::http
