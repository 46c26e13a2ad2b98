// Writes JSON strings.
#include "http/json_text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "codec/utf8.hpp"

namespace rill::http {

void append_json_string(std::string& to, std::string_view text) {
    to += '"';
    while (!text.empty()) {
        auto const first = static_cast<unsigned char>(text.front());
        std::size_t const size = codec::utf8_sequence_size(text);
        if (size == 0) {
            to += "\\ufffd";
        } else if (first == '"' || first == '\\') {
            to += '\\';
            to += text.front();
        } else if (first < 0x20 || first == 0x7f) {
            fmt::format_to(std::back_inserter(to), "\\u{:04x}", unsigned{first});
        } else {
            to += text.substr(0, size);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    to += '"';
}

}  // namespace rill::http
