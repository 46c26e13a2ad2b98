// Local sockets and pipes in simulated worlds: whole, in order and once, and what travels with them
// is left open by nobody.
#include <doctest/doctest.h>

#include "local_world.hpp"

using namespace rill;

namespace {

constexpr std::uint64_t seed_count = 10'000;  // RILL_SEEDS sets another

test::settings slow_world() {
    test::settings with;
    with.faults = test::faults::slow();
    with.faults.no_buffers = 100;
    with.receive_buffers = 8;
    with.receive_copies = 4;
    return with;
}

}  // namespace

TEST_CASE("datagrams of a local socket come in order and once, whoever waits or gives up") {
    static_cast<void>(test::seeds(seed_count, sim::datagrams, slow_world()));
}

TEST_CASE("pipes that are handed over a local stream end when their last owner closes") {
    static_cast<void>(test::seeds(seed_count, sim::pipes_that_travel, slow_world()));
}

TEST_CASE("descriptors on their way are closed, whoever gives up and when") {
    static_cast<void>(test::seeds(seed_count, sim::given_up, slow_world()));
}
