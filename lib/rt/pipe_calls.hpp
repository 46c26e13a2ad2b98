// The calls on pipes and terminals that do not go over a driver. None of them waits for a peer. On
// the thread of a simulation they find its pipes.
#pragma once

#include <cstddef>

#include "rill/base/bytes.hpp"
#include "rill/base/result.hpp"

namespace rill::pipe_calls {

struct ends {
    int reader = -1;
    int writer = -1;
};

/// A pipe; both ends do not block and are closed in child processes.
[[nodiscard]] result<ends> open_pipe() noexcept;

struct nature {
    bool file = false;  // a regular file or block device: always ready, and polls say nothing
    bool nonblocking = false;  // a call on it never waits
    bool write_only = false;
};
/// Errors: EBADF; `unsupported` for what is outside of a simulation.
[[nodiscard]] result<nature> nature_of(int descriptor) noexcept;

/// Reads what is there; 0 at the end. Errors: EAGAIN where there is nothing. A descriptor that is
/// in blocking mode must have been found readable before.
[[nodiscard]] result<std::size_t> read_some(int descriptor, mutable_bytes into) noexcept;
/// Writes what there is room for. Errors: EAGAIN where there is none; EPIPE, without a signal. A
/// descriptor that is in blocking mode must have been found writable before.
[[nodiscard]] result<std::size_t> write_some(int descriptor, bytes from, bool nonblocking) noexcept;

}  // namespace rill::pipe_calls
