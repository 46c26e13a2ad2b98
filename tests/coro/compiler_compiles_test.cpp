// Canary: forms that GCC 12 rejects or dies of. The build tries to compile each file of compiles/
// first; those that compile are linked in and run here as every other form.
#include <doctest/doctest.h>

#include <array>

#include "support/canary_form.hpp"

using canary::form;
using canary::need;
using canary::outcome;
using canary::task;

task<int> control();
task<int> list_of_ints();
task<int> list_of_strings();
task<int> return_in_catch();
task<int> statement_expression();

// coroutines.md, "Compiler traps", third and fifth row.
TEST_CASE("braced lists and statement expressions are known not to compile on g++ 12.2") {
#ifdef RILL_CANARY_COMPILES_LIST_OF_INTS
    canary::check_forms(std::array{
        form{"`co_await f({1, 2, 3})`, a vector", list_of_ints, 6, need::broken_gcc_12}});
#else
    canary::check_outcome("`co_await f({1, 2, 3})`, a vector", need::broken_gcc_12,
                          outcome::refused);
#endif
#ifdef RILL_CANARY_COMPILES_LIST_OF_STRINGS
    canary::check_forms(std::array{form{"`co_await f({\"a\", \"b\"})`, a vector of strings",
                                        list_of_strings, 3, need::broken_gcc_12}});
#else
    canary::check_outcome("`co_await f({\"a\", \"b\"})`, a vector of strings", need::broken_gcc_12,
                          outcome::refused);
#endif
#ifdef RILL_CANARY_COMPILES_STATEMENT_EXPRESSION
    canary::check_forms(std::array{
        form{"`({ auto v = co_await x; ... })`", statement_expression, 4, need::broken_gcc_12}});
#else
    canary::check_outcome("`({ auto v = co_await x; ... })`", need::broken_gcc_12,
                          outcome::refused);
#endif
}

TEST_CASE("a co_return inside a catch compiles and is right, and rill does without") {
#ifdef RILL_CANARY_COMPILES_RETURN_IN_CATCH
    canary::check_forms(
        std::array{form{"`co_return` in a `catch`", return_in_catch, 1, need::unused}});
#else
    canary::check_outcome("`co_return` in a `catch`", need::unused, outcome::refused);
#endif
}

TEST_CASE("a list that gets a name first compiles and is right on every compiler") {
    canary::check_forms(std::array{
        form{"`co_await f(std::move(named_list))` of strings", control, 3, need::relied_on}});
}
