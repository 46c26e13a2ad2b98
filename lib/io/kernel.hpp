// What only a kernel has: refused in a simulation, where it would reach out of the simulated world.
#pragma once

#include <string_view>

#include "rill/base/error.hpp"
#include "rill/rt/core.hpp"
#include "rt/driver.hpp"

namespace rill {

/// Throws `unsupported` in a simulation. `what` was to be done on `subject`.
inline void need_kernel(char const* what, std::string_view subject = {}) {
    if (core::current().io().over_kernel()) return;
    throw error(errc::unsupported, what, subject, "a simulation has nothing of the kind");
}

}  // namespace rill
