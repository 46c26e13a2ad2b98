// file::watch: what changes in directories, as it happens. inotify(7).
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "rill/coro/task.hpp"
#include "rill/io/file.hpp"

namespace rill::file {

/// What has happened to an entry of a watched directory, or to a watched file.
enum class change : std::uint8_t {
    created,   ///< It was made, or renamed to this name.
    removed,   ///< It was removed, or renamed away.
    modified,  ///< Its content was written to.
    written,   ///< Who had it open to write has closed it: the content is whole.
    status,    ///< Its permissions, times or links have changed.
    gone,      ///< What was watched is no longer there: this watch has ended.
    overflow,  ///< Changes came faster than they were taken and some are lost: look at everything.
};

/// One change.
struct change_event {
    file::change change = change::overflow;  ///< What has happened.
    int watch = -1;          ///< To what: the number that `add` gave; -1 for overflow.
    std::string name = {};   ///< The entry; empty for what is watched itself.
    bool directory = false;  ///< It is a directory.
};

/// Tells what changes in the files and directories that were added to it. A directory tells of its
/// entries, and not of what is below them.
///
/// The kernel queues what nobody has taken, at most fs.inotify.max_queued_events (16,384), and then
/// says `overflow`, as does this object.
///
/// Core  one; one wait at a time.
class RILL_API watch {
public:
    /// Watches nothing yet. Throws `error`: EMFILE beyond fs.inotify.max_user_instances.
    watch();
    watch(watch const&) = delete;
    watch& operator=(watch const&) = delete;
    ~watch();

    /// Watches a file or directory from now on; gives the number by which events name it. Runs on
    /// the blocking pool. Errors: `error` with the path; ENOSPC beyond fs.inotify.max_user_watches.
    [[nodiscard]] task<int> add(std::string path);
    /// Ends one watch; `gone` follows. False where there is none.
    bool remove(int number) noexcept;
    /// Waits for the next change. Cancel: nothing is lost.
    [[nodiscard]] task<change_event> next();

private:
    int descriptor_;
    std::deque<change_event> events_;  // of one read: 4 KiB of the kernel's form
};

}  // namespace rill::file
