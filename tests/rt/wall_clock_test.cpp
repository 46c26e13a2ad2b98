// C122: a step of the wall clock neither stops nor fires timers. A program of its own, because it
// puts its own clock_gettime, gettimeofday and time before those of the C library.
#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "rill/rt/blocking.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/sleep.hpp"

namespace {

std::atomic<long> wall_step_seconds = 0;
std::atomic<int> wall_reads = 0;
std::atomic<int> monotonic_reads = 0;

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* at) noexcept {
    auto const code = static_cast<int>(::syscall(SYS_clock_gettime, clock, at));
    if (clock == CLOCK_MONOTONIC) {
        ++monotonic_reads;
    } else if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
        ++wall_reads;
        at->tv_sec += wall_step_seconds;
    }
    return code;
}
extern "C" int gettimeofday(timeval* at, void*) noexcept {
    ++wall_reads;
    timespec now{};
    ::syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    *at = {.tv_sec = now.tv_sec + wall_step_seconds, .tv_usec = now.tv_nsec / 1000};
    return 0;
}
extern "C" time_t time(time_t* at) noexcept {
    timeval now{};
    ::gettimeofday(&now, nullptr);
    if (at != nullptr) *at = now.tv_sec;
    return now.tv_sec;
}

using namespace rill;

TEST_CASE("a step of the wall clock, back or forward, changes no timer and is not even read") {
    // The program's own clock is in force.
    wall_step_seconds = 3600;
    timespec wall{};
    timespec real{};
    ::clock_gettime(CLOCK_REALTIME, &wall);
    ::syscall(SYS_clock_gettime, CLOCK_REALTIME, &real);
    REQUIRE(wall.tv_sec - real.tv_sec >= 3599);
    int const reads_before = wall_reads;

    int ticks = 0;
    int timeouts = 0;
    bool early = false;
    auto const body = [&]() -> task<> {
        ticker every(1ms);
        time_point last = core::current().clock();
        constexpr std::array<long, 6> steps{0, -3600, 3600, -86400, 86400, 0};
        for (long const step : steps) {
            wall_step_seconds = step;
            co_await every.next();
            ++ticks;
            co_await rill::sleep(100us);
            time_point const now = core::current().clock();
            early |= now - last < 100us;
            last = now;
            co_await timeout(1h, rill::sleep(10us));
            try {
                co_await timeout(10us, rill::sleep(1h));
            } catch (error const&) {
                ++timeouts;
            }
            co_await blocking([] {});  // the pool's timed waits as well
        }
    };
    run(body());
    CHECK(ticks == 6);
    CHECK(timeouts == 6);
    CHECK_FALSE(early);
    CHECK(wall_reads == reads_before);
    CHECK(monotonic_reads > 0);
}
