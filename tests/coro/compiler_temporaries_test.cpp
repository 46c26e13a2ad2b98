// Canary: temporaries in the full expression of an await, as coroutines.md lists them.
// GCC PR100611 and PR101367: aggregates with destructors are destroyed twice.
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/canary_form.hpp"

namespace {

using canary::form;
using canary::need;
using canary::probe;
using canary::suspension;
using canary::task;

struct owning {
    int n = 0;
    probe held = probe();
};

struct options {
    int n = 0;
    std::string_view name = {};
    std::chrono::milliseconds wait = {};
};
static_assert(std::is_trivially_destructible_v<options>);

class constructed {
public:
    explicit constructed(int number) : n(number) {}
    int n;
    probe held;
};

task<int> by_value(owning from) {
    co_await suspension{};
    co_return from.n;
}

task<int> by_reference(owning const& from) {
    co_await suspension{};
    co_return from.n;
}

task<int> with_options(options from) {
    probe const held;
    co_await suspension{};
    co_return from.n + static_cast<int>(from.name.size());
}

task<int> with_options_reference(options const& from) {
    probe const held;
    co_await suspension{};
    co_return from.n + static_cast<int>(from.name.size());
}

task<int> with_constructed(constructed from) {
    co_await suspension{};
    co_return from.n;
}

task<int> with_constructed_reference(constructed const& from) {
    co_await suspension{};
    co_return from.n;
}

task<std::string> text(std::size_t length) {
    probe const held;
    co_await suspension{};
    co_return std::string(length, 'x');
}

task<int> lengths(std::string a, std::string const& b) {
    co_await suspension{};
    co_return static_cast<int>(a.size() + b.size());
}

task<int> default_argument(int n, std::string const& more = std::string(40, 'd')) {
    co_await suspension{};
    co_return n + static_cast<int>(more.size());
}

task<int> sum(std::vector<int> list) {
    co_await suspension{};
    int total = 0;
    for (int const n : list) total += n;
    co_return total;
}

// Aggregates.

task<int> aggregate_by_value() {
    int const result = co_await by_value(owning{6, probe(1)});
    co_return result;
}

task<int> aggregate_by_reference() {
    int const result = co_await by_reference(owning{6, probe(1)});
    co_return result;
}

task<int> aggregate_braces() {
    int const result = co_await by_value({6, probe(1)});
    co_return result;
}

task<int> aggregate_designated() {
    int const result = co_await by_value({.n = 6});
    co_return result;
}

task<int> aggregate_designated_reference() {
    int const result = co_await by_reference({.n = 6});
    co_return result;
}

task<int> aggregate_named() {
    owning from{.n = 6};
    int const result = co_await by_value(std::move(from));
    co_return result;
}

task<int> aggregate_named_reference() {
    owning const from{.n = 6};
    int const result = co_await by_reference(from);
    co_return result;
}

owning make(int n) {
    return owning{n, probe(1)};
}

task<int> aggregate_from_function() {
    int const result = co_await by_value(make(6));
    co_return result;
}

task<int> options_designated() {
    int const result = co_await with_options({.n = 6, .name = "abc"});
    co_return result;
}

task<int> options_bare() {
    co_return co_await with_options({.n = 6, .name = "abc"});
}

task<int> options_reference() {
    int const result = co_await with_options_reference({.n = 6, .name = "abc"});
    co_return result;
}

task<int> options_typed() {
    int const result = co_await with_options(options{.n = 6, .name = "abc"});
    co_return result;
}

task<int> options_default() {
    int const result = co_await with_options({});
    co_return result;
}

task<int> class_with_constructor() {
    int const result = co_await with_constructed(constructed(6));
    co_return result;
}

task<int> class_with_constructor_reference() {
    int const result = co_await with_constructed_reference(constructed(6));
    co_return result;
}

// Everything else.

task<int> strings() {
    int const result = co_await lengths(std::string(50, 'x') + "y", "z");
    co_return result;
}

task<int> sum_of_awaits() {
    std::string const both = (co_await text(30)) + (co_await text(12));
    co_return static_cast<int>(both.size());
}

task<int> await_as_argument() {
    int const result = co_await lengths(co_await text(30), co_await text(12));
    co_return result;
}

task<int> return_await() {
    co_return static_cast<int>((co_await text(42)).size());
}

task<int> assign_await() {
    std::string value(40, 'a');
    value = co_await text(value.size() + 2);
    co_return static_cast<int>(value.size());
}

task<int> with_default_argument() {
    int const result = co_await default_argument(2);
    co_return result;
}

struct pair_result {
    int first = 0;
    probe second;
};

task<pair_result> both() {
    co_await suspension{};
    co_return pair_result{3, probe(4)};
}

task<int> structured_binding() {
    auto const [a, b] = co_await both();
    co_await suspension{};
    co_return a + b.value;
}

task<int> named_struct() {
    auto const result = co_await both();
    co_await suspension{};
    co_return result.first + result.second.value;
}

task<int> list_of_ints_named() {
    std::vector<int> list{1, 2, 3};
    int const result = co_await sum(std::move(list));
    co_return result;
}

}  // namespace

