// Which CPUs this process may use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rill::cpus {

/// The numbers of the CPUs in this thread's affinity mask, rising. Empty where it cannot be read.
[[nodiscard]] std::vector<std::size_t> allowed();

/// Lets the calling thread run on `cpu` only.
void pin_to(std::size_t cpu) noexcept;

/// CPUs' worth of time that the process's cgroup (version 2) and those above it grant; 0 is no
/// limit. `proc_cgroup` is the text of /proc/self/cgroup, `root` where the hierarchy is mounted.
[[nodiscard]] double quota(std::string_view proc_cgroup, std::string const& root);

}  // namespace rill::cpus
