// Bad times of the ring, forced by the driver's fault table, with real traffic on loopback: nothing
// is lost. Facts: io_uring_enter(2), io_uring_setup(2).
#include <liburing.h>

#include <cerrno>
#include <string>

#include "support/traffic.hpp"

namespace rill {

namespace {

using test::echo_traffic;

void run_with(test::world_options const& options) {
    test::run_traffic(test::world::uring, options);
}

/// The text of the error with which making a ring fails.
std::string refusal(int why) {
    uring_options options;
    options.faults.refuse_setup = why;
    try {
        auto const made = make_uring_driver(options);
    } catch (error const& failure) {
        CHECK(failure.code() == system_error(why));
        CHECK(failure.operation() == "io_uring_setup");
        return failure.what();
    }
    FAIL("the ring was made");
    return {};
}

bool contains(std::string const& text, char const* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

RILL_RING_TEST("out of submission entries, requests wait for the next turn") {
    for (std::uint32_t const every : {2u, 3u, 7u}) {
        CAPTURE(every);
        run_with({.faults = {.no_entry_every = every}});
    }
}

RILL_RING_TEST("a queue of four submission entries carries everything") {
    run_with({.ring_entries = 4, .completion_entries = 4096});
}

RILL_RING_TEST("an enter that fails (EAGAIN, EBUSY, EINTR) is made again (C132)") {
    for (int const code : {EAGAIN, EBUSY, EINTR}) {
        CAPTURE(code);
        run_with({.faults = {.enter_fails_every = 2, .enter_errno = code}});
    }
}

RILL_RING_TEST(
    "while the kernel has no memory for an enter (EAGAIN) the core pauses, and does not spin") {
    auto const turns_of = [](int code) {
        auto const body = []() -> task<std::uint64_t> {
            co_await rill::sleep(20ms);
            co_return core::current().totals().turns;
        };
        return test::run_in(test::world::uring, body,
                            {.faults = {.enter_fails_every = 1, .enter_errno = code}});
    };
    // One each millisecond, and some at the beginning; a core that spins makes many thousand.
    CHECK(turns_of(EAGAIN) < 200);
    // A signal or a full completion queue is no reason to pause.
    CHECK(turns_of(EINTR) > 200);
    CHECK(turns_of(EBUSY) > 200);
}

RILL_RING_TEST("a stream of results that ends without an error goes on") {
    for (std::uint32_t const every : {2u, 3u, 5u}) {
        CAPTURE(every);
        run_with({.faults = {.end_stream_every = every}});
    }
}

RILL_RING_TEST("out of receive buffers (ENOBUFS) is no error of the connection") {
    run_with({.faults = {.no_buffer_every = 2}});
    run_with({.receive_buffers = 2, .receive_copies = 0});
}

RILL_RING_TEST("out of descriptors (EMFILE) an accept backs off and tries again") {
    auto const twice = []() -> task<> {
        co_await echo_traffic();
        co_await echo_traffic();  // the second listener's first try is the one that fails
    };
    test::run_in(test::world::uring, twice, {.faults = {.no_descriptor_every = 2}});
}

RILL_RING_TEST("a completion queue of four entries overflows and loses nothing") {
    run_with({.ring_entries = 4, .completion_entries = 4});
    run_with({.receive_buffers = 4, .ring_entries = 4, .completion_entries = 4});
}

RILL_RING_TEST("several faults at once lose nothing") {
    test::world_options options{.receive_buffers = 8};
    options.ring_entries = 8;
    options.completion_entries = 8;
    options.faults = {.no_entry_every = 5,
                      .enter_fails_every = 3,
                      .enter_errno = EBUSY,
                      .end_stream_every = 3,
                      .no_buffer_every = 4};
    run_with(options);
}

RILL_RING_TEST("a kernel that refuses a setup flag gets a ring without it") {
    for (std::uint32_t const flag :
         {IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_SINGLE_ISSUER, IORING_SETUP_TASKRUN_FLAG,
          IORING_SETUP_COOP_TASKRUN, IORING_SETUP_SUBMIT_ALL}) {
        CAPTURE(flag);
        run_with({.faults = {.refuse_flags = flag}});
    }
    std::uint32_t const all = IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SINGLE_ISSUER |
                              IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_COOP_TASKRUN |
                              IORING_SETUP_SUBMIT_ALL;
    run_with({.faults = {.refuse_flags = all}});
}

TEST_CASE("a refused ring says what refused it and what to change") {
    std::string const forbidden = refusal(EPERM);
    CHECK((contains(forbidden, "seccomp") || contains(forbidden, "sysctl")));
    CHECK((contains(forbidden, "allow io_uring_setup") || contains(forbidden, "set it to 0")));
    CHECK(contains(refusal(ENOSYS), "no io_uring"));
    CHECK(contains(refusal(ENOSYS), "seccomp"));
    CHECK(contains(refusal(ENOMEM), "ulimit -l"));
    CHECK(contains(refusal(EMFILE), "ulimit -n"));
    CHECK(contains(refusal(ENFILE), "ulimit -n"));
    CHECK(contains(refusal(EINVAL), "6.0"));
}

TEST_CASE("a ring that no flags please is refused as too old a kernel") {
    uring_options options;
    options.faults.refuse_flags = ~0u;
    CHECK_THROWS_WITH_AS(static_cast<void>(make_uring_driver(options)),
                         doctest::Contains("too old"), error);
}

}  // namespace rill
