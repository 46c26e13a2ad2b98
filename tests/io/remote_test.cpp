// Promises of tcp::remote, from the stream's own core; from other threads in remote_threads_test.
#include "rill/io/remote.hpp"

#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/io/tcp.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

using test::make_pair;
using test::pair;
using test::read_all;
using test::read_exactly;
using test::settle;

}  // namespace

RILL_IO_TEST("a handle sends in order behind earlier writes, whole pieces at a time") {
    pair ends;
    co_await make_pair(ends);
    tcp::remote const handle = ends.server.remote();
    co_await ends.server.write("0");
    std::string text = "first";
    CHECK(handle.send(text).has_value());
    text = "gone!";  // it was copied
    CHECK(handle.send("second").has_value());
    CHECK(handle.send("").has_value());
    handle.finish();
    auto const got = co_await read_all(ends.client);
    CHECK(got == "0firstsecond");
}

RILL_IO_TEST("finish ends one side: what was sent arrives before the end, the rest is received") {
    pair ends;
    co_await make_pair(ends);
    tcp::remote const handle = ends.server.remote();
    std::string const large(300'000, 'x');
    CHECK(handle.send(large).has_value());
    handle.finish();
    CHECK(!handle.closed());
    auto const got = co_await read_all(ends.client);
    CHECK(got == large);
    co_await ends.client.write("late");
    ends.client.finish();
    auto const late = co_await read_all(ends.server);
    CHECK(late == "late");
}

RILL_IO_TEST("close wakes the reader with closed, and every later send says so") {
    pair ends;
    co_await make_pair(ends);
    tcp::remote const handle = ends.server.remote();
    tcp::remote const copy = handle;
    CHECK(copy == handle);
    CHECK(copy != ends.client.remote());
    handle.close();
    auto const read = co_await as_result(ends.server.receive());
    CHECK(read.error() == errc::closed);
    CHECK(copy.closed());
    CHECK(copy.send("x").error() == errc::closed);
    copy.close();
    copy.finish();
}

RILL_IO_TEST("a handle outlives its stream and is harmless") {
    tcp::remote handle;
    CHECK(handle.closed());
    CHECK(handle.send("x").error() == errc::closed);
    {
        pair ends;
        co_await make_pair(ends);
        handle = ends.server.remote();
        CHECK(!handle.closed());
        CHECK(handle.send("x").has_value());  // under way when the stream goes
    }
    CHECK(handle.closed());
    CHECK(handle.send("x").error() == errc::closed);
    handle.finish();
    handle.close();
    co_await settle(2);
}

RILL_IO_TEST("sends say closed once the peer has left") {
    pair ends;
    co_await make_pair(ends);
    tcp::remote const handle = ends.server.remote();
    ends.client.reset();
    auto const read = co_await as_result(ends.server.receive());
    CHECK(!read.has_value());
    CHECK(handle.closed());
    CHECK(handle.send("x").error() == errc::closed);
}

RILL_IO_TEST("what is under way through handles is bounded, and room comes back") {
    pair ends;
    co_await make_pair(ends);
    tcp::remote const one = ends.server.remote();
    tcp::remote const two = one;
    constexpr std::size_t most = tcp::remote::most_queued_bytes;
    std::string const all(most, 'a');
    CHECK(one.send(std::string(most + 1, 'a')).error() == errc::limit_exceeded);
    CHECK(one.send(all).has_value());  // exactly at the bound
    CHECK(two.send("b").error() == errc::limit_exceeded);
    auto const got = co_await read_exactly(ends.client, most);
    CHECK(got == all);
    // The last byte has arrived; its write ends with the completion that says so.
    result<void> again = errc::limit_exceeded;
    while (again.error() == errc::limit_exceeded) {
        co_await rill::yield();
        again = two.send("b");
    }
    CHECK(again.has_value());
    auto const last = co_await read_exactly(ends.client, 1);
    CHECK(last == "b");
}

}  // namespace rill
