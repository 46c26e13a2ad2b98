// Tasks that run side by side: a group that is joined, a ticker, and deadlines that cancel.
// Run: ./timers_and_groups   (no network; ends by itself)
#include <rill/coro.hpp>
#include <rill/rt.hpp>

#include <cstdio>

using namespace std::chrono_literals;

rill::task<> count_down(char const* name, int from, rill::duration step) {
    rill::ticker every(step);
    for (int left = from; left > 0; --left) {
        co_await every.next();
        std::printf("%s %d\n", name, left);
    }
}

rill::task<> never_done() {
    struct on_exit {
        ~on_exit() { std::puts("cancelled: destructors run, no exception is thrown"); }
    } const cleanup;
    for (;;) co_await rill::sleep(1h);
}

rill::task<> all() {
    // Both children have ended when this line has; a failure of one would cancel the other.
    co_await rill::with_task_group([](rill::task_group& group) -> rill::task<> {
        group.spawn(count_down, "slow", 2, 50ms);
        group.spawn(count_down, "fast", 4, 10ms);
        co_return;
    });

    auto const first = co_await rill::when_any(rill::sleep(20ms), rill::sleep(10ms));
    std::printf("the wait with index %zu was first\n", first.index);

    auto const in_time = co_await rill::as_result(rill::timeout(10ms, never_done()));
    std::printf("with a deadline: %s\n", in_time ? "done" : in_time.error().message().c_str());
}

int main() {
    rill::run(all());
}
