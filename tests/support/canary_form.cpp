// The child process of a canary form, the counting of objects and the verdict per compiler.
// See canary_form.hpp.
#include "support/canary_form.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <set>

namespace canary {
namespace {

struct census {
    std::set<void const*> alive;
    std::size_t strays = 0;
};

census& counted() {
    static census instance;
    return instance;
}

enum class compiler : unsigned char { gcc_12_2, clang_17, unknown };

constexpr compiler compiler_kind() {
#if defined(__clang__)
    return __clang_major__ >= 17 ? compiler::clang_17 : compiler::unknown;
#elif defined(__GNUC__)
    return __GNUC__ == 12 && __GNUC_MINOR__ == 2 ? compiler::gcc_12_2 : compiler::unknown;
#else
    return compiler::unknown;
#endif
}

/// doctest and the sanitizers catch signals to print a report. A child that is expected to crash
/// dies quietly, leaves no core file and cannot run for ever.
void expect_damage() {
    for (int const signal : {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGBUS, SIGTERM}) {
        std::signal(signal, SIG_DFL);
    }
    rlimit const no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    rlimit const seconds{10, 10};
    setrlimit(RLIMIT_CPU, &seconds);
    int const nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
}

constexpr int exit_code_base = 40;

outcome run_form(void const* subject) {
    return run_here(*static_cast<form const*>(subject));
}

}  // namespace

void probe::enter() noexcept {
    if (!counted().alive.insert(this).second) ++counted().strays;
}

void probe::leave() noexcept {
    if (counted().alive.erase(this) == 0) ++counted().strays;
}

void probe::reset() {
    counted() = {};
}

std::size_t probe::alive() {
    return counted().alive.size();
}

std::size_t probe::strays() {
    return counted().strays;
}

char const* name_of(outcome result) {
    switch (result) {
        case outcome::right:
            return "right";
        case outcome::lost:
            return "broken (never runs on)";
        case outcome::wrong_value:
            return "broken (wrong value)";
        case outcome::destroyed_twice:
            return "broken (destroyed twice)";
        case outcome::leaked:
            return "broken (never destroyed)";
        case outcome::crashed:
            return "broken (crash)";
        case outcome::refused:
            return "broken (does not compile)";
    }
    return "?";
}

std::string compiler_name() {
#if defined(__clang__)
    std::string name = "clang " + std::to_string(__clang_major__) + "." +
                       std::to_string(__clang_minor__) + "." + std::to_string(__clang_patchlevel__);
#elif defined(__GNUC__)
    std::string name = "gcc " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) +
                       "." + std::to_string(__GNUC_PATCHLEVEL__);
#else
    std::string name = "unknown";
#endif
    return name + " " RILL_CANARY_MODE;
}

outcome run_here(form const& subject) {
    probe::reset();
    executor home;
    // A frame that was laid out wrongly cannot be destroyed: it is released only when all is well.
    auto* root = new task<int>(subject.body());
    outcome result = outcome::right;
    try {
        root->start(home);
        home.run();
        if (!root->done()) return outcome::lost;
        if (root->result() != subject.expected) result = outcome::wrong_value;
    } catch (...) {
        result = outcome::wrong_value;
    }
    delete root;
    if (probe::strays() != 0) return outcome::destroyed_twice;
    if (result == outcome::right && probe::alive() != 0) return outcome::leaked;
    return result;
}

outcome in_child(outcome (*function)(void const*), void const* argument) {
    std::fflush(nullptr);
    pid_t const child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        expect_damage();
        _exit(exit_code_base + static_cast<int>(function(argument)));
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    int const code = WIFEXITED(status) ? WEXITSTATUS(status) - exit_code_base : -1;
    bool const reported = code >= 0 && code <= static_cast<int>(outcome::leaked);
    return reported ? static_cast<outcome>(code) : outcome::crashed;
}

outcome run_in_child(form const& subject) {
    return in_child(run_form, &subject);
}

void check_outcome(char const* text, need role, outcome result) {
    std::printf("compiler %s: form %s is %s\n", compiler_name().c_str(), text, name_of(result));
    CAPTURE(std::string(text));
    CAPTURE(std::string(name_of(result)));
    if (role == need::reported) return;
    if (role == need::relied_on) {
        CHECK_MESSAGE(result == outcome::right, "rill relies on this form");
    } else if (compiler_kind() == compiler::clang_17) {
        CHECK(result == outcome::right);
    } else if (compiler_kind() == compiler::gcc_12_2) {
        // A form that turns out right here is good news that coroutines.md has to learn.
        CHECK((result == outcome::right) == (role == need::unused));
    }
}

void check_forms(std::span<form const> forms) {
    for (form const& subject : forms) {
        outcome const result = run_in_child(subject);
        check_outcome(subject.text, subject.role, result);
        // Once more under the eyes of the sanitizers, whose reports a child does not print.
        if (result == outcome::right) CHECK(run_here(subject) == outcome::right);
    }
}

}  // namespace canary
