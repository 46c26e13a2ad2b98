// Affinity masks and cgroup quotas.
#include "cpus.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>

namespace rill::cpus {

namespace {

constexpr std::size_t most_cpus = std::size_t{1} << 16;

struct free_set {
    void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};

/// The quota of one cgroup, from its cpu.max: "max 100000" or "150000 100000", in microseconds.
double quota_of(std::string const& folder) {
    std::ifstream file(folder + "/cpu.max");
    std::string granted;
    double period = 0;
    if (!(file >> granted >> period) || period <= 0) return 0;
    double time = 0;
    auto const read = std::from_chars(granted.data(), granted.data() + granted.size(), time);
    return read.ec == std::errc() ? time / period : 0;
}

}  // namespace

std::vector<std::size_t> allowed() {
    std::vector<std::size_t> found;
    // The kernel refuses a mask that is shorter than its own.
    for (std::size_t size = CPU_SETSIZE; size <= most_cpus; size *= 4) {
        std::unique_ptr<cpu_set_t, free_set> const set(CPU_ALLOC(size));
        if (!set) break;
        std::size_t const bytes = CPU_ALLOC_SIZE(size);
        CPU_ZERO_S(bytes, set.get());
        if (::sched_getaffinity(0, bytes, set.get()) != 0) continue;
        for (std::size_t cpu = 0; cpu < size; ++cpu) {
            if (CPU_ISSET_S(cpu, bytes, set.get())) found.push_back(cpu);
        }
        break;
    }
    return found;
}

void pin_to(std::size_t cpu) noexcept {
    std::unique_ptr<cpu_set_t, free_set> const set(CPU_ALLOC(cpu + 1));
    if (!set) return;
    std::size_t const bytes = CPU_ALLOC_SIZE(cpu + 1);
    CPU_ZERO_S(bytes, set.get());
    CPU_SET_S(cpu, bytes, set.get());
    ::pthread_setaffinity_np(::pthread_self(), bytes, set.get());
}

double quota(std::string_view proc_cgroup, std::string const& root) {
    // The line of version 2 is "0::/path"; inside a container's namespace the path is mostly "/".
    constexpr std::string_view mark = "0::";
    std::size_t at = 0;
    while (at < proc_cgroup.size() && !proc_cgroup.substr(at).starts_with(mark)) {
        at = proc_cgroup.find('\n', at);
        at = at == std::string_view::npos ? proc_cgroup.size() : at + 1;
    }
    std::string_view path = proc_cgroup.substr(std::min(at + mark.size(), proc_cgroup.size()));
    path = path.substr(0, path.find('\n'));
    double least = 0;
    for (;;) {
        double const here = quota_of(root + std::string(path));
        if (here > 0 && (least == 0 || here < least)) least = here;
        std::size_t const slash = path.rfind('/');
        if (slash == std::string_view::npos) return least;
        path = path.substr(0, slash);
    }
}

}  // namespace rill::cpus
