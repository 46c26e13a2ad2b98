// What the load generator reads of an answer's head.
#pragma once
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

#include "failure.hpp"

namespace load {

inline bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) ==
               std::tolower(static_cast<unsigned char>(y));
    });
}

/// The value of content-length in `head`. The peers measured here answer with nothing else.
inline std::size_t content_length(std::string_view head) {
    constexpr std::string_view name = "content-length:";
    for (auto line = head.find("\r\n"); line != std::string_view::npos;
         line = head.find("\r\n", line + 2)) {
        auto const field = head.substr(line + 2);
        if (!same_name(field.substr(0, name.size()), name)) continue;
        auto value = field.substr(name.size());
        while (value.starts_with(' ')) value.remove_prefix(1);
        std::size_t length = 0;
        auto const result = std::from_chars(value.data(), value.data() + value.size(), length);
        if (result.ec == std::errc{}) return length;
    }
    throw failure("an answer without content-length: " + std::string(head.substr(0, 200)));
}

/// The bytes that ask for `path` with GET.
inline std::string get_request(std::string_view path, std::string_view host) {
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: " + std::string(host) +
           "\r\nUser-Agent: rill-load\r\nAccept: */*\r\n\r\n";
}

}  // namespace load
