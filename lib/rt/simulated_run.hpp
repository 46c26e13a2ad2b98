// What `run_per_core` does in a simulation.
#pragma once

#include "rill/rt/run.hpp"

namespace rill {

/// Runs `body(context)` on cores of this thread's simulation.
void run_in_simulation(run_options const& options, task<> (*body)(void*), void* context);

}  // namespace rill
