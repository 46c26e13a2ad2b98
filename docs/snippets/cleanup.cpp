#include <rill/coro/shield.hpp>
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>

using namespace std::chrono_literals;

rill::task<> talk(rill::tcp::stream& peer) {
    for (;;) {
        co_await rill::sleep(1s);
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

rill::task<> main_task() {
    rill::tcp::stream peer = co_await rill::tcp::connect("127.0.0.1:7000");
    auto const outcome = co_await rill::as_result(rill::timeout(5s, session(peer)));
    if (!outcome) co_await rill::tcp::close_gracefully(peer);
}

int main() {
    rill::run(main_task());
}
