// Blocking work in a simulated world.
#include "simulated_jobs.hpp"

#include "blocking_pool.hpp"
#include "rill/rt/core.hpp"
#include "simulated_world.hpp"

namespace rill {

void simulated_jobs::drop() noexcept {
    for (auto const& [job, when] : std::exchange(waiting_, {})) {
        world_.take_back(when.first, when.second);
        delete job;
    }
}

void simulated_jobs::begin(detail::blocking_job& job) {
    time_point const when = later(world_.now(), world_.faults().delay());
    waiting_.emplace(&job, std::pair(when, world_.at(when, [this, &job] { run(job); })));
}

bool simulated_jobs::withdraw(detail::blocking_job& job) noexcept {
    auto const found = waiting_.find(&job);
    if (found == waiting_.end() || world_.random().coin()) return false;
    world_.take_back(found->second.first, found->second.second);
    waiting_.erase(found);
    return true;
}

void simulated_jobs::run(detail::blocking_job& job) {
    waiting_.erase(&job);
    // A thread of the pool is no core.
    core* const before = core::make_current(nullptr);
    detail::run_job(job);
    core::make_current(before);
}

}  // namespace rill
