// Sorts standard input by a child process, with a time limit.
#include <rill/coro.hpp>
#include <rill/io/lines.hpp>
#include <rill/io/process.hpp>
#include <rill/rt.hpp>

#include <cstdio>
#include <string>
#include <vector>

using namespace std::chrono_literals;

rill::task<> feed(rill::process& child) {
    rill::lines input(rill::standard_input());
    while (auto line = co_await input.next()) {
        std::string const whole = std::string(*line) + "\n";
        co_await child.input().write(whole);
    }
    child.input().finish();  // the child waits for the end of its input
}

rill::task<> show(rill::process& child) {
    rill::lines output(child.output().bytes_of());
    while (auto line = co_await output.next()) std::printf("%s\n", std::string(*line).c_str());
}

rill::task<int> sort() {
    std::vector<std::string> const command{"sort"};
    auto child = co_await rill::process::start(
        command, {.input = rill::stdio::pipe(), .output = rill::stdio::pipe()});
    co_await rill::when_all(feed(child), show(child));
    rill::exit_status const how = co_await child.wait_or_stop(5s);  // asked to end, then killed
    co_return how.success() ? 0 : 1;
}

int main() {
    return rill::run(sort());
}
