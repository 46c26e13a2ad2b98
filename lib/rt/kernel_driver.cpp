// The kernel's clocks and its randomness.
#include "kernel_driver.hpp"

#include <sys/random.h>
#include <time.h>

namespace rill {

time_point kernel_driver::now() const noexcept {
    timespec at{};
    ::clock_gettime(CLOCK_MONOTONIC, &at);
    return time_point(std::chrono::seconds(at.tv_sec) + std::chrono::nanoseconds(at.tv_nsec));
}

std::chrono::system_clock::time_point kernel_driver::wall_now() const noexcept {
    return std::chrono::system_clock::now();
}

void kernel_driver::random(mutable_bytes into) noexcept {
    while (!into.empty()) {
        ssize_t const got = ::getrandom(into.data(), into.size(), 0);
        if (got > 0) into = into.without_first(static_cast<std::size_t>(got));
    }
}

}  // namespace rill
