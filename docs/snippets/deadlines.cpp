// A deadline of one wait, and one of all that is below it.
#include <rill/coro.hpp>
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>

using namespace std::chrono_literals;

rill::task<bool> answers(char const* address) {
    rill::tcp::stream peer = co_await rill::tcp::connect(address);
    co_await peer.write("ping\n");
    auto const reply = co_await peer.receive(rill::deadline_in(1s));  // of this one wait
    co_return reply.size() > 0;
}

rill::task<int> check(char const* address) {
    // Of everything below: connecting, writing and reading end when the two seconds are over.
    auto const outcome = co_await rill::as_result(rill::timeout(2s, answers(address)));
    if (!outcome) co_return 2;  // outcome.error() says why: refused, timed_out, reset
    co_return *outcome ? 0 : 1;
}

int main(int argc, char** argv) {
    return rill::run(check(argc > 1 ? argv[1] : "127.0.0.1:7000"));
}
