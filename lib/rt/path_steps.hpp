// The steps that the calls on paths are made of: one system call each, or the same on the files of
// the simulation that this thread runs. Each gives 0, a descriptor or a count, or a negated errno.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rill::path_steps {

/// As open(2), from the directory `in` or AT_FDCWD. `beneath`: that no link and no `..` leads out
/// of it (openat2(2), RESOLVE_BENEATH).
[[nodiscard]] int open(int in, std::string const& path, int flags, std::uint32_t mode,
                       bool beneath) noexcept;
/// Another descriptor of the same open file.
[[nodiscard]] int copy(int descriptor) noexcept;
void close(int descriptor) noexcept;

/// At the file's position, and maybe not all of it.
[[nodiscard]] int write(int file, std::string_view content) noexcept;
[[nodiscard]] int sync(int file, bool data_only) noexcept;
[[nodiscard]] int truncate(int file, std::uint64_t size) noexcept;

// Names in the open directory `in`.
[[nodiscard]] int make_directory(int in, std::string const& name, std::uint32_t mode) noexcept;
[[nodiscard]] int remove(int in, std::string const& name, bool directory) noexcept;
[[nodiscard]] int rename(int from_in, std::string const& from, int to_in, std::string const& to,
                         bool replace) noexcept;
/// Gives an open file without a name this one.
[[nodiscard]] int link(int file, int in, std::string const& name) noexcept;

}  // namespace rill::path_steps
