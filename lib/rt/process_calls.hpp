// The calls on child processes that do not go over a driver. Those that may block run on the
// blocking pool.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rill/base/result.hpp"

namespace rill::process_calls {

/// What becomes 0, 1 and 2 of a child: copies, all above 2, so that none is overwritten before its
/// turn, and whatever happens to the originals.
class standard_descriptors {
public:
    standard_descriptors() noexcept = default;
    standard_descriptors(standard_descriptors&& other) noexcept;
    standard_descriptors& operator=(standard_descriptors&&) = delete;
    ~standard_descriptors();

    /// Copies the three; -1 stands for /dev/null.
    [[nodiscard]] result<void> copy(std::array<int, 3> const& from) noexcept;
    [[nodiscard]] std::array<int, 3> const& all() const noexcept { return copies_; }

private:
    std::array<int, 3> copies_{-1, -1, -1};
};

/// What a child is to be: all of it is the job's own, since nobody waits for a job that is given
/// up.
struct plan {
    std::vector<std::string> command;                     // the program and its arguments
    std::optional<std::vector<std::string>> environment;  // NAME=value; nothing: that of the parent
    std::string directory;                                // empty: that of the parent
    standard_descriptors standard;
    bool own_group = false;
};

/// A child that was started: killed and reaped, which waits for it, unless it is released.
class child {
public:
    child() noexcept = default;
    child(int id, int descriptor) noexcept : id_(id), descriptor_(descriptor) {}
    child(child&& other) noexcept;
    child& operator=(child&& other) noexcept;
    ~child();

    [[nodiscard]] int id() const noexcept { return id_; }
    /// The pidfd, which becomes readable when the child ends. The caller's from now on.
    [[nodiscard]] int release() noexcept;

private:
    int id_ = -1;
    int descriptor_ = -1;
};

/// How a child has ended.
struct ending {
    int code = 0;         // of exit
    int signal = 0;       // that killed it; 0: it exited
    bool dumped = false;  // with a core dump
};

/// Starts a child. Blocks until the program runs or could not be started. Its descriptors are 0, 1
/// and 2, its signals are at their defaults. Errors: those of execve(2), for the child itself.
[[nodiscard]] result<child> start(plan const& what);
/// SIGKILL and SIGTERM.
constexpr int end_at_once = 9;
constexpr int ask_to_end = 15;
/// Sends a signal to the child of a pidfd, or to its process group `group` where that is not 0.
[[nodiscard]] result<void> signal(int descriptor, int group, int number) noexcept;
/// Reaps a child that has ended; nothing where it runs. Its code is -1 where this process ignores
/// SIGCHLD: the kernel keeps no status then.
[[nodiscard]] std::optional<ending> reap(int descriptor) noexcept;

/// The environment of this process, as NAME=value. Nothing may change it meanwhile (setenv(3)).
[[nodiscard]] std::vector<std::string> environment();

/// A pipe whose end for the parent does not block. Both are closed in child processes.
struct pipe_for_child {
    int parent = -1;
    int child = -1;
};
[[nodiscard]] result<pipe_for_child> pipe_to_child() noexcept;
[[nodiscard]] result<pipe_for_child> pipe_from_child() noexcept;
void close(int descriptor) noexcept;

}  // namespace rill::process_calls
