// The shape of a Beast session in rill: deadlines, a line read, an answer, a clean close.
// Run: ./snippet_from_beast 127.0.0.1:7000   then: nc 127.0.0.1 7000
#include <rill/coro.hpp>
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>

#include <csignal>
#include <string>

using namespace std::chrono_literals;

rill::task<> session(rill::tcp::stream peer) {
    std::string text;
    while (text.find('\n') == text.npos && text.size() < 1000) {
        auto const received = co_await peer.receive(rill::deadline_in(30s));
        if (received.size() == 0) break;  // the end of the stream is no error
        text += received.view().text();
    }
    std::string const answer = "you said: " + text;
    co_await peer.write(answer, rill::deadline_in(30s));
    co_await rill::tcp::close_gracefully(peer);
}

int main(int argc, char** argv) {
    char const* const address = argc > 1 ? argv[1] : "127.0.0.1:7000";
    return rill::run_per_core([address]() -> rill::task<> {
        rill::tcp::listener listener(address);
        co_await rill::when_any(listener.serve(session), rill::wait_signal(SIGINT, SIGTERM));
    });
}
