// The simulation of each thread.
#include "simulated_here.hpp"

namespace rill {

namespace {
thread_local simulated_here const* here_of_thread = nullptr;
}

simulated_here const* simulated_here::of_thread() noexcept {
    return here_of_thread;
}

void simulated_here::set(simulated_here const* what) noexcept {
    here_of_thread = what;
}

}  // namespace rill
