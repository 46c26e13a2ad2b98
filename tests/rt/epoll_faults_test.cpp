// Bad times of epoll, forced by the driver's fault table, with real traffic on loopback: nothing is
// lost. Facts: epoll_ctl(2), epoll_wait(2), accept(2), recv(2).
#include <cerrno>
#include <string>

#include "rt/epoll_driver.hpp"
#include "support/traffic.hpp"

namespace rill {

namespace {

void run_with(test::world_options const& options) {
    test::run_traffic(test::world::epoll, options);
}

}  // namespace

TEST_CASE("a wait that a signal interrupts is made again") {
    for (std::uint32_t const every : {2u, 3u, 7u}) {
        CAPTURE(every);
        run_with({.bad_epoll = {.wait_fails_every = every}});
    }
}

TEST_CASE("a call on a socket that a signal interrupts is made again") {
    for (std::uint32_t const every : {2u, 3u}) {
        CAPTURE(every);
        run_with({.bad_epoll = {.call_fails_every = every}});
    }
}

TEST_CASE("sends that the kernel cuts short go on where they were cut") {
    for (std::size_t const most : {1u, 7u, 1000u}) {
        CAPTURE(most);
        run_with({.bad_epoll = {.most_sent = most}});
    }
}

TEST_CASE("out of receive buffers (ENOBUFS) is no error of a connection on epoll") {
    run_with({.bad_epoll = {.no_buffer_every = 2}});
    run_with({.receive_buffers = 2, .receive_copies = 0});
}

TEST_CASE("out of descriptors (EMFILE) an accept of epoll backs off and tries again") {
    run_with({.bad_epoll = {.no_descriptor_every = 23}});
}

TEST_CASE("a kernel without epoll_pwait2, or a filter that refuses it, waits in milliseconds") {
    for (int const code : {ENOSYS, EPERM}) {
        CAPTURE(code);
        test::world_options const options{.bad_epoll = {.refuse_exact_wait = code}};
        run_with(options);
        auto const sleeping = []() -> task<> {
            for (duration const length : {1us, 999us, 1001us, 1500us}) {
                time_point const begun = core::current().clock();
                co_await rill::sleep(length);
                CHECK(core::current().clock() - begun >= length);
            }
        };
        test::run_in(test::world::epoll, sleeping, options);
    }
}

TEST_CASE("out of memory for a watch (ENOMEM, ENOSPC), one wait fails and the core goes on") {
    for (int const code : {ENOMEM, ENOSPC}) {
        CAPTURE(code);
        auto const body = []() -> task<> {
            tcp::listener at("127.0.0.1:0");
            address const where = at.local_address();
            int whole = 0;
            int failed = 0;
            for (int i = 0; i < 12; ++i) {
                auto client = co_await as_result(tcp::connect(where));
                auto server = co_await at.accept();
                if (!client) {
                    ++failed;
                    CHECK(client.error() == system_error(ENOMEM));
                    continue;
                }
                co_await client->write("x");
                auto const got = co_await as_result(server.receive());
                if (got) {
                    ++whole;
                    CHECK(got->view() == bytes("x"));
                } else {
                    ++failed;
                    CHECK(got.error() == system_error(ENOMEM));
                }
            }
            CHECK(whole > 0);
            CHECK(failed > 0);
        };
        test::run_in(test::world::epoll, body,
                     {.bad_epoll = {.control_fails_every = 3, .control_errno = code}});
    }
}

TEST_CASE("several faults of epoll at once lose nothing") {
    test::world_options options{.receive_buffers = 8};
    options.bad_epoll = {.refuse_exact_wait = ENOSYS,
                         .wait_fails_every = 3,
                         .call_fails_every = 5,
                         .no_buffer_every = 4,
                         .most_sent = 777};
    run_with(options);
}

TEST_CASE("out of descriptors no driver is made, and the error says what to change") {
    epoll_options options;
    options.faults.refuse_setup = EMFILE;
    CHECK_THROWS_WITH_AS(static_cast<void>(make_epoll_driver(options)),
                         doctest::Contains("ulimit -n"), error);
}

}  // namespace rill
