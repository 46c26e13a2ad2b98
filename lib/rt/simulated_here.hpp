// How code that asks the kernel finds out that its thread is in a simulation, without a simulator
// being linked into every program: what it calls then is virtual, or stands here.
#pragma once

#include <memory>

#include "rill/rt/run.hpp"

namespace rill {

class driver;
class simulated_calls;
class simulated_world;

/// What stands in for the kernel on a thread.
struct simulated_here {
    simulated_world& world;
    simulated_calls& files;
    /// The driver of a core of that world.
    std::unique_ptr<driver> (*make_driver)(simulated_world& in);
    /// Runs `body(context)` on cores of the simulation, as `run_per_core`.
    void (*run)(run_options const& options, task<> (*body)(void*), void* context);

    /// Null where the thread is in the real world.
    [[nodiscard]] static simulated_here const* of_thread() noexcept;
    /// Says so; null for the end of it.
    static void set(simulated_here const* what) noexcept;
};

}  // namespace rill
