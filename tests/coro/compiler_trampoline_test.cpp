// Canary: synchronous awaits through a loop keep the stack flat in every build, exceptions pass
// through it, and a root is destroyed by it. Symmetric transfer is measured beside it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "support/canary_form.hpp"

namespace {

using canary::executor;
using canary::probe;
using canary::suspension;
using canary::task;

/// How far apart the stack's ends were at the calls of `note`.
struct stack_extent {
    [[gnu::noinline]] void note() {
        auto const here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
        lowest = std::min(lowest, here);
        highest = std::max(highest, here);
    }
    [[nodiscard]] std::size_t bytes() const { return highest - lowest; }

    std::uintptr_t lowest = UINTPTR_MAX;
    std::uintptr_t highest = 0;
};

constexpr std::size_t flat = 4096;

stack_extent extent;

task<int> one() {
    extent.note();
    co_return 1;
}

task<int> count(int times) {
    int sum = 0;
    for (int i = 0; i < times; ++i) {
        sum += co_await one();
        extent.note();
    }
    co_return sum;
}

task<int> descend(int depth) {
    extent.note();
    if (depth == 0) co_return 0;
    int const below = co_await descend(depth - 1);
    extent.note();
    co_return below + 1;
}

task<int> fail() {
    probe const held;
    co_await suspension{};
    throw std::runtime_error("from the third level");
}

task<int> pass_on() {
    probe const held;
    int const result = co_await fail();
    co_return result;
}

task<std::string> catch_it() {
    probe const held;
    std::string caught;
    try {
        probe const inner;
        co_await pass_on();
    } catch (std::runtime_error const& error) {
        caught = error.what();
    }
    co_await suspension{};
    co_return caught;
}

canary::detached run_root(int& result) {
    probe const held;
    int const first = co_await count(2);
    co_await suspension{};
    result = first + co_await count(3);
}

struct notes_stack {
    notes_stack() = default;
    notes_stack(notes_stack const&) = delete;
    notes_stack& operator=(notes_stack const&) = delete;
    ~notes_stack() { extent.note(); }
};

task<int> wait_below(int depth) {
    notes_stack const note;
    if (depth == 0) {
        co_await suspension{};
        co_return 0;
    }
    int const below = co_await wait_below(depth - 1);
    co_return below;
}

/// The alternative: `await_suspend` returns the next handle, and the compiler has to jump to it.
class symmetric {
public:
    struct promise_type {
        struct final_awaiter {
            [[nodiscard]] bool await_ready() const noexcept { return false; }
            std::coroutine_handle<> await_suspend(
                std::coroutine_handle<promise_type> self) const noexcept {
                return self.promise().continuation;
            }
            void await_resume() const noexcept {}
        };
        symmetric get_return_object() noexcept {
            return symmetric(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
        [[nodiscard]] final_awaiter final_suspend() const noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
        std::coroutine_handle<> continuation = std::noop_coroutine();
    };

    symmetric(symmetric&&) = delete;
    ~symmetric() { frame_.destroy(); }
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) const noexcept {
        frame_.promise().continuation = waiter;
        return frame_;
    }
    void await_resume() const noexcept {}
    void start() const { frame_.resume(); }
    [[nodiscard]] bool done() const { return frame_.done(); }

private:
    explicit symmetric(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
    std::coroutine_handle<promise_type> frame_;
};

symmetric symmetric_one() {
    extent.note();
    co_return;
}

symmetric symmetric_count(int times) {
    // Well below the stack's limit: where the transfer is no jump, every turn adds two frames.
    for (int i = 0; i < times && extent.bytes() < 64 * flat; ++i) co_await symmetric_one();
}

}  // namespace

// coroutines.md: "a test awaits a million ready tasks in every build type".
TEST_CASE("a million synchronous awaits in a loop keep the stack flat") {
    extent = {};
    executor home;
    auto root = count(1'000'000);
    root.start(home);
    REQUIRE(root.done());
    CHECK(root.result() == 1'000'000);
    CHECK(extent.bytes() < flat);
}

TEST_CASE("a recursion of 100,000 awaits keeps the stack flat") {
    extent = {};
    executor home;
    auto root = descend(100'000);
    root.start(home);
    REQUIRE(root.done());
    CHECK(root.result() == 100'000);
    CHECK(extent.bytes() < flat);
}

TEST_CASE("an exception passes three levels of awaits and destroys what they hold") {
    probe::reset();
    {
        executor home;
        auto root = catch_it();
        root.start(home);
        home.run();
        REQUIRE(root.done());
        CHECK(root.result() == "from the third level");
    }
    CHECK(probe::alive() == 0);
    CHECK(probe::strays() == 0);
}

TEST_CASE("an exception that nobody catches is kept for whoever asks for the result") {
    probe::reset();
    {
        executor home;
        auto root = pass_on();
        root.start(home);
        home.run();
        REQUIRE(root.done());
        CHECK_THROWS_AS(root.result(), std::runtime_error);
    }
    CHECK(probe::alive() == 0);
    CHECK(probe::strays() == 0);
}

TEST_CASE("a root frame that nobody owns is destroyed by the loop after its final suspension") {
    probe::reset();
    executor home;
    int result = 0;
    run_root(result).start(home);
    CHECK(probe::alive() == 1);
    home.run();
    CHECK(result == 5);
    CHECK(probe::alive() == 0);
    CHECK(probe::strays() == 0);
}

// Frames are destroyed inside one another, so a chain of awaits costs stack when it is cancelled.
TEST_CASE("destroying a chain of 1000 waiting frames costs less than 1 KiB of stack a level") {
    constexpr int depth = 1000;
    extent = {};
    {
        executor home;
        auto root = wait_below(depth);
        root.start(home);
        CHECK_FALSE(root.done());
    }
    std::printf("compiler %s: destroying waiting frames takes %zu bytes of stack a level\n",
                canary::compiler_name().c_str(), extent.bytes() / depth);
    CHECK(extent.bytes() < depth * 1024);
}

// Only reported: no rule says in which build a compiler jumps, so rill does without.
TEST_CASE("whether symmetric transfer keeps the stack flat is reported") {
    extent = {};
    auto const root = symmetric_count(100'000);
    root.start();
    std::printf("compiler %s: symmetric transfer %s\n", canary::compiler_name().c_str(),
                extent.bytes() < flat ? "keeps the stack flat" : "grows the stack");
    CHECK(root.done());
}
