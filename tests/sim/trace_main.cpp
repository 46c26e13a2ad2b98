// Prints everything that happens to servers and clients, on files and over local sockets in some
// worlds, for a comparison byte by byte: between two runs, and between two compilers.
#include <cstdio>
#include <string>

#include "file_world.hpp"
#include "http_world.hpp"
#include "local_world.hpp"

namespace {

using namespace rill;

template <class Program>
void print(std::uint64_t seed, Program const& program, test::settings with) {
    std::string trace;
    with.trace = &trace;
    auto const done = test::simulate(seed, program, with);
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), trace.c_str());
    std::printf("digest %llx after %lld ns\n", static_cast<unsigned long long>(done.digest),
                static_cast<long long>(done.took.count()));
}

}  // namespace

int main() {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        bool const calm = seed % 2 == 0;
        test::settings with;
        with.faults = calm ? test::faults::slow() : test::faults::hostile();
        auto const files = [calm] { sim::replace_while_served(calm); };
        print(seed, files, with);
        auto const servers = [calm] { sim::serve_and_ask(calm); };
        with.cores = 1 + static_cast<std::uint32_t>(seed % 3);
        print(seed, servers, with);
        with.faults = test::faults::slow();
        print(seed, sim::pipes_that_travel, with);
        print(seed, sim::given_up, with);
        print(seed, sim::watch_names, with);
    }
}
