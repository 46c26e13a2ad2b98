// The load generator of the benchmarks: one thread, closed or open loop, every answer checked.
#include <cstdio>
#include <exception>

#include "engine.hpp"
#include "failure.hpp"
#include "idle.hpp"
#include "options.hpp"
#include "workload.hpp"

#include <sys/resource.h>

namespace {

void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

double seconds(load::nanoseconds value) {
    return static_cast<double>(value) / 1e9;
}

void print(char const* name, load::histogram const& values) {
    auto const at = [&](double share) {
        return static_cast<unsigned long long>(values.quantile(share));
    };
    std::printf(
        ", \"%s\": {\"count\": %llu, \"mean\": %llu, \"p50\": %llu, \"p90\": %llu, "
        "\"p99\": %llu, \"p999\": %llu, \"max\": %llu}",
        name, static_cast<unsigned long long>(values.count()),
        static_cast<unsigned long long>(values.mean()), at(0.5), at(0.9), at(0.99), at(0.999),
        static_cast<unsigned long long>(values.largest()));
}

void print(load::measurement const& result) {
    std::printf(
        "{\"requests\": %llu, \"refused\": %llu, \"late\": %llu, \"wall_s\": %.9f, \"load_cpu_s\": "
        "%.9f, "
        "\"server_cpu_s\": %.9f",
        static_cast<unsigned long long>(result.requests),
        static_cast<unsigned long long>(result.refused),
        static_cast<unsigned long long>(result.late), seconds(result.wall), seconds(result.own_cpu),
        seconds(result.server_cpu));
    print("latency_ns", result.latency);
    print("send_lag_ns", result.send_lag);
    std::printf(", \"window_p99_ns\": %llu}\n",
                static_cast<unsigned long long>(result.by_time.median_p99()));
}

}  // namespace

int main(int argc, char** argv) {
    load::options chosen;
    try {
        chosen = load::parse(argc, argv);
    } catch (load::failure const& problem) {
        std::fprintf(stderr, "load: %s\n%s", problem.what(), load::usage);
        return 2;
    }
    try {
        raise_descriptor_limit();
        if (chosen.idle) return load::run_idle(chosen);
        load::engine generator(chosen, load::make_workload(chosen));
        print(generator.run());
        return 0;
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "load: %s\n", problem.what());
        return 1;
    }
}
