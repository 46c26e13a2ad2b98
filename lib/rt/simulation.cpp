// Simulations of whole programs: one seed, many seeds, and how a failure names its seed.
#include "rill/rt/simulation.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "rill/base/error.hpp"
#include "rill/rt/run.hpp"
#include "simulated_cores.hpp"
#include "simulated_run.hpp"
#include "simulated_world.hpp"

// The sanitizers end the process without a signal; this is how they tell of it.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

namespace rill {

namespace {

// What is running on this thread.
struct running {
    std::uint64_t seed;
    simulated_world* world;
    simulation::settings const* with;
    std::uint64_t turns = 0;
};
thread_local running* now_running = nullptr;

running& here(char const* what) {
    RILL_ASSERT(now_running != nullptr, "call this from a program that a simulation runs");
    static_cast<void>(what);
    return *now_running;
}

std::optional<std::uint64_t> number_of_environment(char const* name) {
    char const* const variable = std::getenv(name);
    if (variable == nullptr || *variable == '\0') return std::nullopt;
    std::string_view const text = variable;
    std::uint64_t number = 0;
    auto const read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
        throw error(std::make_error_code(std::errc::invalid_argument), name, text, "give a number");
    }
    return number;
}

}  // namespace

/// Names the seed when the process dies in it. The handlers that were there before go on.
class seed_on_crash {
public:
    seed_on_crash() noexcept {
        if (users_++ != 0) return;
        struct sigaction action{};
        action.sa_handler = crashed;
        action.sa_flags = SA_NODEFER | SA_ONSTACK;
        for (std::size_t i = 0; i < signals_.size(); ++i) {
            ::sigaction(signals_[i], &action, &before_[i]);
        }
        if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(tell);
    }
    seed_on_crash(seed_on_crash const&) = delete;
    seed_on_crash& operator=(seed_on_crash const&) = delete;
    ~seed_on_crash() {
        if (--users_ != 0) return;
        restore();
        if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(nullptr);
    }

private:
    static void restore() noexcept {
        for (std::size_t i = 0; i < signals_.size(); ++i) {
            ::sigaction(signals_[i], &before_[i], nullptr);
        }
    }
    static void tell() noexcept {
        if (now_running == nullptr) return;
        std::array<char, 96> text{};
        constexpr std::string_view words = "rill: the process dies; run it again with RILL_SEED=";
        char* at = std::copy(words.begin(), words.end(), text.data());
        at = std::to_chars(at, text.data() + text.size() - 1, now_running->seed).ptr;
        *at++ = '\n';
        [[maybe_unused]] auto const written =
            ::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(at - text.data()));
    }
    static void crashed(int number) noexcept {
        tell();
        restore();
        // A fault happens again where it happened; an abort is sent again.
        if (number == SIGABRT) ::raise(SIGABRT);
    }

    static constexpr std::array signals_ = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    static inline std::array<struct sigaction, signals_.size()> before_{};
    static inline int users_ = 0;
};

