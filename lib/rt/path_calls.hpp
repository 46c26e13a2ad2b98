// The calls on paths and whole files. All of them block: they run on the blocking pool, and own
// what they use, since nobody waits for a job that is given up. On the thread of a simulation they
// find its files (path_steps.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "file_calls.hpp"
#include "rill/base/result.hpp"

namespace rill::path_calls {

/// An open descriptor that belongs to a job.
class owned {
public:
    owned() noexcept = default;
    explicit owned(int descriptor) noexcept : descriptor_(descriptor) {}
    owned(owned&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    owned& operator=(owned&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~owned();
    /// Another descriptor of the same open file: the job may outlive the one that it was made of.
    /// Does not block.
    [[nodiscard]] static result<owned> copy_of(int descriptor) noexcept;

    [[nodiscard]] int get() const noexcept { return descriptor_; }
    [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, -1); }

private:
    int descriptor_ = -1;
};

/// How a file is opened.
struct how {
    bool read = true;
    bool write = false;
    bool create = false;
    bool exclusive = false;
    bool truncate = false;
    bool append = false;
    std::uint32_t mode = 0666;
};

/// Any path.
[[nodiscard]] result<owned> open_file(std::string const& path, how const& with) noexcept;
/// A path below `in` that no link and no `..` leads out of (openat2(2), RESOLVE_BENEATH).
[[nodiscard]] result<owned> open_below(owned const& in, std::string const& path,
                                       how const& with) noexcept;
/// A file without a name in the directory `path` below `in` (O_TMPFILE).
[[nodiscard]] result<owned> open_unnamed(owned const& in, std::string const& path,
                                         std::uint32_t mode) noexcept;

[[nodiscard]] result<file_calls::status> status_below(owned const& in, std::string const& path,
                                                      bool follow) noexcept;
[[nodiscard]] result<void> sync(owned const& file, bool data_only) noexcept;
[[nodiscard]] result<void> truncate(owned const& file, std::uint64_t size) noexcept;
[[nodiscard]] result<void> make_directory(owned const& in, std::string const& path,
                                          std::uint32_t mode, bool parents) noexcept;
/// A file or an empty directory.
[[nodiscard]] result<void> remove(owned const& in, std::string const& path) noexcept;
[[nodiscard]] result<void> rename(owned const& in, std::string const& from, owned const& to_in,
                                  std::string const& to, bool replace) noexcept;
/// Writes `content` under a name made of `unique` beside `path`, syncs it, and renames it.
[[nodiscard]] result<void> replace(owned const& in, std::string const& path,
                                   std::string const& content, std::uint32_t mode,
                                   std::string const& unique) noexcept;
/// Gives a file without a name the name `path`, instead of what has it, by way of `unique`.
[[nodiscard]] result<void> publish(owned const& file, owned const& in, std::string const& path,
                                   std::string const& unique) noexcept;

/// One directory that is being read.
class directory_reader {
public:
    /// Opens `name` in the directory `in`; a link is refused.
    [[nodiscard]] static result<directory_reader> open(owned const& in,
                                                       std::string const& name) noexcept;
    /// Takes an open directory over.
    [[nodiscard]] static result<directory_reader> adopt(owned open) noexcept;
    directory_reader() noexcept = default;
    directory_reader(directory_reader&& other) noexcept { *this = std::move(other); }
    directory_reader& operator=(directory_reader&& other) noexcept {
        std::swap(stream_, other.stream_);
        std::swap(simulated_, other.simulated_);
        std::swap(last_, other.last_);
        return *this;
    }
    ~directory_reader();

    [[nodiscard]] int descriptor() const noexcept;
    /// The next entries, at most `most`, as they are themselves: links are not followed. Empty at
    /// the end. Entries that have vanished meanwhile are left out.
    [[nodiscard]] result<std::vector<file_calls::entry>> read(std::size_t most);

private:
    void* stream_ = nullptr;
    owned simulated_;   // instead of a stream
    std::string last_;  // the entry that was read last, in a simulation
};

}  // namespace rill::path_calls
