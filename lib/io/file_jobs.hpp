// What the functions on files share: from the system's words to the interface's, and descriptors
// for jobs of the blocking pool.
#pragma once

#include <string_view>
#include <utility>

#include "rill/base/error.hpp"
#include "rill/io/file.hpp"
#include "rt/path_calls.hpp"

namespace rill::file {

[[nodiscard]] inline status from(file_calls::status const& what) noexcept {
    return {.regular = what.regular,
            .directory = what.directory,
            .link = what.link,
            .size = what.size,
            .modified = what.modified,
            .modified_ns = what.modified_ns,
            .device = what.device,
            .inode = what.inode,
            .permissions = what.permissions};
}

/// A descriptor of its own for a job, which may outlive `of`. Throws where there is none left.
[[nodiscard]] inline path_calls::owned copy_for_job(int of, char const* what,
                                                    std::string_view path) {
    auto copy = path_calls::owned::copy_of(of);
    if (!copy) throw error(copy.error(), what, path);
    return *std::move(copy);
}

}  // namespace rill::file
