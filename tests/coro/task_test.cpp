// task, chain and operation: how frames run, how values and exceptions travel, how they are
// stopped.
#include "rill/coro/task.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "support/manual_executor.hpp"

using namespace rill;
using rill::test::manual_executor;
using rill::test::manual_operation;
using rill::test::root;

namespace {

task<int> ready_value(int value) {
    co_return value;
}

task<long> sum_of_ready(int count) {
    long sum = 0;
    for (int i = 0; i < count; ++i) sum += co_await ready_value(1);
    co_return sum;
}

task<int> deep(int level) {
    if (level == 0) co_return 0;
    int const below = co_await deep(level - 1);
    co_return below + 1;
}

task<int> throws(std::string text) {
    throw std::runtime_error(text);
    co_return 0;
}

task<std::string> catches() {
    std::string seen;
    try {
        static_cast<void>(co_await throws("broken"));
    } catch (std::runtime_error const& failure) {
        seen = failure.what();
    }
    co_return seen;
}

struct tracker {
    explicit tracker(std::vector<std::string>& log, std::string name)
        : log_(&log), name_(std::move(name)) {}
    tracker(tracker const&) = delete;
    tracker& operator=(tracker const&) = delete;
    ~tracker() { log_->push_back(name_); }
    std::vector<std::string>* log_;
    std::string name_;
};

task<int> inner(std::vector<std::string>& log, manual_operation*& place) {
    tracker const local(log, "inner");
    int const value = co_await manual_operation(&place);
    log.push_back("resumed");
    int const again = co_await manual_operation(&place);
    co_return value + again;
}

task<int> outer(std::vector<std::string>& log, manual_operation*& place) {
    tracker const local(log, "outer");
    int const value = co_await inner(log, place);
    co_return value;
}

}  // namespace

TEST_CASE("a million awaits of ready tasks need no stack") {
    manual_executor home;
    root main(home, [&] { return sum_of_ready(1'000'000); });
    home.drain();
    CHECK(main.take() == 1'000'000);
}

TEST_CASE("a hundred thousand nested awaits need no stack") {
    manual_executor home;
    root main(home, [&] { return deep(100'000); });
    home.drain();
    CHECK(main.take() == 100'000);
}

TEST_CASE("an exception reaches the awaiter through the task") {
    manual_executor home;
    root main(home, [&] { return catches(); });
    home.drain();
    CHECK(main.take() == "broken");
}

TEST_CASE("an operation suspends the whole line and its value resumes it") {
    manual_executor home;
    std::vector<std::string> log;
    manual_operation* place = nullptr;
    root main(home, [&] { return outer(log, place); });
    home.drain();
    REQUIRE(place != nullptr);
    CHECK(main.line().waiting_for() == place);
    place->finish(4);
    home.drain();
    REQUIRE(place != nullptr);
    place->finish(5);
    home.drain();
    CHECK(main.take() == 9);
}

TEST_CASE("a cancelled line is destroyed where it waits, children before parents, with no throw") {
    manual_executor home;
    std::vector<std::string> log;
    manual_operation* place = nullptr;
    root main(home, [&] { return outer(log, place); });
    home.drain();
    main.cancel();
    CHECK_FALSE(main.ended());
    home.drain();
    CHECK(main.stopped());
    CHECK(log == std::vector<std::string>{"inner", "outer"});
}

TEST_CASE("a line cancelled while its completed operation waits to run is stopped there") {
    manual_executor home;
    std::vector<std::string> log;
    manual_operation* place = nullptr;
    root main(home, [&] { return outer(log, place); });
    home.drain();
    place->finish(1);
    main.cancel();
    home.drain();
    CHECK(main.stopped());
    CHECK(log == std::vector<std::string>{"inner", "outer"});
}

namespace {

task<int> sees_cancellation(manual_operation*& place, std::vector<std::string>& log) {
    auto const first = co_await as_result(manual_operation(&place));
    log.push_back(first ? "value" : first.error().message());
    auto const second = co_await as_result(manual_operation(&place));
    log.push_back(second ? "value" : second.error().message());
    int const third = co_await manual_operation(&place);
    log.push_back("never");
    co_return third;
}

}  // namespace

TEST_CASE("as_result shows a cancellation as a value and the next plain await ends the line") {
    manual_executor home;
    std::vector<std::string> log;
    manual_operation* place = nullptr;
    root main(home, [&] { return sees_cancellation(place, log); });
    home.drain();
    main.cancel(cancel_reason::client_gone);
    home.drain();
    CHECK(main.stopped());
    CHECK(main.line().reason() == cancel_reason::client_gone);
    CHECK(log == std::vector<std::string>{"cancelled", "cancelled"});
}

namespace {

task<int> waits_in_two(manual_operation*& place, unsigned& inner_line, unsigned& outer_line) {
    auto inner_wait = [](manual_operation*& at, unsigned& line) -> task<int> {
        line = __LINE__ + 1;
        int const value = co_await manual_operation(&at);
        co_return value;
    };
    outer_line = __LINE__ + 1;
    int const value = co_await inner_wait(place, inner_line);
    co_return value;
}

}  // namespace

TEST_CASE("a waiting line can be walked from its operation up, with the place of each await") {
    manual_executor home;
    manual_operation* place = nullptr;
    unsigned inner_line = 0;
    unsigned outer_line = 0;
    root main(home, [&] { return waits_in_two(place, inner_line, outer_line); });
    home.drain();
    detail::promise_base const* const innermost = main.line().innermost();
    REQUIRE(innermost != nullptr);
    CHECK(innermost->where_.line() == inner_line);
    REQUIRE(innermost->parent_ != nullptr);
    CHECK(innermost->parent_->where_.line() == outer_line);
    CHECK(innermost->parent_->parent_ == nullptr);
    place->finish(1);
    home.drain();
    CHECK(main.take() == 1);
    CHECK(main.line().innermost() == nullptr);
}

TEST_CASE("a line that was cancelled ten thousand awaits deep is taken down on the stack it has") {
    manual_executor home;
    manual_operation* place = nullptr;
    struct nest {
        static task<int> deep(int level, manual_operation*& at) {
            if (level == 0) {
                int const value = co_await manual_operation(&at);
                co_return value;
            }
            int const below = co_await deep(level - 1, at);
            co_return below;
        }
    };
    root main(home, [&] { return nest::deep(10'000, place); });
    home.drain();
    main.cancel();
    home.drain();
    CHECK(main.stopped());
    CHECK(place == nullptr);
}
