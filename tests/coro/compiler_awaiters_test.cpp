// Canary: awaiters that rill is made of: immovable, virtual, refusing to suspend, and
// knowing the line they were awaited at.
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <source_location>

#include "support/canary_form.hpp"

namespace {

using canary::form;
using canary::need;
using canary::probe;
using canary::suspension;
using canary::task;

task<int> number(int value) {
    probe const held;
    co_await suspension{};
    co_return value;
}

// Immovable awaitables, returned and passed on as prvalues.

class operation {
public:
    explicit operation(int value) : self_(this), held_(value) {}
    operation(operation&&) = delete;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) {
        suspension{}.await_suspend(waiter);
    }
    [[nodiscard]] int await_resume() const noexcept { return self_ == this ? held_.value : -1; }

private:
    operation* self_;
    probe held_;
};

operation read(int value) {
    return operation(value);
}

struct stream {
    probe held;
    [[nodiscard]] operation read() const { return operation(held.value); }
};

stream body(int value) {
    return stream{probe(value)};
}

task<int> immovable() {
    int const a = co_await read(2);
    int const b = co_await operation(3);
    co_return a + b;
}

task<int> chained() {
    int const result = co_await body(5).read();
    co_return result;
}

task<int> named_operation() {
    auto pending = read(5);
    int const result = co_await pending;
    co_return result;
}

task<int> when_both(task<int>&& a, task<int>&& b) {
    int const first = co_await a;
    int const second = co_await b;
    co_return first + second;
}

task<int> tasks_by_reference() {
    int const result = co_await when_both(number(2), number(3));
    co_return result;
}

/// An adapter that is no coroutine: it holds on to a task that lives in the awaiting expression.
class as_negative {
public:
    explicit as_negative(task<int>&& inner) : inner_(inner) {}
    as_negative(as_negative&&) = delete;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) {
        inner_.await_suspend(waiter);
    }
    int await_resume() { return -inner_.await_resume(); }

private:
    task<int>& inner_;
};

task<int> task_in_adapter() {
    int const result = co_await as_negative(number(5));
    co_return result;
}

/// An adapter with an `operator co_await` that returns an immovable awaiter.
class doubled {
public:
    explicit doubled(int value) : held_(value) {}
    operation operator co_await() && { return operation(held_.value * 2); }

private:
    probe held_;
};

task<int> operator_await() {
    int const result = co_await doubled(3);
    co_return result;
}

// Virtual functions: the scheduler completes an operation without knowing its type.

class completable {
public:
    completable() = default;
    completable(completable&&) = delete;
    virtual void complete(int value) = 0;

protected:
    ~completable() = default;
};

completable* waiting = nullptr;

class virtual_operation final : public completable {
public:
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) {
        waiter_ = waiter;
        home_ = waiter.promise().home;
        waiting = this;
    }
    int await_resume() { return result_.value; }
    void complete(int value) override {
        result_.value = value;
        home_->schedule(waiter_);
    }

private:
    std::coroutine_handle<> waiter_;
    canary::executor* home_ = nullptr;
    probe result_;
};

task<int> await_virtual() {
    int sum = 0;
    for (int i = 0; i < 3; ++i) sum += co_await virtual_operation();
    co_return sum;
}

// `await_suspend` that does not suspend after all, and changes what lives in the frame.

class refusing {
public:
    refusing(int& local, bool suspend) : local_(local), suspend_(suspend) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiter) {
        ++local_;
        own_ += 10;
        if (!suspend_) return false;
        suspension{}.await_suspend(waiter);
        return true;
    }
    int await_resume() { return own_ + ++local_; }

private:
    int& local_;
    int own_ = 0;
    bool suspend_;
};

task<int> refuses_to_suspend() {
    int local = 0;
    probe const held;
    int sum = 0;
    for (int i = 0; i < 1000; ++i) {
        sum += co_await refusing(local, i % 3 == 0);
        if (local != 2 * (i + 1)) co_return -1;
    }
    co_return sum;
}

task<int> keeps_registers() {
    int a = 1;
    int b = 2;
    int c = 3;
    int touched = 0;
    for (int i = 0; i < 10; ++i) {
        a += b;
        int const r = co_await refusing(touched, false);
        b += c + r - r;
        c += a + touched - touched;
    }
    co_return touched == 20 ? (a ^ b ^ c) & 0 : 1;
}

}  // namespace

TEST_CASE("immovable awaitables, adapters and chains of temporaries live until the await ends") {
    constexpr auto relied_on = need::relied_on;
    canary::check_forms(std::array{
        form{"immovable prvalue `co_await read(n)`", immovable, 5, relied_on},
        form{"`co_await body().read()`", chained, 5, relied_on},
        form{"`auto op = read(n); co_await op`", named_operation, 5, relied_on},
        form{"`co_await when_all(a(), b())` by rvalue reference", tasks_by_reference, 5, relied_on},
        form{"`co_await adapter(task())`", task_in_adapter, -5, relied_on},
        form{"`operator co_await` with an immovable awaiter", operator_await, 6, relied_on},
        form{"`bool await_suspend` that returns false", refuses_to_suspend, 1011000, relied_on},
        form{"`bool await_suspend` inlined, values kept", keeps_registers, 0, relied_on},
    });
}

TEST_CASE("an awaiter with virtual functions is completed through its base while in the frame") {
    probe::reset();
    {
        canary::executor home;
        auto root = await_virtual();
        root.start(home);
        for (int const value : {20, 20, 2}) {
            REQUIRE(waiting != nullptr);
            std::exchange(waiting, nullptr)->complete(value);
            home.run();
        }
        REQUIRE(root.done());
        CHECK(root.result() == 42);
    }
    CHECK(probe::alive() == 0);
    CHECK(probe::strays() == 0);
}

namespace {

task<int> innermost() {
    co_await suspension{};
    co_return 1;
}

unsigned line_of_await = 0;

task<int> outermost() {
    line_of_await = __LINE__ + 1;
    int const result = co_await innermost();
    co_return result;
}

}  // namespace

// The await chains that rill prints name the line of each await.
TEST_CASE("a source_location defaulted in await_suspend names the line of the co_await") {
    canary::executor home;
    auto root = outermost();
    root.start(home);
    std::source_location const place = root.promise().awaited_at;
    CHECK(place.line() == line_of_await);
    CHECK(std::strstr(place.file_name(), "compiler_awaiters_test.cpp") != nullptr);
    std::printf("compiler %s: function_name() in await_suspend is %s\n",
                canary::compiler_name().c_str(), place.function_name());
    home.run();
    CHECK(root.done());
}
