// Latencies by the window of time that their request was meant for.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace load {

/// The p99 of an ordinary moment: the machine that stops for a millisecond now and then decides the
/// p99 of a whole run, and the median of the windows' does not see it. Both are reported.
class windows {
public:
    static constexpr std::uint64_t length = 20'000'000;  ///< nanoseconds
    static constexpr std::size_t fewest = 200;           ///< latencies; of fewer there is no p99

    void add(std::uint64_t since_begin, std::uint64_t latency) {
        auto const index = static_cast<std::size_t>(since_begin / length);
        if (index >= latencies_.size()) latencies_.resize(index + 1);
        latencies_[index].push_back(latency);
    }

    /// The median of the windows' p99; 0 where no window has enough latencies.
    [[nodiscard]] std::uint64_t median_p99() const {
        std::vector<std::uint64_t> all;
        for (auto window : latencies_) {
            if (window.size() < fewest) continue;
            auto const at = window.begin() + static_cast<std::ptrdiff_t>(window.size() * 99 / 100);
            std::nth_element(window.begin(), at, window.end());
            all.push_back(*at);
        }
        if (all.empty()) return 0;
        auto const middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
        std::nth_element(all.begin(), middle, all.end());
        return *middle;
    }

private:
    std::vector<std::vector<std::uint64_t>> latencies_;
};

}  // namespace load
