// The files of local sockets: who takes a name, who shares it, who removes it. unix(7).
#pragma once

#include "rill/base/address.hpp"
#include "rill/base/result.hpp"

namespace rill::local_names {

/// Binds a socket to a local address. A file that a process left behind, so that nobody answers
/// there, is replaced; any other that is in the way is EADDRINUSE. `mode` are the permissions of
/// the file, -1 for what umask leaves. Returns 0 or an errno.
[[nodiscard]] int bind(int descriptor, address const& at, int mode);

/// A listening socket on `at`. Where `may_share`, and this process listens there already, it is
/// another descriptor of the same socket: one per core.
[[nodiscard]] result<int> listen(address const& at, int backlog, int mode, bool may_share);

/// The owner of a bound socket or of a listener lets go of the name; the last one removes the file,
/// unless another process has put its own there. Call once for each `bind` and `listen`.
void release(address const& at) noexcept;

}  // namespace rill::local_names
