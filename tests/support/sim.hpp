// Cores for tests: over the ring, over epoll, over a simulated world, or the same test over all.
#pragma once

#include <dirent.h>
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "rill/coro/task.hpp"
#include "rill/rt/blocking.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/sleep.hpp"
#include "rt/driver.hpp"
#include "rt/epoll_driver.hpp"
#include "rt/mailbox.hpp"
#include "rt/receive_buffers.hpp"
#include "rt/simulated_driver.hpp"
#include "rt/simulated_world.hpp"
#include "rt/uring_driver.hpp"

namespace rill::test {

/// What a test runs over.
enum class world { uring, epoll, simulated };

/// What the core of a test is like: the options of all worlds, small by default.
struct world_options {
    std::uint32_t receive_buffers = 256;
    std::uint32_t receive_copies = 1024;
    std::uint64_t seed = 1;
    std::size_t window_bytes = 64 * 1024;
    bool short_sends = false;
    std::size_t most_received = 0;
    duration latency = duration::zero();
    uring_faults faults = {};
    epoll_faults bad_epoll = {};
    std::uint32_t ring_entries = 256;
    std::uint32_t completion_entries = 0;
    std::vector<simulated_name> names = {};
};

/// True where tests of the ring are left out: RILL_DRIVER says epoll, or io_uring is refused here.
/// The test programs list and count what they leave out.
[[nodiscard]] inline bool ring_left_out() {
    static bool const out = [] {
        char const* const driver = std::getenv("RILL_DRIVER");
        if (driver != nullptr && std::string_view(driver) == "epoll") return true;
        try {
            auto const made = make_uring_driver({.entries = 4, .receive_buffers = 2});
            return false;
        } catch (error const&) {
            return true;
        }
    }();
    return out;
}

/// For a test that needs the kernel and not the ring.
[[nodiscard]] inline world kernel_world() {
    return ring_left_out() ? world::epoll : world::uring;
}

inline world& world_now() {
    static world where = world::uring;
    return where;
}
/// True in a simulation; for counts that a kernel cannot afford.
[[nodiscard]] inline bool simulated() {
    return world_now() == world::simulated;
}
/// Rounds for a loop that costs kernel calls outside and nothing in a simulation.
[[nodiscard]] inline int rounds(int in_simulation, int outside) {
    return simulated() ? in_simulation : outside;
}

/// Descriptors that this process has open.
[[nodiscard]] inline std::size_t open_descriptors() {
    std::size_t count = 0;
    DIR* const folder = ::opendir("/proc/self/fd");
    REQUIRE(folder != nullptr);
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
    return count;
}

[[nodiscard]] inline std::unique_ptr<driver> make_world(world where, world_options const& with,
                                                        simulated_report* report) {
    if (where == world::uring) {
        return make_uring_driver({.entries = with.ring_entries,
                                  .completion_entries = with.completion_entries,
                                  .receive_buffers = with.receive_buffers,
                                  .receive_copies = with.receive_copies,
                                  .faults = with.faults});
    }
    if (where == world::epoll) {
        return make_epoll_driver({.receive_buffers = with.receive_buffers,
                                  .receive_copies = with.receive_copies,
                                  .faults = with.bad_epoll});
    }
    return make_simulated_driver({.seed = with.seed,
                                  .latency = with.latency,
                                  .window_bytes = with.window_bytes,
                                  .short_sends = with.short_sends,
                                  .most_received = with.most_received,
                                  .receive_buffers = with.receive_buffers,
                                  .receive_copies = with.receive_copies,
                                  .names = with.names,
                                  .report = report});
}

/// Runs `body()`, which gives a task, on a core of its own in `where`, and returns what it gives.
/// Checks that all buffers are back and all descriptors closed afterwards.
template <class Body>
auto run_in(world where, Body&& body, world_options const& with = {}) {
    world_now() = where;
    std::size_t const before = open_descriptors();
    simulated_report report;
    struct checks {
        simulated_report const& report;
        std::size_t before;
        ~checks() {
            // A thread of the pool may still hold the door of the core that it has answered to.
            while (blocking_now().idle != blocking_now().threads) std::this_thread::yield();
            CHECK(report.open_descriptors == 0);
            CHECK(open_descriptors() == before);
        }
    } const after{report, before};
    core home(make_world(where, with, &report), 0);
    struct buffer_check {
        core& home;
        ~buffer_check() { CHECK(home.buffers().held() == 0); }
    } const buffers{home};
    auto whole = body();
    return home.run(std::move(whole));
}

/// Runs `body()` in a simulated world and returns what its task gives.
template <class Body>
auto simulate(Body&& body, world_options const& with = {}) {
    return run_in(world::simulated, std::forward<Body>(body), with);
}

/// The hash over all results of a run in a simulated world.
template <class Body>
std::uint64_t trace_of(Body&& body, world_options const& with = {}) {
    simulated_report report;
    {
        core home(make_world(world::simulated, with, &report), 0);
        auto whole = body();
        home.run(std::move(whole));
    }
    return report.trace;
}

/// Waits until the core has turned once: submitted what was started and collected what there is.
class next_turn final : public operation {
public:
    using value_type = void;
    next_turn() noexcept : message_(*this) {}
    void await_resume() const noexcept {}
    result<void> take_result() const noexcept { return {}; }
    [[nodiscard]] bool failed() const noexcept { return false; }
    [[nodiscard]] char const* name() const noexcept override { return "next turn"; }

private:
    class reminder final : public message {
    public:
        explicit reminder(next_turn& of) noexcept : of_(of) {}

