// blocking.hpp at the end of a process: a job that never ends holds neither core nor exit. This is
// a program of its own because what it tests is the return from main.
#include <doctest/doctest.h>

#include <atomic>
#include <semaphore>

#include "rill/coro/when_any.hpp"
#include "rill/rt/blocking.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/sleep.hpp"

TEST_CASE("main returns while a blocking job is stuck and another thread of the pool is idle") {
    using namespace rill;
    static auto& gate = *new std::binary_semaphore(0);  // the job outlives the destructors
    static auto& begun = *new std::atomic<bool>(false);
    auto const body = []() -> task<> {
        auto const until_begun = []() -> task<> {
            while (!begun.load()) co_await rill::sleep(100us);
        };
        auto won = co_await when_any(blocking([] {
                                         begun = true;
                                         gate.acquire();
                                     }),
                                     until_begun());
        CHECK(won.index == 1);
        co_await blocking([] {});
    };
    run(body());
    CHECK(blocking_now().threads == 2);
}
