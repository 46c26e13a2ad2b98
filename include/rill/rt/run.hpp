// run: from main into coroutines, on this thread or on one core per CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "rill/coro/task.hpp"
#include "rill/rt/core.hpp"

namespace rill {

/// Runs one task on a core made on this thread for it, to its end.
///
/// Returns what the task gives: `int main() { return rill::run(main_task()); }`.
/// Errors: what the task throws; `error` when no core can be made.
template <class T>
T run(task<T>&& what, core_options const& options = {}) {
    core home(options);
    return home.run(std::move(what));
}

/// How many cores to use and how they are made.
struct run_options {
    /// Cores, at most 1024; 0 is what the environment variable RILL_CORES says, or else one for
    /// each CPU that this process may use (affinity and cgroup quota are read).
    std::uint32_t cores = 0;
    /// Pins each core's thread to a CPU of its own.
    bool pin = false;
    /// How each core is made.
    core_options core = {};
};

/// CPUs that this process may use: its affinity, cut by its cgroup's quota; at least 1.
[[nodiscard]] RILL_API std::uint32_t usable_cpus() noexcept;

namespace detail {

/// Runs `body(context)` on each core and waits for all. See `run_per_core`.
RILL_API void run_cores(run_options const& options, task<> (*body)(void* context), void* context);

template <class Body>
task<> call_body(void* context) {
    co_await (*static_cast<Body const*>(context))();
}

}  // namespace detail

/// Runs `body()` (which gives a task) once on each core, one thread each, and waits for all of
/// them.
///
/// `body` is shared by the cores and called on each; it must be safe to call from all at once.
/// Errors: the first exception of any core cancels the others, and is thrown here. Where one core
/// cannot be made, no body runs.
template <class Body>
int run_per_core(Body const& body, run_options const& options = {}) {
    detail::run_cores(options, detail::call_body<Body>,
                      const_cast<void*>(static_cast<void const*>(&body)));
    return 0;
}

/// How many cores run beside this one, itself included; 1 outside `run_per_core`.
[[nodiscard]] RILL_API std::uint32_t core_count() noexcept;

}  // namespace rill