namespace simulation {

failure::~failure() = default;

void expect(bool condition, std::string_view what, std::source_location where) {
    if (condition) return;
    throw failure(fmt::format("{} ({}:{})", what, where.file_name(), where.line()));
}

std::uint64_t choose(std::uint64_t bound) {
    RILL_ASSERT(bound != 0, "there must be something to choose from");
    return here("choose").world->random().below(bound);
}

std::uint64_t seed() noexcept {
    return now_running != nullptr ? now_running->seed : 0;
}

duration elapsed() noexcept {
    return here("elapsed").world->elapsed();
}

void inject(planned_fault const& what) {
    here("inject").world->plan(what);
}

void heal() {
    here("heal").world->heal();
}

void add_file(std::string_view path, std::string_view content) {
    here("add_file").world->files().add(path, content);
}

void add_directory(std::string_view path) {
    here("add_directory").world->files().add(path, std::nullopt);
}

void add_name(std::string_view name, std::span<address const> addresses) {
    here("add_name").world->names().add(name, addresses);
}

namespace detail {

namespace {

void run_on_cores(running& in, program const& what) {
    core_options options;
    options.receive_buffers = in.with->receive_buffers;
    options.receive_copies = in.with->receive_copies;
    simulated_limits const limits{.longest = in.with->longest};
    simulated_cores cores(*in.world, options, in.with->cores, limits);
    cores.run([&](std::uint32_t index) -> task<> {
        if (index == 0) return what.coroutine(what.object);
        return []() -> task<> { co_return; }();
    });
    in.turns += cores.turns();
}

report run_once(std::uint64_t seed, program const& what, settings const& with, std::string* trace) {
    RILL_ASSERT(with.cores >= 1 && with.cores <= 64, "a simulation has 1 to 64 cores");
    RILL_ASSERT(core::current_or_null() == nullptr, "simulate from a thread that is no core");
    simulated_options options;
    options.seed = seed;
    options.latency = with.latency;
    options.window_bytes = with.window_bytes;
    options.most_descriptors = with.most_descriptors;
    options.receive_buffers = with.receive_buffers;
    options.receive_copies = with.receive_copies;
    options.faults = with.faults;
    options.trace = trace;
    simulated_world world(options);
    running in{.seed = seed, .world = &world, .with = &with};
    now_running = &in;
    struct end {
        ~end() { now_running = nullptr; }
    } const at_end;
    for (planned_fault const& each : with.plan) world.plan(each);
    if (what.coroutine != nullptr) {
        run_on_cores(in, what);
    } else {
        what.plain(what.object);
    }
    world.end();
    if (world.open_descriptors() != 0) {
        throw failure(
            fmt::format("the program has left {} descriptors open", world.open_descriptors()));
    }
    if (world.unreturned_buffers() != 0) {
        throw failure(
            fmt::format("the program has kept {} received buffers", world.unreturned_buffers()));
    }
    return {.seed = seed, .digest = world.trace(), .took = world.elapsed(), .turns = in.turns};
}

void name_seed(std::uint64_t seed, std::exception_ptr why, std::string const* trace) {
    if (trace != nullptr) std::fputs(trace->c_str(), stderr);
    std::string words = "an exception that is no std::exception";
    try {
        std::rethrow_exception(std::move(why));
    } catch (std::exception const& known) {
        words = known.what();
    } catch (...) {
    }
    std::fputs(fmt::format("rill: seed {} failed: {}\nrill: run it again with RILL_SEED={}, and "
                           "RILL_TRACE=1 to see what happens\n",
                           seed, words, seed)
                   .c_str(),
               stderr);
}

}  // namespace

report run(std::uint64_t seed, program const& what, settings const& with) {
    seed_on_crash const crashes;
    bool const wanted = std::getenv("RILL_TRACE") != nullptr;
    std::string own;
    std::string* const trace = with.trace != nullptr ? with.trace : wanted ? &own : nullptr;
    try {
        report const done = run_once(seed, what, with, trace);
        if (wanted && trace == &own) std::fputs(own.c_str(), stderr);
        return done;
    } catch (...) {
        name_seed(seed, std::current_exception(), wanted && trace == &own ? &own : nullptr);
        throw;
    }
}

report run_seeds(std::uint64_t count, program const& what, settings const& with) {
    if (auto const only = number_of_environment("RILL_SEED")) return run(*only, what, with);
    count = number_of_environment("RILL_SEEDS").value_or(count);
    std::uint64_t const first = number_of_environment("RILL_FIRST_SEED").value_or(1);
    seed_on_crash const crashes;
    report all;
    for (std::uint64_t seed = first; seed - first < count; ++seed) {
        try {
            report const one = run_once(seed, what, with, with.trace);
            all.seed = seed;
            all.digest = all.digest * 31 + one.digest;
            all.took += one.took;
            all.turns += one.turns;
        } catch (...) {
            name_seed(seed, std::current_exception(), nullptr);
            throw;
        }
    }
    return all;
}

}  // namespace detail

}  // namespace simulation

void run_in_simulation(run_options const& options, task<> (*body)(void*), void* context) {
    running& in = here("run_per_core");
    simulated_limits const limits{.longest = in.with->longest};
    core_options each = options.core;
    each.receive_buffers = in.with->receive_buffers;
    each.receive_copies = in.with->receive_copies;
    std::uint32_t const count = options.cores != 0 ? options.cores : in.with->cores;
    simulated_cores cores(*in.world, each, count, limits);
    cores.run([&](std::uint32_t) { return body(context); });
    in.turns += cores.turns();
}

}  // namespace rill
