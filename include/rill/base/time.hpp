// Time: monotonic points and durations. The wall clock never drives a timer.
#pragma once

#include <chrono>
#include <cstdint>

namespace rill {

/// How long something lasts.
using duration = std::chrono::nanoseconds;

/// A moment on the monotonic clock (CLOCK_MONOTONIC), or on a simulated core's virtual one.
using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

/// A moment that never comes.
inline constexpr time_point never = time_point::max();

/// `start + length`, and `never` where that would overflow or `length` is the longest there is.
[[nodiscard]] constexpr time_point later(time_point start, duration length) noexcept {
    if (length >= never - start) return never;
    return start + length;
}

using namespace std::chrono_literals;  // 10ms, 2s: part of the interface's vocabulary

}  // namespace rill
