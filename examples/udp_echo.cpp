// Sends every datagram back to who sent it, on all cores, until SIGINT or SIGTERM.
// Run: ./udp_echo 127.0.0.1:7000   then: nc -u 127.0.0.1 7000
#include <rill/coro.hpp>
#include <rill/io/udp.hpp>
#include <rill/rt.hpp>

#include <csignal>

rill::task<> echo(rill::udp::socket& socket) {
    for (;;) {
        auto const received = co_await socket.receive();
        rill::address const from = received.from();
        // A client that has gone is told to the next send to it, and is no reason to end.
        auto const sent = co_await rill::as_result(socket.send_to(*received, from));
        if (!sent) continue;
    }
}

int main(int argc, char** argv) {
    char const* const address = argc > 1 ? argv[1] : "127.0.0.1:7000";
    return rill::run_per_core([address]() -> rill::task<> {
        auto socket = rill::udp::socket::bind(address, {.reuse_port = true});
        co_await rill::when_any(echo(socket), rill::wait_signal(SIGINT, SIGTERM));
    });
}
