// A library with threads and callbacks of its own, awaited.
#include <rill/coro.hpp>
#include <rill/rt.hpp>

#include <cstdio>
#include <thread>

using namespace std::chrono_literals;

// Such as a C library has it: `done` is called later, once, on any thread.
std::jthread start_measuring(void (*done)(void* context, double value), void* context) {
    return std::jthread([=] { done(context, 36.6); });
}

rill::task<> measure() {
    rill::completion<double> answer;
    auto const device = start_measuring(
        [](void* context, double value) {
            auto done = rill::completer<double>::from_pointer(context);
            done.complete(value);
        },
        answer.completer().to_pointer());
    // A wait that ends early leaves the callback in order: the value is dropped when it comes.
    double const value = co_await rill::timeout(10s, answer.wait());
    std::printf("%.1f\n", value);
}

int main() {
    rill::run(measure());
}
