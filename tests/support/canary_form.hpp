// Runs one way of writing an await in a child process and says whether the compiler got it right.
// A miscompiled coroutine corrupts memory: the child takes the damage, the test program goes on.
#pragma once

#include <span>
#include <string>

#include "support/canary_task.hpp"

namespace canary {

/// An object that is counted by address: leaks, second destructions and bitwise copies all show.
class probe {
public:
    explicit probe(int number = 0) : value(number) { enter(); }
    probe(probe const& other) : value(other.value) { enter(); }
    probe(probe&& other) noexcept : value(std::exchange(other.value, 0)) { enter(); }
    probe& operator=(probe const&) = default;
    probe& operator=(probe&& other) noexcept {
        value = std::exchange(other.value, 0);
        return *this;
    }
    ~probe() { leave(); }

    /// Forgets all that was counted.
    static void reset();
    /// Objects that were made and not destroyed.
    [[nodiscard]] static std::size_t alive();
    /// Destructors that ran for something that was not a living object.
    [[nodiscard]] static std::size_t strays();

    int value;

private:
    void enter() noexcept;
    void leave() noexcept;
};

/// What became of a form. Anything but `right` and `refused` is a miscompilation.
enum class outcome : unsigned char {
    right,
    lost,             ///< The coroutine never ran on.
    wrong_value,      ///< It finished with another value, or threw.
    destroyed_twice,  ///< A destructor ran for an object that was not alive.
    leaked,           ///< An object outlived the coroutine.
    crashed,  ///< A signal, an abort of the allocator, a sanitizer's report, an endless loop.
    refused,  ///< The compiler rejects the code or gives up.
};

[[nodiscard]] char const* name_of(outcome result);

/// What rill needs of a form.
enum class need : unsigned char {
    relied_on,      ///< Used by the library, its examples or its users: right on every compiler.
    broken_gcc_12,  ///< Known to be broken on g++ 12.2, right on clang 17 and later.
    unused,         ///< Right on g++ 12.2 and clang 17 and later, but rill does without it.
    reported,       ///< Only printed.
};

struct form {
    char const* text;
    task<int> (*body)();
    int expected;
    need role;
};

/// Runs the form in this process. Call it only for what `run_in_child` found right.
[[nodiscard]] outcome run_here(form const& subject);

/// Runs the form in a child process.
[[nodiscard]] outcome run_in_child(form const& subject);

/// Runs all forms, prints a line for each, and checks the outcomes that are known or relied on.
void check_forms(std::span<form const> forms);

/// Prints a line for one form and checks its outcome.
void check_outcome(char const* text, need role, outcome result);

/// Runs `function` in a child process; its return value is the outcome.
[[nodiscard]] outcome in_child(outcome (*function)(void const*), void const* argument);

/// Name, version and mode of the compiler that built this program.
[[nodiscard]] std::string compiler_name();

}  // namespace canary
