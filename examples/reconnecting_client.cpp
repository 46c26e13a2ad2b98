// Reads lines of a server for ever: comes back when the server does, and notices when it is dead.
// Run: ./reconnecting_client 127.0.0.1:7002   then, as often as you like: nc -l -p 7002 127.0.0.1
#include <rill/coro.hpp>
#include <rill/io/framing.hpp>
#include <rill/io/heartbeat.hpp>
#include <rill/io/reconnect.hpp>
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>

#include <csignal>
#include <iostream>

using namespace std::chrono_literals;
using connection = rill::reconnecting<rill::tcp::stream>;

constexpr rill::framing::lines lines;

void tell(rill::reconnect_event const& what) {
    constexpr char const* names[] = {"connecting", "connected", "failed", "lost", "gave up"};
    std::cout << "[" << names[static_cast<int>(what.what)];
    if (what.cause) std::cout << ": " << what.cause.message();
    std::cout << "]\n" << std::flush;
}

rill::task<> log_in(rill::tcp::stream& peer) {
    co_await rill::write_frame(peer, lines, "HELLO");
}

rill::task<> session(rill::tcp::stream& peer) {
    rill::framed_stream conn(peer);
    rill::heartbeat pulse({.ping_after = 20s, .give_up_after = 60s});
    auto ping = [&] { return conn.write_frame(lines, "PING"); };
    auto print_lines = [&]() -> rill::task<> {
        while (auto line = co_await conn.read_frame(lines)) {
            pulse.received();
            std::cout << line.payload().text() << "\n" << std::flush;
        }
    };
    co_await rill::with_heartbeat(pulse, ping, print_lines);
}

rill::task<> client(char const* address) {
    connection server({.first_delay = 50ms, .longest_delay = 5s, .stable_after = 0s});
    server.on_event(tell);
    auto connect = [address] { return rill::tcp::connect(address); };
    co_await rill::when_any(server.run(connect, log_in, session),
                            rill::wait_signal(SIGINT, SIGTERM));
}

int main(int argc, char** argv) {
    rill::run(client(argc > 1 ? argv[1] : "127.0.0.1:7002"));
}
