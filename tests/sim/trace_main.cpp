// Prints everything that happens to HTTP servers and clients in some worlds, for a comparison byte
// by byte: between two runs, and between two compilers.
#include <cstdio>
#include <string>

#include "http_world.hpp"

int main() {
    using namespace rill;
    test::settings with;
    std::string trace;
    with.trace = &trace;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        bool const calm = seed % 2 == 0;
        with.cores = 1 + static_cast<std::uint32_t>(seed % 3);
        with.faults = calm ? test::faults::slow() : test::faults::hostile();
        auto const program = [calm] { sim::serve_and_ask(calm); };
        auto const done = test::simulate(seed, program, with);
        std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), trace.c_str());
        std::printf("digest %llx after %lld ns\n", static_cast<unsigned long long>(done.digest),
                    static_cast<long long>(done.took.count()));
        trace.clear();
    }
}
