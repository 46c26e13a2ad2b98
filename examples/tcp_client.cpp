// Sends lines from the terminal and prints what arrives.
// Run: ./tcp_client 127.0.0.1:7000   against ./tcp_echo 127.0.0.1:7000
// Lines: "start" connects, "stop" ends the sending side, "close" closes; all others are sent.
#include <rill/coro.hpp>
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>

#include <csignal>
#include <iostream>
#include <memory>
#include <optional>

using connection = std::shared_ptr<rill::tcp::stream>;

std::optional<std::string> read_line() {
    std::string line;
    if (!std::getline(std::cin, line)) return std::nullopt;
    return line + "\n";
}

rill::task<> print_all(connection peer) {
    while (auto received = co_await rill::as_result(peer->receive())) {
        if (received->size() == 0) break;
        std::cout << received->view().text() << std::flush;
    }
    std::cout << "[ended]\n" << std::flush;
}

rill::task<> obey(std::string const& line, connection& peer, rill::task_group& printing,
                  char const* address) {
    if (line == "start\n") {
        if (*peer) peer->close();
        peer = std::make_shared<rill::tcp::stream>(co_await rill::tcp::connect(address));
        printing.spawn(print_all, peer);
    } else if (*peer) {
        if (line == "stop\n") peer->finish();
        if (line == "close\n") peer->close();
        if (line != "stop\n" && line != "close\n") co_await peer->write(line);
    }
}

rill::task<> client(char const* address) {
    co_await rill::with_task_group([&](rill::task_group& printing) -> rill::task<> {
        auto peer = std::make_shared<rill::tcp::stream>();  // no connection yet
        while (auto const line = co_await rill::blocking(read_line)) {
            auto const done = co_await rill::as_result(obey(*line, peer, printing, address));
            if (!done) std::cout << "[" << done.error().message() << "]\n" << std::flush;
        }
        if (*peer) peer->finish();  // the end of the input; what still arrives is printed
    });
}

int main(int argc, char** argv) {
    char const* const address = argc > 1 ? argv[1] : "127.0.0.1:7000";
    auto until_stopped = [address]() -> rill::task<> {
        co_await rill::when_any(client(address), rill::wait_signal(SIGINT, SIGTERM));
    };
    rill::run(until_stopped());
}
