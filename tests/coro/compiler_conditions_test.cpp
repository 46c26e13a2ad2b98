// Canary: awaits inside conditions and initialisers, as coroutines.md lists them.
// GCC PR106188: a condition that awaits, in a body without a local at its top level, is lost.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "support/canary_form.hpp"

namespace {

using canary::form;
using canary::need;
using canary::probe;
using canary::suspension;
using canary::task;

// Bodies without a local have no other place to count their steps.
int steps = 0;

template <task<int> (*Body)()>
task<int> from_zero() {
    steps = 0;
    return Body();
}

task<bool> answer(bool value) {
    probe const held;
    co_await suspension{};
    co_return value;
}

task<int> number(int value) {
    probe const held;
    co_await suspension{};
    co_return value;
}

task<bool> below(int& counter, int limit) {
    probe const held;
    co_await suspension{};
    co_return counter++ < limit;
}

task<std::string> text(char const* value) {
    probe const held;
    co_await suspension{};
    co_return std::string(40, '.') + value;
}

/// A result that owns something and can be empty, as a lease on received bytes does.
struct lease {
    explicit operator bool() const { return bytes.value != 0; }
    probe bytes;
};

task<lease> receive(int& left) {
    probe const held;
    co_await suspension{};
    co_return lease{probe(left == 0 ? 0 : left--)};
}

// Bodies without a local at the top level.

task<int> bare_if() {
    if (co_await answer(true)) co_return 1;
    co_return 0;
}

task<int> bare_if_not() {
    if (!co_await answer(false)) co_return 1;
    co_return 0;
}

task<int> bare_if_else() {
    if (co_await answer(false)) {
        co_return 0;
    } else {
        co_return 1;
    }
}

task<int> bare_while() {
    while (co_await below(steps, 3)) {
    }
    co_return steps;
}

task<int> bare_for() {
    for (; co_await below(steps, 3);) {
    }
    co_return steps;
}

task<int> bare_do() {
    do {
    } while (co_await below(steps, 3));
    co_return steps;
}

task<int> bare_switch() {
    switch (co_await number(2)) {
        case 2:
            co_return 1;
        default:
            co_return 0;
    }
}

task<int> bare_later() {
    co_await suspension{};
    if (co_await answer(true)) co_return 1;
    co_return 0;
}

task<int> bare_nested() {
    for (int i = 0; i < 3; ++i) {
        if (co_await answer(true)) ++steps;
    }
    co_return steps;
}

task<int> bare_with_parameter(int expected) {
    if (co_await answer(true)) co_return expected;
    co_return 0;
}

task<int> parameter_only() {
    return bare_with_parameter(1);
}

// The same with a local at the top level.

task<int> local_if() {
    int result = 0;
    if (co_await answer(true)) result = 1;
    co_return result;
}

task<int> local_if_not() {
    int result = 0;
    if (!co_await answer(false)) result = 1;
    co_return result;
}

task<int> local_while() {
    int count = 0;
    while (co_await below(count, 3)) {
    }
    co_return count;
}

task<int> local_for() {
    int count = 0;
    for (; co_await below(count, 3);) {
    }
    co_return count;
}

task<int> local_do() {
    int count = 0;
    do {
    } while (co_await below(count, 3));
    co_return count;
}

task<int> local_switch() {
    int result = 0;
    switch (co_await number(2)) {
        case 2:
            result = 1;
            break;
        default:
            break;
    }
    co_return result;
}

task<int> local_after_condition() {
    if (co_await answer(false)) co_return 0;
    int const result = co_await number(1);
    co_return result;
}

task<int> named_first() {
    bool const open = co_await answer(true);
    if (!open) co_return 0;
    auto const value = co_await number(1);
    switch (value) {
        case 1:
            co_return 1;
        default:
            co_return 0;
    }
}

// Declarations in conditions.

task<int> if_declaration() {
    if (auto n = co_await number(1)) co_return n;
    co_return 0;
}

task<int> if_initialiser() {
    if (auto n = co_await number(7); n > 6) co_return n;
    co_return 0;
}

task<int> if_lease() {
    steps = 5;
    if (auto bytes = co_await receive(steps)) co_return bytes.bytes.value;
    co_return 0;
}

task<int> while_declaration() {
    steps = 3;
    while (auto n = co_await number(steps)) steps = n - 1;
    co_return steps;
}

task<int> write(probe const& bytes, int& sum) {
    co_await suspension{};
    sum += bytes.value;
    co_return sum;
}

task<int> while_lease() {
    int left = 4;
    int sum = 0;
    while (auto bytes = co_await receive(left)) co_await write(bytes.bytes, sum);
    co_return sum;
}

task<int> bare_while_lease() {
    steps = 4;
    while (auto bytes = co_await receive(steps)) co_await suspension{};
    co_return steps;
}

task<int> range_for() {
    int sum = 0;
    for (auto c : co_await text("12")) sum += c == '.' ? 0 : c - '0';
    co_return sum;
}

task<int> await_in_range_for() {
    int sum = 0;
    for (int const n : std::array{1, 2, 3}) sum += co_await number(n);
    co_return sum;
}

task<int> and_initialiser() {
    bool const a = true;
    bool const both = a && co_await answer(true);
    bool const neither = !a && co_await answer(true);
    co_return both && !neither ? 1 : 0;
}

task<int> or_of_awaits() {
    bool const any = co_await answer(false) || co_await answer(true);
    co_return any ? 1 : 0;
}

task<int> and_of_awaits_returned() {
    co_return co_await answer(true) && co_await answer(true) ? 1 : 0;
}

}  // namespace

