// Connecting by name, and looking a name up.
#include <rill/coro.hpp>
#include <rill/io/resolver.hpp>
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>

#include <cstdio>
#include <string>

using namespace std::chrono_literals;

rill::task<int> reach(char const* host, std::uint16_t port) {
    for (auto const& each : co_await rill::look_up(host, port))
        std::printf("%s\n", each.text().c_str());
    rill::tcp::connect_options options;
    options.longest = 5s;  // of the look-up and all attempts together
    auto const peer = co_await rill::tcp::connect(host, port, options);
    std::printf("connected to %s\n", peer.remote_address().text().c_str());
    co_return 0;
}

int main(int argc, char** argv) try {
    auto const port = static_cast<std::uint16_t>(argc > 2 ? std::stoi(argv[2]) : 80);
    return rill::run(reach(argc > 1 ? argv[1] : "localhost", port));
} catch (rill::error const& failure) {  // names each address that was tried
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
