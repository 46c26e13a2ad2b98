// A part that always says goodbye, also when its time is over.
#include <rill/coro.hpp>
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>

using namespace std::chrono_literals;

rill::task<> talk(rill::tcp::stream& peer) {
    for (;;) {
        co_await rill::sleep(10ms);
        co_await peer.write("tick\n");
    }
}

rill::task<> say_goodbye(rill::tcp::stream& peer) {
    co_await peer.write("bye\n");
}

rill::task<> session(rill::tcp::stream& peer) {
    // Clean-up that needs no wait belongs into destructors. This one waits, so it is named:
    co_await rill::finally(talk(peer), say_goodbye(peer));
}

rill::task<> main_task(char const* address) {
    rill::tcp::stream peer = co_await rill::tcp::connect(address);
    auto const outcome = co_await rill::as_result(rill::timeout(100ms, session(peer)));
    if (outcome.error() == rill::errc::timed_out) co_await rill::tcp::close_gracefully(peer);
}

int main(int argc, char** argv) {
    rill::run(main_task(argc > 1 ? argv[1] : "127.0.0.1:7000"));
}
