// A server with a fault that no test over loopback finds, and the test that does.
#include <rill/coro.hpp>
#include <rill/io/tcp.hpp>
#include <rill/test.hpp>

#include <cstdio>
#include <exception>
#include <string>

using namespace rill;

// Answers each line with its length. The fault: what one receive brings need not be a line.
task<> measure(tcp::stream& peer) {
    while (auto const part = co_await peer.receive()) {
        std::string const answer = std::to_string(part.size() - 1) + "\n";
        co_await peer.write(answer);
    }
}

task<> measure_whole_lines(tcp::stream& peer) {
    std::string line;
    while (auto const part = co_await peer.receive()) {
        line += part.view().text();
        for (std::size_t end; (end = line.find('\n')) != std::string::npos;) {
            std::string const answer = std::to_string(end) + "\n";
            line.erase(0, end + 1);
            co_await peer.write(answer);
        }
    }
}

task<> client() {
    tcp::stream peer = co_await tcp::connect("10.0.0.1:7");
    co_await peer.write("hello world\n");
    std::string answer;
    while (answer.find('\n') == std::string::npos) {
        auto const part = co_await peer.receive();
        test::expect(static_cast<bool>(part), "the server does not hang up");
        answer += part.view().text();
    }
    test::expect(answer == "11\n", "the answer is the length of the line");
}

using handler = task<> (*)(tcp::stream&);

task<> server(tcp::listener& from, handler serve) {
    tcp::stream peer = co_await from.accept();
    co_await serve(peer);
}

int main(int argc, char**) {
    handler const serve = argc > 1 ? measure_whole_lines : measure;
    auto const program = [serve]() -> task<> {
        tcp::listener at("10.0.0.1:7");
        co_await when_all(server(at, serve), client());
    };
    try {
        test::seeds(1000, program, {.faults = test::faults::slow()});
        std::puts("1000 seeds hold");
    } catch (std::exception const&) {
        return 1;  // the seed is on stderr
    }
}
