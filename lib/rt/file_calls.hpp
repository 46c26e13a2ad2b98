// The calls on files that do not go over a driver. Those that may block run on the blocking pool.
// On the thread of a simulation they find its files.
#pragma once

#include <linux/openat2.h>

#include <cstdint>
#include <string>
#include <vector>

#include "rill/base/bytes.hpp"
#include "rill/base/result.hpp"

namespace rill::file_calls {

struct status {
    bool regular = false;
    bool directory = false;
    bool link = false;
    std::uint64_t size = 0;         // bytes
    std::int64_t modified = 0;      // seconds since 1970, UTC
    std::uint32_t modified_ns = 0;  // and nanoseconds after that
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

/// How files are opened below a directory: to read, and no link or `..` leads out of it. Opening a
/// pipe or a device that somebody put there does not block.
[[nodiscard]] open_how const& beneath() noexcept;

/// Whether a call may wait for a disk.
enum class patience : std::uint8_t {
    none,  // -EAGAIN where it would have to
    full,
};

// Each gives a count or a descriptor, or a negated errno; -ESPIPE is a pipe or a terminal.

/// What openat2 does with RESOLVE_BENEATH, where there is none (before Linux 5.6, or refused): step
/// by step, and no link is followed. A descriptor or a negated errno.
[[nodiscard]] int walk_beneath(int directory, std::string_view path, int flags,
                               std::uint32_t mode) noexcept;

/// Where the system has no openat2, no link is followed at all: ELOOP or ENOTDIR.
[[nodiscard]] int open_beneath(int directory, char const* path, patience how) noexcept;
/// Fewer bytes than `into` holds only at the end of the file.
[[nodiscard]] int read_at(int file, mutable_bytes into, std::uint64_t offset,
                          patience how) noexcept;
[[nodiscard]] int write_at(int file, bytes from, std::uint64_t offset) noexcept;
/// From a file to a socket that does not block, until that is full; at most `most_sent_at_once`.
/// -EIO where the file ends before its first byte.
[[nodiscard]] int send_from(int file, std::uint64_t offset, std::uint64_t size,
                            int socket) noexcept;
inline constexpr std::uint64_t most_sent_at_once = 2 * 1024 * 1024;

}  // namespace rill::file_calls
