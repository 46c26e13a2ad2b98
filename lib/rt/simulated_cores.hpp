// The cores of a simulation: several on one thread, interleaved by the seed.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core_set.hpp"
#include "rill/coro/child.hpp"
#include "rill/coro/task.hpp"
#include "rill/rt/core.hpp"
#include "simulated_world.hpp"

namespace rill {

class simulated_driver;

/// How long a simulated program may go on.
struct simulated_limits {
    duration longest = 24h;  // of virtual time
    std::uint64_t turns = 50'000'000;
    // Turns at one and the same moment: more is a program that spins.
    std::uint64_t turns_at_once = 1'000'000;
};

/// One `run_per_core` in a world: makes the cores, runs a body on each, and ends them.
class simulated_cores {
public:
    simulated_cores(simulated_world& in, core_options const& options, std::uint32_t count,
                    simulated_limits const& limits);
    simulated_cores(simulated_cores const&) = delete;
    simulated_cores& operator=(simulated_cores const&) = delete;
    ~simulated_cores();

    /// Runs `body(index)` on each core until all have ended. Throws what the first that failed has
    /// thrown, or `simulation::failure` when they do not end.
    void run(std::function<task<>(std::uint32_t)> const& body);
    [[nodiscard]] std::uint64_t turns() const noexcept { return turns_; }

private:
    /// A core and the one task that it was made for.
    class seat final : public detail::child_owner {
    public:
        seat(simulated_cores& of, std::uint32_t index) : of_(of), index_(index) {}
        void child_ended(std::size_t, outcome how) noexcept override;

        std::unique_ptr<core> home;
        simulated_driver* io = nullptr;
        struct held_task {
            held_task(std::function<task<>(std::uint32_t)> const& body, std::uint32_t index)
                : value(body(index)) {}
            task<> value;
        };
        std::optional<held_task> work;
        std::optional<detail::child<task<>>> line;
        cancel_reason stop = cancel_reason::none;  // to be told in its next turn
        bool ended = false;

    private:
        simulated_cores& of_;
        std::uint32_t index_;
    };

    [[nodiscard]] bool has_work(seat const& at) const noexcept;
    [[nodiscard]] seat* choose();
    void step(seat& at);
    [[nodiscard]] bool pass_time();
    void give_up(std::string why);
    void fail(std::exception_ptr why, std::uint32_t index) noexcept;
    void close() noexcept;

    simulated_world& world_;
    simulated_limits limits_;
    core_set set_;
    std::vector<std::unique_ptr<seat>> seats_;
    std::vector<seat*> able_;  // kept for its memory
    std::uint32_t running_ = 0;
    std::uint64_t turns_ = 0;
    std::uint64_t turns_at_once_ = 0;
    std::exception_ptr failure_;
    bool given_up_ = false;
};

}  // namespace rill
