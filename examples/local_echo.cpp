// Echoes every byte back over a local (Unix) socket that only its owner can open, and says who is
// there. The file goes away with the server. A name as unix:@echo needs no file.
// Run: ./local_echo unix:/tmp/echo   then: nc -U /tmp/echo
#include <rill/coro.hpp>
#include <rill/io/local.hpp>
#include <rill/rt.hpp>

#include <csignal>
#include <iostream>

rill::task<> echo(rill::tcp::stream peer) {
    if (auto const who = rill::local::peer_of(peer)) {
        std::cout << "process " << who->process << " of user " << who->user << "\n" << std::flush;
    }
    while (auto received = co_await peer.receive()) co_await peer.write(*received);
}

int main(int argc, char** argv) {
    char const* const address = argc > 1 ? argv[1] : "unix:/tmp/echo";
    return rill::run_per_core([address]() -> rill::task<> {
        rill::tcp::listener listener(address, {.mode = 0600});
        co_await rill::when_any(listener.serve(echo), rill::wait_signal(SIGINT, SIGTERM));
    });
}
