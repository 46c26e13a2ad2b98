// places: a number of places that all cores share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rill::http {

/// A bounded number of places. As many as there are can be taken at once, exactly, by whichever
/// core comes first.
///
/// Core  any thread.
/// Cost  one atomic exchange on a cache line of its own for taking, one for giving back. A share of
///       the places for each core would cost less and would refuse while other cores have places
///       left.
class places {
public:
    /// `count` places; 0 is no bound, and nothing is counted then.
    explicit places(std::uint32_t count) noexcept : count_(count) {}
    places(places const&) = delete;
    places& operator=(places const&) = delete;

    /// True when there is a bound.
    [[nodiscard]] bool bounded() const noexcept { return count_ != 0; }
    /// Takes a place. False, and nothing is taken, where there is none.
    [[nodiscard]] bool take() noexcept {
        if (!bounded()) return true;
        std::uint32_t now = taken_.load(std::memory_order_relaxed);
        do {
            if (now >= count_) return false;
        } while (!taken_.compare_exchange_weak(now, now + 1, std::memory_order_relaxed));
        return true;
    }
    /// Gives a place back that was taken.
    void give() noexcept {
        if (bounded()) taken_.fetch_sub(1, std::memory_order_relaxed);
    }
    /// How many are taken at this moment.
    [[nodiscard]] std::uint32_t taken() const noexcept {
        return taken_.load(std::memory_order_relaxed);
    }

private:
    static constexpr std::size_t cache_line_bytes = 64;

    std::uint32_t count_;
    alignas(cache_line_bytes) std::atomic<std::uint32_t> taken_ = 0;
};

}  // namespace rill::http
