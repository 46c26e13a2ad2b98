// The dice of a simulated world: which of the faults that may happen do, by the seed.
#pragma once

#include "rill/rt/simulation.hpp"
#include "simulated_random.hpp"

namespace rill {

/// Draws faults. A kind whose chance is 0 draws no number: switching one off leaves the others.
class simulated_faults {
public:
    simulated_faults(simulation::faults const& levels, std::uint64_t seed)
        : levels_(levels), random_(seed) {
        if (levels.swarm) pick();
    }

    [[nodiscard]] simulation::faults const& levels() const noexcept { return levels_; }

    /// Whether a fault of this kind happens now.
    [[nodiscard]] bool roll(std::uint32_t simulation::faults::* kind) noexcept {
        std::uint32_t const chance = levels_.*kind;
        return chance != 0 && random_.below(1000) < chance;
    }
    /// A length of at most `longest`.
    [[nodiscard]] duration length(duration longest) noexcept {
        if (longest <= duration::zero()) return duration::zero();
        return duration(static_cast<duration::rep>(
            random_.below(static_cast<std::uint64_t>(longest.count()) + 1)));
    }
    /// What something takes on top of its latency.
    [[nodiscard]] duration delay() noexcept { return length(levels_.longest_delay); }
    /// A part of `size`, which is more than nothing: often one byte, else anything up to all.
    [[nodiscard]] std::size_t part_of(std::size_t size) noexcept {
        return random_.coin() ? 1 : 1 + static_cast<std::size_t>(random_.below(size));
    }
    /// Nothing goes wrong by chance any more.
    void calm_down() noexcept { levels_ = {}; }

private:
    void pick() noexcept;

    simulation::faults levels_;
    simulated_random random_;
};

}  // namespace rill
