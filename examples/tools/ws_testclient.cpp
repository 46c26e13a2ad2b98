// The client of the Autobahn test suite's fuzzing server: runs each of its cases as an echo.
// Run: ./ws_testclient ws://127.0.0.1:9001
#include <rill/rt/run.hpp>
#include <rill/ws.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

namespace {

namespace ws = rill::ws;

constexpr std::size_t largest_message = 64 * 1024 * 1024;

/// The one message that the server sends at that path.
rill::task<std::string> ask(std::string const& url) {
    ws::socket peer = co_await ws::connect(url);
    auto const answer = co_await peer.receive();
    std::string const text(answer.text());
    co_await peer.close();
    co_return text;
}

rill::task<> echo(std::string const& url) {
    ws::socket peer = co_await ws::connect(url, {.socket = {.message_bytes = largest_message}});
    while (auto message = co_await peer.receive()) {
        co_await peer.send(message.kind(), *message);
    }
}

/// Echoes until the server ends the case, which it may do in the middle of a send.
rill::task<> run_case(std::string const& url) {
    try {
        co_await echo(url);
    } catch (rill::error const& failure) {
        std::fprintf(stderr, "%s: %s\n", url.c_str(), failure.what());
    }
}

rill::task<> run_all(std::string base) {
    std::string const asked = co_await ask(base + "/getCaseCount");
    int const count = std::stoi(asked);
    for (int number = 1; number <= count; ++number) {
        std::string const url = base + "/runCase?case=" + std::to_string(number) + "&agent=rill";
        co_await run_case(url);
    }
    std::string const last = base + "/updateReports?agent=rill";
    static_cast<void>(co_await ask(last));
    std::printf("%d cases\n", count);
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::fputs("usage: ws_testclient BASE_URL\n", stderr);
        return 2;
    }
    rill::run(run_all(argv[1]));
    return 0;
} catch (std::exception const& failure) {
    std::fprintf(stderr, "ws_testclient: %s\n", failure.what());
    return 1;
}
