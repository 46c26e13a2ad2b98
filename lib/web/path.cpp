// Splits, decodes and checks the path of a file.
#include "web/path.hpp"

#include <algorithm>
#include <cstring>

#include "rill/base/percent.hpp"

namespace rill::web {

namespace {

// One leading dot hides a name; ".." never comes here, and "..file" and "..." are not hidden.
bool is_hidden(std::string_view segment, bool is_first) noexcept {
    if (!segment.starts_with('.') || segment.starts_with("..")) return false;
    return !(is_first && segment == ".well-known");  // made to be served: RFC 8615
}

}  // namespace

file_path to_file_path(std::string_view encoded, std::span<char> into,
                       file_path_options options) noexcept {
    using enum file_path::verdict;
    if (into.size() < encoded.size() + 2) return {.outcome = refused};

    std::size_t size = 0;
    bool wants_directory = true;
    while (!encoded.empty()) {
        std::size_t const end = std::min(encoded.find('/'), encoded.size());
        std::string_view const segment = encoded.substr(0, end);
        bool const is_last = end == encoded.size();
        encoded.remove_prefix(is_last ? end : end + 1);
        if (segment.empty()) return {.outcome = refused};

        std::size_t const start = size == 0 ? 0 : size + 1;
        mutable_bytes const room(into.data() + start, segment.size());
        result<std::size_t> const decoded_size = percent_decode(segment, room);
        if (!decoded_size) return {.outcome = malformed};
        std::string_view const decoded(into.data() + start, *decoded_size);
        if (decoded.find('\0') != std::string_view::npos) return {.outcome = malformed};
        if (decoded == "." || decoded == "..") {
            if (decoded.size() == 2) return {.outcome = refused};
            wants_directory = true;
            continue;
        }
        if (decoded.find('/') != std::string_view::npos) return {.outcome = refused};
        if (!options.show_hidden && is_hidden(decoded, size == 0)) return {.outcome = refused};
        if (size != 0) into[size] = '/';
        size = start + decoded.size();
        wants_directory = !is_last;
    }
    if (size == 0) into[size++] = '.';
    into[size] = '\0';
    return {.outcome = good, .name = {into.data(), size}, .wants_directory = wants_directory};
}

}  // namespace rill::web
