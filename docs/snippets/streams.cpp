// Three ways to move bytes.
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>

#include <array>
#include <cstdio>
#include <string>

// receive: the bytes stay where the kernel has put them, and the buffer is on loan.
rill::task<std::size_t> count_bytes(rill::tcp::stream& peer) {
    std::size_t count = 0;
    while (auto lease = co_await peer.receive()) count += lease.size();
    co_return count;
}

// read: a copy into memory of your own. Keep that, wait with it, as long as you like.
rill::task<std::string> first_bytes(rill::tcp::stream& peer) {
    std::array<char, 16> memory;
    std::size_t const size = co_await peer.read(memory);
    co_return std::string(memory.data(), size);
}

// write: returns when all was handed to the kernel, so a slow peer slows its writer down.
rill::task<> write_both(rill::tcp::stream& peer) {
    std::array<rill::bytes, 2> const pieces{"head\n", "body\n"};
    co_await peer.write(pieces);  // one call of the kernel
    peer.finish();                // our side ends; receiving goes on
}

rill::task<> main_task(char const* address) {
    rill::tcp::stream peer = co_await rill::tcp::connect(address);
    co_await write_both(peer);
    std::string const start = co_await first_bytes(peer);
    std::size_t const rest = co_await count_bytes(peer);
    std::printf("%zu bytes came\n", start.size() + rest);
}

int main(int argc, char** argv) {
    rill::run(main_task(argc > 1 ? argv[1] : "127.0.0.1:7000"));
}
