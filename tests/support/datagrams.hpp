// Tests of datagrams run over the drivers that have them.
#pragma once

#include <string>

#include "rill/io/udp.hpp"
#include "support/sim.hpp"

#define RILL_DATAGRAM_TEST(title) RILL_DATAGRAM_TEST_WITH(rill::test::world_options{}, title)
#define RILL_DATAGRAM_TEST_WITH(options, title) \
    RILL_DATAGRAM_TEST_NAMED(options, title, DOCTEST_ANONYMOUS(rill_datagram_test_))
#define RILL_DATAGRAM_TEST_NAMED(options, title, body) \
    RILL_KERNEL_TEST_NAMED(options, title, body)       \
    static rill::task<> body()

namespace rill::test {

/// The next datagram as text.
template <class Socket>
task<std::string> next_text(Socket& from) {
    auto const got = co_await from.receive();
    co_return std::string(got.view().text());
}

}  // namespace rill::test
