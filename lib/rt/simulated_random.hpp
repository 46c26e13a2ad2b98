// The random numbers of a simulation: xoshiro256** (Blackman, Vigna), filled by splitmix64. The
// same seed gives the same numbers with every compiler and library.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace rill {

class simulated_random {
public:
    explicit simulated_random(std::uint64_t seed) noexcept {
        for (std::uint64_t& word : state_) {
            seed += 0x9e37'79b9'7f4a'7c15;
            std::uint64_t mixed = seed;
            mixed = (mixed ^ (mixed >> 30)) * 0xbf58'476d'1ce4'e5b9;
            mixed = (mixed ^ (mixed >> 27)) * 0x94d0'49bb'1331'11eb;
            word = mixed ^ (mixed >> 31);
        }
    }

    [[nodiscard]] std::uint64_t next() noexcept {
        auto& [a, b, c, d] = state_;
        std::uint64_t const drawn = std::rotl(b * 5, 7) * 9;
        std::uint64_t const shifted = b << 17;
        c ^= a;
        d ^= b;
        b ^= c;
        a ^= d;
        c ^= shifted;
        d = std::rotl(d, 45);
        return drawn;
    }
    /// A number below `bound`, which is not 0. The bias of the remainder is of no matter here.
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }
    [[nodiscard]] bool coin() noexcept { return (next() >> 63) != 0; }

private:
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace rill
