// Ten tasks side by side, and a place for the result of each.
#include <rill/coro.hpp>
#include <rill/rt.hpp>

#include <cstdio>
#include <functional>
#include <vector>

using namespace std::chrono_literals;

rill::task<> square(int of, int& into) {
    co_await rill::sleep(1ms);
    into = of * of;
}

rill::task<> squares(std::vector<int>& results) {
    co_await rill::with_task_group([&](rill::task_group& group) -> rill::task<> {
        for (int i = 0; i < 10; ++i)
            group.spawn(square, i, std::ref(results[static_cast<std::size_t>(i)]));
        co_return;
    });
    // Here all children have ended, whatever happened.
}

int main() {
    std::vector<int> results(10);
    rill::run(squares(results));
    for (int each : results) std::printf("%d\n", each);
}
