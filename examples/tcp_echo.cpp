// Echoes every byte back, on all cores, until SIGINT or SIGTERM.
// Run: ./tcp_echo 127.0.0.1:7000   then: nc 127.0.0.1 7000
#include <rill/coro.hpp>
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>

#include <csignal>

rill::task<> echo(rill::tcp::stream peer) {
    while (auto received = co_await peer.receive()) co_await peer.write(*received);
}

int main(int argc, char** argv) {
    char const* const address = argc > 1 ? argv[1] : "127.0.0.1:7000";
    return rill::run_per_core([address]() -> rill::task<> {
        rill::tcp::listener listener(address);
        co_await rill::when_any(listener.serve(echo), rill::wait_signal(SIGINT, SIGTERM));
    });
}
