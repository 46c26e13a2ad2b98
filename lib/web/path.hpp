// From the path of a request to the name of a file below a root.
// RFC 3986 sections 3.3 and 5.2.4, RFC 8615 (.well-known); CWE-22.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rill::web {

struct file_path_options {
    // Lets names that begin with one dot through (".env", ".git"). Default: not.
    bool show_hidden = false;
};

struct file_path {
    enum class verdict : std::uint8_t {
        good,       // `name` can be opened
        malformed,  // answer 400: a broken '%', or a NUL
        refused,    // answer 404: no file that is served can have this path
    };
    verdict outcome = verdict::refused;
    // Relative, without "." and "..", ends in NUL; "." for the root itself. Lies in the buffer.
    std::string_view name = {};
    // The path ended in a slash (or asks for the root): only a directory may answer.
    bool wants_directory = false;
};

// Turns `encoded`, the path behind the slash of the root ("a/b" of "/a/b", or what a wildcard
// took), into the name for openat2 with RESOLVE_BENEATH. That call is what keeps a request inside
// the root; this function makes sure that only one spelling of a name gets there, and that what is
// switched off stays so.
//
// The path is split at its slashes first and each segment is decoded once after that. So "%2F" and
// "%2e%2e%2f" cannot make new segments: a segment that holds a slash after decoding is refused,
// because no file can be called so. "." segments are dropped and ".." segments refused, also when
// they were encoded. "%252e" decodes to the text "%2e", which is a name like any other, and so are
// "..file", "..." and "a..b". A backslash is an ordinary character of names on Linux. An empty
// segment ("//", or a slash in front) is refused: it would be a second spelling.
//
// `into` must hold at least `encoded.size()` + 2 bytes; a longer path is refused.
[[nodiscard]] file_path to_file_path(std::string_view encoded, std::span<char> into,
                                     file_path_options options = {}) noexcept;

}  // namespace rill::web
