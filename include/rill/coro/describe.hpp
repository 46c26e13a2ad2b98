// describe: what a line of awaits waits for, and where.
#pragma once

#include <string>

#include "rill/base/export.hpp"
#include "rill/coro/chain.hpp"

namespace rill {

/// One line per frame, the innermost first: the operation, then function, file and line of each
/// await up to the root, then the same for the lines that wait for this one.
///
/// Core: the core that the line runs on. Cost: allocates.
[[nodiscard]] RILL_API std::string describe(chain const& line);

}  // namespace rill