// coroutines.md, "Compiler traps", first row, and "Tried on g++ 12.2.0", first four rows.
TEST_CASE("a condition that awaits in a body without a local is known to be lost on g++ 12.2") {
    constexpr auto broken = need::broken_gcc_12;
    canary::check_forms(std::array{
        form{"`if (co_await x)` without a local", bare_if, 1, broken},
        form{"`if (!co_await x)` without a local", bare_if_not, 1, broken},
        form{"`if (co_await x) {} else {}` without a local", bare_if_else, 1, broken},
        form{"`while (co_await x)` without a local", from_zero<bare_while>, 4, broken},
        form{"`for (; co_await x;)` without a local", from_zero<bare_for>, 4, broken},
        form{"`do {} while (co_await x)` without a local", from_zero<bare_do>, 4, broken},
        form{"`switch (co_await x)` without a local", bare_switch, 1, broken},
        form{"`if (co_await x)` after a statement, without a local", bare_later, 1, broken},
        form{"`if (co_await x)` in a `for`, without a local", from_zero<bare_nested>, 3,
             need::unused},
        form{"`if (co_await x)` with a parameter, without a local", parameter_only, 1, broken},
    });
}

TEST_CASE("a condition that awaits is right where the body has a local at its top level") {
    canary::check_forms(std::array{
        form{"`if (co_await x)` with a local", local_if, 1, need::unused},
        form{"`if (!co_await x)` with a local", local_if_not, 1, need::unused},
        form{"`while (co_await x)` with a local", local_while, 4, need::unused},
        form{"`for (; co_await x;)` with a local", local_for, 4, need::unused},
        form{"`do {} while (co_await x)` with a local", local_do, 4, need::unused},
        form{"`switch (co_await x)` with a local", local_switch, 1, need::unused},
        form{"`if (co_await x)` with a local after it", local_after_condition, 1, need::unused},
    });
}

TEST_CASE("an awaited value that gets a name first is right on every compiler") {
    constexpr auto relied_on = need::relied_on;
    canary::check_forms(std::array{
        form{"`bool const b = co_await x; if (b)`", named_first, 1, relied_on},
        form{"`if (auto n = co_await x)`", if_declaration, 1, relied_on},
        form{"`if (auto n = co_await x; n > 6)`", if_initialiser, 7, relied_on},
        form{"`if (auto lease = co_await x)`", if_lease, 5, relied_on},
        form{"`while (auto n = co_await x)`", while_declaration, 0, relied_on},
        form{"`while (auto lease = co_await x) co_await y`", while_lease, 10, relied_on},
        form{"`while (auto lease = co_await x)` without a local", bare_while_lease, 0, relied_on},
        form{"`for (auto c : co_await x)`", range_for, 3, relied_on},
        form{"`for (auto n : list) co_await x`", await_in_range_for, 6, relied_on},
        form{"`bool const b = a && co_await x`", and_initialiser, 1, relied_on},
        form{"`bool const b = co_await x || co_await y`", or_of_awaits, 1, relied_on},
        form{"`co_return co_await x && co_await y ? 1 : 0`", and_of_awaits_returned, 1,
             need::relied_on},
    });
}
