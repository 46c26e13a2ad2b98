// What a libhv server does with callbacks, as one coroutine for each connection, beside a timer.
// Run: ./snippet_from_libhv 127.0.0.1:7000   then: nc 127.0.0.1 7000
#include <rill/coro.hpp>
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>

#include <csignal>
#include <cstdio>

using namespace std::chrono_literals;

rill::task<> serve_peer(rill::tcp::stream peer) {
    std::printf("%s connected\n", peer.remote_address().text().c_str());  // onConnection
    for (;;) {
        auto const received = co_await peer.receive(rill::deadline_in(60s));  // keepalive_timeout
        if (received.size() == 0) break;                                      // closed by the peer
        co_await peer.write(received.view());                                 // onMessage
    }
}

rill::task<> every_second() {  // setInterval
    rill::ticker ticks(1s);
    for (;;) {
        co_await ticks.next();
        std::printf("still here\n");
    }
}

int main(int argc, char** argv) {
    char const* const address = argc > 1 ? argv[1] : "127.0.0.1:7000";
    return rill::run_per_core([address]() -> rill::task<> {  // setThreadNum
        rill::tcp::listener listener(address);
        co_await rill::when_any(listener.serve(serve_peer), every_second(),
                                rill::wait_signal(SIGINT, SIGTERM));
    });
}