// coroutines.md: "option structs are trivially destructible aggregates".
TEST_CASE("an aggregate temporary that owns something is known to be broken on g++ 12.2") {
    constexpr auto broken = need::broken_gcc_12;
    canary::check_forms(std::array{
        form{"`co_await f(owning{6, x})` by value", aggregate_by_value, 6, broken},
        form{"`co_await f(owning{6, x})` by reference", aggregate_by_reference, 6, broken},
        form{"`co_await f({6, x})`, owning", aggregate_braces, 6, broken},
        form{"`co_await f({.n = 6})`, owning", aggregate_designated, 6, broken},
        form{"`co_await f({.n = 6})`, owning, by reference", aggregate_designated_reference, 6,
             broken},
    });
}

TEST_CASE("named aggregates, trivial options and classes with a constructor are right") {
    constexpr auto relied_on = need::relied_on;
    canary::check_forms(std::array{
        form{"`co_await f(std::move(named_aggregate))`", aggregate_named, 6, relied_on},
        form{"`co_await f(named_aggregate)` by reference", aggregate_named_reference, 6, relied_on},
        form{"`co_await f(make_aggregate())`", aggregate_from_function, 6, relied_on},
        form{"`co_await f({.n = 6})`, trivial", options_designated, 9, relied_on},
        form{"`co_return co_await f({.n = 6})`, trivial", options_bare, 9, relied_on},
        form{"`co_await f({.n = 6})`, trivial, by reference", options_reference, 9, relied_on},
        form{"`co_await f(options{.n = 6})`, trivial", options_typed, 9, relied_on},
        form{"`co_await f({})`, trivial", options_default, 0, relied_on},
        form{"`co_await f(constructed(6))` by value", class_with_constructor, 6, relied_on},
        form{"`co_await f(constructed(6))` by reference", class_with_constructor_reference, 6,
             relied_on},
    });
}

TEST_CASE("strings, nested awaits and default arguments in an awaiting expression are right") {
    constexpr auto relied_on = need::relied_on;
    canary::check_forms(std::array{
        form{"`co_await f(string + \"y\", \"z\")`", strings, 52, relied_on},
        form{"`(co_await a()) + (co_await b())`", sum_of_awaits, 42, relied_on},
        form{"`co_await f(co_await a(), co_await b())`", await_as_argument, 42, relied_on},
        form{"`co_return (co_await x).size()`", return_await, 42, relied_on},
        form{"`s = co_await f(s.size())`", assign_await, 42, relied_on},
        form{"`co_await f(2)` with a string as default argument", with_default_argument, 42,
             relied_on},
        form{"`auto r = co_await x` of a struct", named_struct, 7, relied_on},
        form{"`auto [a, b] = co_await x`", structured_binding, 7, need::unused},
        form{"`co_await f(std::move(named_vector))`", list_of_ints_named, 6, relied_on},
    });
}
