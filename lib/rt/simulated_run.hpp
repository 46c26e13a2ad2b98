// How `run_per_core` finds out that its thread is in a simulation.
#pragma once

#include "rill/rt/run.hpp"

namespace rill {

/// Runs `body(context)` on cores of this thread's simulation. False, and nothing done, where there
/// is none.
[[nodiscard]] bool run_in_simulation(run_options const& options, task<> (*body)(void*),
                                     void* context);

}  // namespace rill
