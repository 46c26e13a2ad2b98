// Canary: destroying frames at their suspension points, from the outermost inwards. This is how a
// cancellation travels in rill: every destructor runs once, children before parents.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/canary_form.hpp"

namespace {

using canary::executor;
using canary::probe;
using canary::suspension;
using canary::task;

/// Levels of the objects that were destroyed, in order. What was moved from is counted, not listed.
std::vector<int> destroyed;

class mark {
public:
    explicit mark(int level) : level_(level) {}
    mark(mark const&) = default;
    mark(mark&& other) noexcept
        : level_(std::exchange(other.level_, 0)), held_(std::move(other.held_)) {}
    mark& operator=(mark const&) = delete;
    mark& operator=(mark&&) = delete;
    ~mark() {
        if (level_ != 0) destroyed.push_back(level_);
    }
    [[nodiscard]] int level() const { return level_; }

private:
    int level_;
    probe held_;
};

/// An awaiter with a destructor of its own.
class marked_suspension : public suspension {
public:
    explicit marked_suspension(int level) : held_(level) {}
    int await_resume() const { return held_.level(); }

private:
    mark held_;
};

// The operands beside an await may be made before or after the awaited task, so that their place in
// the order is open: they are counted only.
int add(probe const& a, int b, probe const& c) {
    return a.value + b + c.value;
}

// Four suspensions.
task<int> inner(mark parameter, std::string const& name) {
    mark const local(3);
    co_await suspension{};
    {
        mark const scoped(3);
        co_await marked_suspension(3);
    }
    std::string const longer = name + std::string(40, 'n');
    for (int i = 0; i < 2; ++i) {
        mark const turn(3);
        co_await suspension{};
    }
    co_return parameter.level() + static_cast<int>(longer.size());
}

// Two suspensions of its own and four twice below it.
task<int> middle(mark parameter, mark const& borrowed) {
    mark const local(2);
    int sum = 0;
    try {
        sum += co_await marked_suspension(2);
        sum += add(probe(2), co_await inner(mark(3), std::string(50, 'x') + "y"), probe(2));
    } catch (...) {
        sum = -1000;
    }
    mark const second(2);
    sum += co_await inner(mark(3), "short");
    co_await suspension{};
    co_return sum + parameter.level() + borrowed.level();
}

// Two suspensions of its own: twelve in all.
task<int> outer() {
    mark const local(1);
    co_await suspension{};
    int const result = co_await middle(mark(2), mark(1)) + probe(1).value;
    mark const last(1);
    co_await marked_suspension(1);
    co_return result;
}

constexpr int suspensions = 12;
constexpr int value_of_outer = 2 + (2 + 3 + 51 + 40 + 2) + (3 + 5 + 40) + 2 + 1 + 1;

void forget() {
    destroyed.clear();
    probe::reset();
}

void check_destroyed_once() {
    CHECK(probe::alive() == 0);
    CHECK(probe::strays() == 0);
}

void check_children_first() {
    std::string order;
    for (int const level : destroyed) order += std::to_string(level);
    CAPTURE(order);
    CHECK(std::is_sorted(destroyed.begin(), destroyed.end(), std::greater<>()));
}

/// Steps through `count` suspensions after the first.
void advance(executor& home, int count) {
    for (int i = 0; i < count; ++i) {
        REQUIRE_FALSE(home.idle());
        home.step();
    }
}

/// Awaits a task that another party may stop: the waiter is resumed while the task still waits, and
/// the end of the awaiting expression destroys the task's frame where it stands.
class stoppable {
public:
    explicit stoppable(task<int>&& inner) : inner_(inner) {}
    stoppable(stoppable&&) = delete;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) {
        waiter_ = waiter;
        current = this;
        inner_.await_suspend(waiter);
    }
    std::optional<int> await_resume() {
        current = nullptr;
        if (!inner_.done()) return std::nullopt;
        return inner_.await_resume();
    }

    /// Drops the operation that the innermost frame waits for, then resumes the waiter.
    static void stop(executor& home) {
        home.clear();
        home.schedule(current->waiter_);
    }

    static inline stoppable* current = nullptr;

private:
    task<int>& inner_;
    std::coroutine_handle<> waiter_;
};

task<int> scope() {
    mark const before(1);
    auto const result = co_await stoppable(outer());
    mark const after(1);
    co_await suspension{};
    co_return result.value_or(-1);
}

}  // namespace

TEST_CASE("three levels of tasks that run to their end destroy every object once") {
    forget();
    {
        executor home;
        auto root = outer();
        root.start(home);
        advance(home, suspensions);
        REQUIRE(home.idle());
        REQUIRE(root.done());
        CHECK(root.result() == value_of_outer);
    }
    check_destroyed_once();
}

// coroutines.md, "How a cancellation travels".
TEST_CASE("destroying the outermost frame at any suspension destroys every object once") {
    for (int at = 0; at < suspensions; ++at) {
        CAPTURE(at);
        forget();
        executor home;
        {
            auto root = outer();
            root.start(home);
            advance(home, at);
            REQUIRE_FALSE(root.done());
            destroyed.clear();
        }
        check_destroyed_once();
        check_children_first();
        CHECK_FALSE(destroyed.empty());
    }
}

TEST_CASE("a task that was never started is destroyed with its parameters") {
    forget();
    {
        mark const borrowed(1);
        auto const root = middle(mark(2), borrowed);
        CHECK_FALSE(root.done());
    }
    check_destroyed_once();
}

TEST_CASE("a scope that stops its child at any suspension destroys the child and goes on") {
    for (int at = 0; at < suspensions; ++at) {
        CAPTURE(at);
        forget();
        {
            executor home;
            auto root = scope();
            root.start(home);
            advance(home, at);
            REQUIRE(stoppable::current != nullptr);
            destroyed.clear();
            stoppable::stop(home);
            home.step();
            check_children_first();
            REQUIRE_FALSE(root.done());
            home.run();
            REQUIRE(root.done());
            CHECK(root.result() == -1);
        }
        check_destroyed_once();
    }
}

TEST_CASE("a scope whose child finishes first gets its value") {
    forget();
    {
        executor home;
        auto root = scope();
        root.start(home);
        home.run();
        REQUIRE(root.done());
        CHECK(root.result() == value_of_outer);
    }
    check_destroyed_once();
}
