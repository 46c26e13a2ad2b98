// The calls on files that do not go over a driver. Those that may block run on the blocking pool.
// On the thread of a simulation they find its files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rill/base/result.hpp"

namespace rill::file_calls {

struct status {
    bool regular = false;
    bool directory = false;
    bool link = false;
    std::uint64_t size = 0;     // bytes
    std::int64_t modified = 0;  // seconds since 1970, UTC
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint32_t permissions = 0;
};

struct entry {
    std::string name;
    status what;
};

/// Opens a directory as the root of later opens. May block: for start-up.
[[nodiscard]] result<int> open_directory(std::string const& path);
void close(int descriptor) noexcept;
/// What an open file is. Local file systems answer from memory.
[[nodiscard]] result<status> status_of(int descriptor) noexcept;
/// What an entry of an open directory is; a link is not followed. Blocks.
[[nodiscard]] result<status> status_at(int directory, char const* name) noexcept;
/// The entries of an open directory but `.` and `..`, in no order. Blocks.
[[nodiscard]] result<std::vector<entry>> list(int directory);

}  // namespace rill::file_calls
