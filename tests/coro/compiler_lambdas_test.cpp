// Canary: lambda temporaries in the full expression of an await, as coroutines.md lists them.
// GCC PR100611: by-value captures with destructors are destroyed twice.
#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "support/canary_form.hpp"

namespace {

using canary::form;
using canary::need;
using canary::probe;
using canary::suspension;
using canary::task;

template <typename Function>
task<int> call(Function function) {
    co_await suspension{};
    co_return function();
}

task<int> call_function(std::function<int()> function) {
    co_await suspension{};
    co_return function();
}

template <typename Function>
task<int> await_call(Function function) {
    co_await suspension{};
    int const result = co_await function();
    co_return result;
}

task<int> lambda_by_value() {
    probe const p(2);
    int c = 3;
    int const result = co_await call([c, p] { return c + p.value; });
    co_return result;
}

task<int> lambda_shared_pointer() {
    auto const p = std::make_shared<probe>(5);
    int const result = co_await call([p] { return p->value; });
    // A second destruction of the capture would have taken this count, and the probe, away.
    co_return p.use_count() == 1 ? result : 0;
}

task<int> lambda_string() {
    std::string const s(42, 's');
    int const result = co_await call([s] { return static_cast<int>(s.size()); });
    co_return result;
}

task<int> lambda_moved_in() {
    probe p(5);
    int const result = co_await call([p = std::move(p)] { return p.value; });
    co_return result;
}

task<int> lambda_function() {
    probe const p(5);
    int const result = co_await call_function([p] { return p.value; });
    co_return result;
}

task<int> lambda_by_reference() {
    probe const p(2);
    int c = 3;
    int const result = co_await call([&] { return c + p.value; });
    co_return result;
}

task<int> lambda_trivial() {
    int c = 2;
    int d = 3;
    int const result = co_await call([c, d] { return c + d; });
    co_return result;
}

task<int> lambda_named() {
    probe const p(2);
    int c = 3;
    auto add = [c, p] { return c + p.value; };
    int const result = co_await call(std::move(add));
    co_return result;
}

task<int> lambda_coroutine() {
    probe const p(2);
    int c = 3;
    int const result = co_await await_call([&]() -> task<int> {
        probe const inner(c);
        co_await suspension{};
        co_return inner.value + p.value;
    });
    co_return result;
}

}  // namespace

// coroutines.md, "Compiler traps", second row.
TEST_CASE("a lambda temporary that owns what it captures is known to be broken on g++ 12.2") {
    canary::check_forms(std::array{
        form{"`co_await f([c, p] {})`, p with a destructor", lambda_by_value, 5,
             need::broken_gcc_12},
        form{"`co_await f([p] {})`, p a shared_ptr", lambda_shared_pointer, 5, need::broken_gcc_12},
        form{"`co_await f([s] {})`, s a string", lambda_string, 42, need::broken_gcc_12},
        form{"`co_await f([p = std::move(p)] {})`", lambda_moved_in, 5, need::broken_gcc_12},
        form{"`co_await f([p] {})` for a std::function", lambda_function, 5, need::broken_gcc_12},
        form{"`co_await f([&] {})`", lambda_by_reference, 5, need::relied_on},
        form{"`co_await f([c] {})`, c trivial", lambda_trivial, 5, need::relied_on},
        form{"`co_await f(std::move(named_lambda))`", lambda_named, 5, need::relied_on},
        form{"`co_await f([&]() -> task<int> {})`", lambda_coroutine, 5, need::relied_on},
    });
}
