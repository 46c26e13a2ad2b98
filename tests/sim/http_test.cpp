// The HTTP server in simulated worlds: each seed is another order of everything that can happen.
// RFC 9112.
#include <doctest/doctest.h>

#include "http_world.hpp"

using namespace rill;

namespace {

constexpr std::uint64_t seed_count = 10'000;  // RILL_SEEDS sets another

}  // namespace

TEST_CASE("every request of a slow world is answered with its own whole answer, in order") {
    test::settings with;
    with.cores = 2;
    with.faults = test::faults::slow();
    auto const program = [] { sim::serve_and_ask(true); };
    static_cast<void>(test::seeds(seed_count, program, with));
}

TEST_CASE("whatever goes wrong, no answer is wrong, cut short or left behind") {
    test::settings with;
    with.cores = 2;
    with.faults = test::faults::hostile();
    auto const program = [] { sim::serve_and_ask(false); };
    static_cast<void>(test::seeds(seed_count, program, with));
}
