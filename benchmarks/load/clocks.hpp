// Wall time, and CPU time of this process and of others (clock_getcpuclockid(3): user and system
// time of all threads in nanoseconds, finished threads and io-wq workers included).
#pragma once
#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace load {

using nanoseconds = std::uint64_t;

[[nodiscard]] nanoseconds now();
[[nodiscard]] nanoseconds own_cpu();

/// CPU time that these processes have used together. A process that is gone is a failure.
[[nodiscard]] nanoseconds cpu_of(std::vector<pid_t> const& processes);

}  // namespace load
