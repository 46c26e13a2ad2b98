// Blocking work in a simulated world: an event of its own on the one thread there is.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "rill/base/time.hpp"

namespace rill {

class simulated_world;

namespace detail {
class blocking_job;
}  // namespace detail

class simulated_jobs {
public:
    explicit simulated_jobs(simulated_world& in) noexcept : world_(in) {}
    simulated_jobs(simulated_jobs const&) = delete;
    simulated_jobs& operator=(simulated_jobs const&) = delete;

    /// Takes `job` and runs it in its time.
    void begin(detail::blocking_job& job);
    /// Gives it back where the seed says that no thread has begun it. What one has begun runs on,
    /// and nobody hears of it.
    [[nodiscard]] bool withdraw(detail::blocking_job& job) noexcept;
    /// Drops those that nobody waits for any more: the cores have gone. The world does so before it
    /// counts what is open, and before its end.
    void drop() noexcept;

private:
    void run(detail::blocking_job& job);

    simulated_world& world_;
    // Jobs that have not run: their time and number on the agenda. Looked up only, so that the
    // order of addresses has no effect.
    std::map<detail::blocking_job*, std::pair<time_point, std::uint64_t>> waiting_;
};

}  // namespace rill
