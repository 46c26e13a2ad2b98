// Wall time and CPU time; see clocks.hpp.
#include "clocks.hpp"

#include <string>

#include <time.h>

#include "failure.hpp"

namespace load {
namespace {

nanoseconds read_clock(clockid_t clock) {
    timespec value{};
    if (clock_gettime(clock, &value) != 0) throw failure("cannot read a clock");
    return static_cast<nanoseconds>(value.tv_sec) * 1'000'000'000U +
           static_cast<nanoseconds>(value.tv_nsec);
}

}  // namespace

nanoseconds now() {
    return read_clock(CLOCK_MONOTONIC);
}

nanoseconds own_cpu() {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

nanoseconds cpu_of(std::vector<pid_t> const& processes) {
    nanoseconds sum = 0;
    for (auto const process : processes) {
        clockid_t clock{};
        if (clock_getcpuclockid(process, &clock) != 0)
            throw failure("server process " + std::to_string(process) + " is gone");
        sum += read_clock(clock);
    }
    return sum;
}

}  // namespace load
