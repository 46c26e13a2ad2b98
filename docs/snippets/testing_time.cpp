// A timeout of an hour, tested to the nanosecond and at once.
#include <rill/coro.hpp>
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>
#include <rill/test.hpp>

using namespace rill;

task<> close_when_idle(tcp::listener& from) {
    tcp::stream peer = co_await from.accept();
    auto const input = co_await as_result(peer.receive(deadline_in(1h)));
    test::expect(input.error() == errc::timed_out, "nothing came");
}

task<> silent_client() {
    tcp::stream peer = co_await tcp::connect("10.0.0.1:7");
    auto const end = co_await peer.receive();
    test::expect(!end && test::elapsed() == 1h, "closed after an hour");
}

task<> program() {
    tcp::listener at("10.0.0.1:7");
    co_await when_all(close_when_idle(at), silent_client());
}

int main() {
    test::simulate(1, program);
}
