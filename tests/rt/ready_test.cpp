// Promises of readable and writable.
#include "rill/rt/ready.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "support/sim.hpp"

namespace rill {

namespace {

using test::settle;

/// Two connected sockets of somebody else, as another library has them.
struct sockets {
    sockets() { REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0); }
    sockets(sockets const&) = delete;
    sockets& operator=(sockets const&) = delete;
    ~sockets() {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    std::array<int, 2> ends{};
};

}  // namespace

RILL_KERNEL_TEST("readable waits for bytes, and takes none of them") {
    sockets both;
    auto const writing = [&]() -> task<> {
        co_await settle();
        CHECK(::write(both.ends[1], "x", 1) == 1);
    };
    co_await when_all(readable(both.ends[0]), writing());
    co_await readable(both.ends[0]);
    char got = 0;
    CHECK(::read(both.ends[0], &got, 1) == 1);
}

RILL_KERNEL_TEST("readable is told of the end, writable of room") {
    sockets both;
    co_await writable(both.ends[0]);
    std::string const fill(1 << 20, 'x');
    while (::write(both.ends[0], fill.data(), fill.size()) > 0) {
    }
    auto const none = co_await as_result(timeout(1ms, writable(both.ends[0])));
    CHECK(none.error() == errc::timed_out);
    auto const draining = [&]() -> task<> {
        co_await settle();
        std::string into(1 << 20, '\0');
        while (::read(both.ends[1], into.data(), into.size()) > 0) {
        }
    };
    co_await when_all(writable(both.ends[0]), draining());
    ::shutdown(both.ends[1], SHUT_WR);
    co_await readable(both.ends[0]);
    char end = 0;
    CHECK(::read(both.ends[0], &end, 1) == 0);
}

RILL_KERNEL_TEST("both may be waited for at once, and the loser is cancelled and joined") {
    sockets both;
    for (int i = 0; i < 50; ++i) {
        auto const first = co_await when_any(readable(both.ends[0]), writable(both.ends[0]));
        CHECK(first.index == 1);
    }
}

RILL_KERNEL_TEST("a wait that was cancelled lets the descriptor be closed at once") {
    for (int i = 0; i < 20; ++i) {
        sockets both;
        co_await when_any(readable(both.ends[0]), settle(i % 3));
    }
}

RILL_IO_TEST("a descriptor that is not open is an error") {
    auto const why = co_await as_result(readable(100'000));
    CHECK(why.error() == std::errc::bad_file_descriptor);
}

}  // namespace rill
