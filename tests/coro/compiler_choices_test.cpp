// Canary: `?:` beside and around awaits, as coroutines.md lists them. Where the chosen value is of
// class type, the program crashes on GCC 12.
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

// Read where the compiler must not know the choice in advance.
int volatile steps = 0;

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

task<std::string> text(char const* value) {
    probe const held;
    co_await suspension{};
    co_return std::string(40, '.') + value;
}

task<int> choose_by_await() {
    auto const n = co_await answer(true) ? 1 : 0;
    co_return n;
}

task<int> choose_string_by_await() {
    auto const s = co_await answer(true) ? std::string(42, 'a') : std::string("b");
    co_return static_cast<int>(s.size());
}

task<int> choose_argument() {
    bool const first = steps == 0;
    int const n = co_await number(first ? 1 : 2);
    co_return n;
}

task<int> choose_int() {
    bool const first = steps == 0;
    auto const n = first ? co_await number(1) : co_await number(2);
    co_return n;
}

task<int> choose_string() {
    bool const first = steps == 0;
    auto const s = first ? co_await text("ab") : co_await text("c");
    co_return static_cast<int>(s.size());
}

task<int> choose_string_without_local() {
    co_return static_cast<int>((steps == 0 ? co_await text("ab") : co_await text("c")).size());
}

task<int> choose_task() {
    bool const first = steps == 0;
    auto const n = co_await (first ? number(1) : number(2));
    co_return n;
}

}  // namespace

TEST_CASE("a choice of class type between two awaits is known to be broken on g++ 12.2") {
    canary::check_forms(std::array{
        form{"`k ? co_await a() : co_await b()` of int", choose_int, 1, need::relied_on},
        form{"`auto n = co_await x ? 1 : 0`", choose_by_await, 1, need::relied_on},
        form{"`auto s = co_await x ? string : string`", choose_string_by_await, 42,
             need::broken_gcc_12},
        form{"`co_await f(k ? 1 : 2)`", choose_argument, 1, need::relied_on},
        form{"`k ? co_await a() : co_await b()` of string", choose_string, 42, need::broken_gcc_12},
        form{"`k ? co_await a() : co_await b()` of string, without a local",
             choose_string_without_local, 42, need::broken_gcc_12},
        form{"`co_await (k ? a() : b())`", choose_task, 1, need::broken_gcc_12},
    });
}
