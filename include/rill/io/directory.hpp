// Names below a root: status, rename, remove, directories, temporary files, atomic replacement, and
// a walk that reads a tree bit by bit. openat2(2), renameat2(2).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "rill/coro/task.hpp"
#include "rill/io/file.hpp"

// All of this runs on the blocking pool: the kernel does it on a thread of its own in any case.
// Paths are relative to a root (or to an open directory); no `..` and no link leads out of it. Each
// call owns what it uses, so a cancelled wait ends at once while the work goes on to its end.
// Errors are thrown as `error` with the path: EXDEV where it would leave the root, and those of the
// system call.
namespace rill::file {

/// What `path` is. With `follow` what it leads to, where it is a link.
[[nodiscard]] RILL_API task<status> status_of(directory_ref in, std::string path,
                                              bool follow = true);

/// Makes a directory. With `parents` those above it as well; they may exist, it may not.
[[nodiscard]] RILL_API task<> make_directory(directory_ref in, std::string path,
                                             bool parents = false, std::uint32_t mode = 0777);

/// Removes a file, a link or an empty directory.
[[nodiscard]] RILL_API task<> remove(directory_ref in, std::string path);

/// Renames `from` to `to`, which is replaced in one step; without `replace` that is EEXIST.
[[nodiscard]] RILL_API task<> rename(directory_ref in, std::string from, std::string to,
                                     bool replace = true);
/// The same from one directory to another, on one file system (else EXDEV).
[[nodiscard]] RILL_API task<> rename(directory_ref in, std::string from, directory_ref to_in,
                                     std::string to, bool replace = true);

/// Gives `path` a new content in one step: who opens it finds the old or the new, whole, also after
/// a power cut. When the await ends all of it is on disk.
///
/// Cancel  the work goes on to its end.
/// Cost    a file beside it, two fsync, a rename.
[[nodiscard]] RILL_API task<> replace(directory_ref in, std::string path, std::string content,
                                      std::uint32_t mode = 0666);

/// Opens a file without a name, to read and to write, in the directory `path`. It is gone when it
/// is closed, whatever happens, unless `publish` gives it a name. Errors: also EOPNOTSUPP where the
/// file system has none.
[[nodiscard]] RILL_API task<handle> temporary(directory_ref in, std::string path = ".",
                                              std::uint32_t mode = 0600);
/// Gives a file of `temporary` the name `path`, in place of what has it, in one step and on disk.
[[nodiscard]] RILL_API task<> publish(handle const& temporary, directory_ref in, std::string path);

/// How a tree is walked.
struct walk_options {
    /// How deep directories are entered; 64, and each level that is open holds a descriptor. 0: the
    /// entries of the start alone.
    std::uint32_t most_depth = 64;
};
static_assert(std::is_trivially_destructible_v<walk_options>);

/// An entry of a walk.
struct walk_entry {
    std::string path = {};     ///< Below the start of the walk, without `./`.
    file::status status = {};  ///< Of the entry itself: links are not followed.
    std::uint32_t depth = 0;   ///< 0 for the entries of the start.
    bool entered = false;      ///< A directory whose entries come next, unless `skip` is called.
};

/// Walks a tree, directories before what is in them, in the order of the file system.
///
///     file::walk tree(root, "photos");
///     while (auto entry = co_await tree.next()) use(entry->path);
///
/// Read bit by bit, 128 entries at most at a time, on the blocking pool. Links are given and never
/// followed, so that no walk leaves its start or goes around in circles. Directories that vanish
/// meanwhile or may not be read are passed over and counted.
///
/// Core  one; one wait at a time.
class RILL_API walk {
public:
    /// A walk of the directory `path` below `in`, which is opened by the first `next`.
    explicit walk(directory_ref in, std::string path = ".", walk_options with = {});
    walk(walk const&) = delete;
    walk& operator=(walk const&) = delete;
    ~walk();

    /// Waits for the next entry; nothing at the end, again and again.
    ///
    /// Errors  where the start cannot be opened or read.
    /// Cancel  ends at once. The walk is over then: its further calls assert.
    [[nodiscard]] task<std::optional<walk_entry>> next();
    /// Does not enter the directory that `next` gave last.
    void skip() noexcept;
    /// Directories that could not be read so far.
    [[nodiscard]] std::size_t unreadable() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace rill::file
