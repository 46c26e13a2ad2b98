// A histogram of durations with a relative error below 1 %: 128 steps for each power of two.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace load {

class histogram {
public:
    void add(std::uint64_t value) {
        ++counts_[slot(value)];
        ++count_;
        sum_ += value;
        largest_ = std::max(largest_, value);
    }

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint64_t largest() const { return largest_; }
    [[nodiscard]] std::uint64_t mean() const { return count_ == 0 ? 0 : sum_ / count_; }

    /// The value that `share` (0..1) of the added values do not exceed; 0 when nothing was added.
    [[nodiscard]] std::uint64_t quantile(double share) const {
        auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
        wanted = std::clamp<std::uint64_t>(wanted, 1, std::max<std::uint64_t>(count_, 1));
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            seen += counts_[i];
            if (seen >= wanted) return std::min(upper_end(i), largest_);
        }
        return largest_;
    }

private:
    static constexpr unsigned step_bits = 7;

    // Values below 128 have a slot each; above, the top seven bits after the leading one count.
    static std::size_t slot(std::uint64_t value) {
        auto const width = static_cast<unsigned>(std::bit_width(value));
        if (width <= step_bits) return static_cast<std::size_t>(value);
        auto const shift = width - step_bits - 1;
        return (static_cast<std::size_t>(shift) << step_bits) +
               static_cast<std::size_t>(value >> shift);
    }

    static std::uint64_t upper_end(std::size_t index) {
        if (index < (std::size_t{2} << step_bits)) return index;
        auto const shift = (index >> step_bits) - 1;
        auto const top = index - (shift << step_bits);
        return ((static_cast<std::uint64_t>(top) + 1) << shift) - 1;
    }

    std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(std::size_t{64} << step_bits);
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
    std::uint64_t largest_ = 0;
};

}  // namespace load
