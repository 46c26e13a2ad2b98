// core.hpp and run.hpp: the loop of a core, and how it begins and ends.
#include "rill/rt/core.hpp"

#include <doctest/doctest.h>

#include "rill/coro/when_all.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/sleep.hpp"

using namespace rill;

TEST_CASE("run returns when its task has ended and does not wait for another event") {
    // The last step is on the ready list and no timer is armed: waiting would be for ever.
    auto const body = []() -> task<int> {
        co_await rill::yield();
        co_return 7;
    };
    CHECK(run(body()) == 7);
}
