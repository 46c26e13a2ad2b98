// Bytes that came and when, for tests of rates.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "rill/base/time.hpp"
#include "rill/rt/core.hpp"

namespace rill::test {

inline time_point now() {
    return core::current().now();
}

// Notes how much has come by when.
class rate_meter {
public:
    std::size_t total = 0;

    void add(std::size_t count) {
        total += count;
        marks_.push_back({now(), total});
    }
    // Most and least bytes in any second between `from` and `until`.
    [[nodiscard]] std::size_t most(time_point from, time_point until) const {
        std::size_t highest = 0;
        for (time_point at = from; at + 1s <= until; at += 7ms) {
            highest = std::max(highest, before(at + 1s) - before(at));
        }
        return highest;
    }
    [[nodiscard]] std::size_t least(time_point from, time_point until) const {
        std::size_t lowest = static_cast<std::size_t>(-1);
        for (time_point at = from; at + 1s <= until; at += 7ms) {
            lowest = std::min(lowest, before(at + 1s) - before(at));
        }
        return lowest;
    }

private:
    struct mark {
        time_point when;
        std::size_t total;
    };
    std::vector<mark> marks_;

    [[nodiscard]] std::size_t before(time_point when) const {
        auto const after = std::upper_bound(
            marks_.begin(), marks_.end(), when,
            [](time_point moment, mark const& each) { return moment < each.when; });
        return after == marks_.begin() ? 0 : std::prev(after)->total;
    }
};

// Within 5 in a hundred.
inline void check_near(std::size_t got, std::size_t wanted) {
    CHECK(got >= wanted - wanted / 20);
    CHECK(got <= wanted + wanted / 20);
}

}  // namespace rill::test