    private:
        void run() noexcept override { of_.complete(); }
        next_turn& of_;
    };

    bool start() noexcept override {
        // Messages are taken at the start of a turn.
        return core::of(*waiting_chain()).post_box()->deliver(message_);
    }
    void cancel(cancel_reason) noexcept override {}  // it comes soon enough

    reminder message_;
};

/// Lets the core turn `turns` times.
inline task<> settle(int turns = 3) {
    for (int i = 0; i < turns; ++i) co_await next_turn();
}

}  // namespace rill::test

// A test of the ring itself, left out where there is none: `RILL_RING_TEST("promise") {}`.
#define RILL_RING_TEST(title) TEST_CASE(title* doctest::skip(rill::test::ring_left_out()))

// A test that runs on the ring, on epoll and in a simulation: `RILL_IO_TEST("promise") {
// co_return; }`. The body is a coroutine of type task<>. `RILL_IO_TEST_WITH` takes a world_options
// first.
#define RILL_IO_TEST(title) RILL_IO_TEST_WITH(rill::test::world_options{}, title)
#define RILL_IO_TEST_WITH(options, title) \
    RILL_IO_TEST_NAMED(options, title, DOCTEST_ANONYMOUS(rill_io_test_))
#define RILL_IO_TEST_NAMED(options, title, body)                         \
    RILL_KERNEL_TEST_NAMED(options, title, body)                         \
    TEST_CASE(title " [simulated]") {                                    \
        rill::test::run_in(rill::test::world::simulated, body, options); \
    }                                                                    \
    static rill::task<> body()

// For what only a kernel has: pipes, processes, descriptors of other libraries.
#define RILL_KERNEL_TEST(title) RILL_KERNEL_TEST_IN(title, DOCTEST_ANONYMOUS(rill_kernel_test_))
#define RILL_KERNEL_TEST_IN(title, body)                             \
    RILL_KERNEL_TEST_NAMED(rill::test::world_options{}, title, body) \
    static rill::task<> body()
#define RILL_KERNEL_TEST_NAMED(options, title, body)                 \
    static rill::task<> body();                                      \
    RILL_RING_TEST(title " [uring]") {                               \
        rill::test::run_in(rill::test::world::uring, body, options); \
    }                                                                \
    TEST_CASE(title " [epoll]") {                                    \
        rill::test::run_in(rill::test::world::epoll, body, options); \
    }
