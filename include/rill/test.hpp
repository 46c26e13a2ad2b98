// Tests of programs in a simulated world: no port, no sleep, and the same again for the same seed.
// docs/testing.md shows how.
#pragma once

#include <cstdint>
#include <memory>

#include "rill/rt/simulation.hpp"

namespace rill::test {

using simulation::add_directory;
using simulation::add_file;
using simulation::add_name;
using simulation::choose;
using simulation::elapsed;
using simulation::expect;
using simulation::failure;
using simulation::fault;
using simulation::faults;
using simulation::heal;
using simulation::inject;
using simulation::planned_fault;
using simulation::report;
using simulation::seed;
using simulation::settings;

/// Runs `program()` in a simulated world of its own and returns what can be said about it.
///
/// A program that gives a task runs on core 0 of `settings::cores`, which all answer `run_on`, as
/// inside of `run_per_core`. A plain one is like `main`: it calls `run` and `run_per_core`, whose
/// cores are then those of the simulation. Time passes only where every core waits, so an hour of
/// waiting costs nothing. `blocking` runs its work on this thread.
///
/// Errors  what the program throws; `failure` where it waits for something that nobody will do,
///         has not ended after `settings::longest`, or leaves descriptors open. The seed is then
///         on stderr: the same seed does the same again.
/// Core    a thread without a core and without another simulation. Threads that the program makes
///         by itself are not part of the world and end its determinism.
template <class Program>
report simulate(std::uint64_t seed, Program const& program, settings const& with = {}) {
    Program const* what = std::addressof(program);
    return simulation::detail::run(seed, simulation::detail::erase<Program>(what), with);
}

/// Simulates `program` with the seeds 1 to `count`, and stops at the first that fails.
///
/// The environment variables RILL_SEEDS and RILL_FIRST_SEED set another count and another first
/// seed. RILL_SEED=N runs that seed alone: how a failure is replayed. RILL_TRACE=1 then prints what
/// has happened.
/// Returns  the last seed, the time of all together, and a digest over all.
template <class Program>
report seeds(std::uint64_t count, Program const& program, settings const& with = {}) {
    Program const* what = std::addressof(program);
    return simulation::detail::run_seeds(count, simulation::detail::erase<Program>(what), with);
}

}  // namespace rill::test
