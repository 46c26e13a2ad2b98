// Echoes messages: two bytes of length in network order, then that many bytes.
// Run: ./framed_echo 127.0.0.1:7001   then: printf '\0\5hello' | nc -N 127.0.0.1 7001
#include <rill/coro.hpp>
#include <rill/io/framing.hpp>
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>

#include <csignal>

using namespace std::chrono_literals;

// One object for both ways, shared by all connections: a message has at most 16 KiB here.
constexpr rill::framing::length_field messages({.width = 2, .maximum_bytes = 16 * 1024});

rill::task<> echo(rill::tcp::stream peer) {
    rill::framed_stream conn(peer);
    while (auto message = co_await conn.read_frame(messages, rill::deadline_in(60s)))
        co_await conn.write_frame(messages, *message, {}, rill::deadline_in(10s));
}

int main(int argc, char** argv) {
    char const* const address = argc > 1 ? argv[1] : "127.0.0.1:7001";
    return rill::run_per_core([address]() -> rill::task<> {
        rill::tcp::listener listener(address);
        co_await rill::when_any(listener.serve(echo), rill::wait_signal(SIGINT, SIGTERM));
    });
}
