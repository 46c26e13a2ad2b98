// A simulated world for whole programs: what it is like, what goes wrong in it, and how a program
// runs there. Tests include `rill/test.hpp`, which gives these names a place of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "rill/base/address.hpp"
#include "rill/base/export.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/task.hpp"

namespace rill::simulation {

/// What goes wrong by chance, and how often: each number without a unit is a chance in a thousand.
///
/// The seed draws. With `swarm` it first leaves out about half of the kinds and weakens others, so
/// that over many seeds each kind also meets a world in which the rest is calm.
struct faults {
    /// A received buffer holds less than there is, down to one byte.
    std::uint32_t short_reads = 0;
    /// A send takes less than it could, down to one byte.
    std::uint32_t short_writes = 0;
    /// A stream of results (bytes, connections, datagrams) ends early and has to be asked again.
    std::uint32_t ended_streams = 0;
    /// Completions of one turn come in another order than that of their causes.
    std::uint32_t reorders = 0;
    /// A segment is cut off: both sides of its connection find it reset.
    std::uint32_t resets = 0;
    /// A connect is refused although somebody listens.
    std::uint32_t refusals = 0;
    /// A segment, and with it all of its connection, is held up to `longest_partition`.
    std::uint32_t partitions = 0;
    /// An accept, a connect or an open finds no descriptor.
    std::uint32_t no_descriptors = 0;
    /// A receive finds no buffer, as it begins or with bytes there: what has arrived stays there.
    /// At most 16 times at one moment; `fault::no_buffers` is the one that lasts.
    std::uint32_t no_buffers = 0;
    /// A call on a file or a path fails: EIO, EACCES, or ENOSPC where it needs room.
    std::uint32_t disk_errors = 0;
    /// A read or write of a file ends short.
    std::uint32_t short_files = 0;
    /// The wall clock jumps, by up to `longest_jump` either way, as a core begins a turn.
    std::uint32_t clock_jumps = 0;
    /// A core stands still for up to `longest_stall` before a turn.
    std::uint32_t stalls = 0;
    /// A datagram is lost.
    std::uint32_t lost_datagrams = 0;
    /// A datagram arrives twice.
    std::uint32_t doubled_datagrams = 0;
    /// A datagram is overtaken by those sent after it.
    std::uint32_t late_datagrams = 0;

    /// What a segment, a file operation or blocking work takes at most, on top of the latency.
    duration longest_delay = 0s;
    duration longest_partition = 10s;  ///< See `partitions`.
    duration longest_jump = 1h;        ///< See `clock_jumps`.
    duration longest_stall = 100ms;    ///< See `stalls`.
    /// From then on nothing goes wrong by chance, so that a test can ask for progress. 0: for ever.
    duration calm_after = 0s;
    /// Whether the seed picks among the kinds, too.
    bool swarm = true;

    /// A world as applications meet it every day: small pieces, delays, no failures.
    [[nodiscard]] static constexpr faults slow() noexcept {
        return {.short_reads = 200,
                .short_writes = 200,
                .ended_streams = 20,
                .reorders = 500,
                .stalls = 5,
                .longest_delay = 50ms};
    }
    /// The same with resets, refusals, partitions, and a machine that runs out of everything.
    [[nodiscard]] static constexpr faults hostile() noexcept {
        faults all = slow();
        all.resets = 10;
        all.refusals = 100;
        all.partitions = 10;
        all.no_descriptors = 20;
        all.no_buffers = 50;
        all.disk_errors = 20;
        all.short_files = 100;
        all.clock_jumps = 5;
        all.lost_datagrams = 50;
        all.doubled_datagrams = 50;
        all.late_datagrams = 100;
        return all;
    }
};
static_assert(std::is_trivially_destructible_v<faults>);

/// What can be made to go wrong at a moment of the test's choice.
enum class fault : std::uint8_t {
    reset,           ///< All connections of `where` are reset.
    partition,       ///< Nothing passes to or from `where` until the end of it.
    refuse,          ///< Connects to `where` are refused.
    no_descriptors,  ///< No descriptor can be had.
    no_buffers,      ///< No receive buffer can be had, on any core: what arrives has to wait.
    disk_error,      ///< Every file operation fails with EIO.
    clock_jump,      ///< The wall clock jumps by `length`, which may be negative.
};

/// A fault of a plan.
struct planned_fault {
    fault what;           ///< What happens.
    duration after = 0s;  ///< When, from now or from the start of the simulation.
    std::string_view where =
        {};                ///< An address, with a port or `host:0` for all; empty is everywhere.
    duration length = 0s;  ///< How long it lasts; 0 is for ever.
};
static_assert(std::is_trivially_destructible_v<planned_fault>);

/// What a simulated world is like.
struct settings {
    /// Virtual cores, interleaved by the seed on the one thread; at most 64.
    std::uint32_t cores = 1;
    /// From the sending of a segment to its arrival.
    duration latency = 0s;
    /// What goes wrong by chance; nothing.
    simulation::faults faults = {};
    /// What goes wrong by plan. `inject` adds to it from the program.
    std::span<planned_fault const> plan = {};
    /// A program that has not ended after so much virtual time has failed.
    duration longest = 24h;
    /// Unread bytes that a side of a connection takes; the writer waits beyond it.
    std::size_t window_bytes = 64 * 1024;
    /// Descriptors that may be open at once.
    std::size_t most_descriptors = 1'000'000;
    /// Receive buffers of 4 KiB of each core, and pooled copies beside them.
    std::uint32_t receive_buffers = 64;
    std::uint32_t receive_copies = 256;  ///< See `receive_buffers`.
    /// A line for each result that the program has seen is appended here; null for none.
    std::string* trace = nullptr;
};
static_assert(std::is_trivially_destructible_v<settings>);

/// What came of a simulation.
struct report {
    std::uint64_t seed = 0;    ///< The seed.
    std::uint64_t digest = 0;  ///< A hash over everything that has happened, with its time.
    duration took = 0s;        ///< Virtual time from start to end.
    std::uint64_t turns = 0;   ///< Turns of all cores.
};

/// A simulation has failed: the program broke a promise (`expect`), waits for what nobody will do,
/// does not end, or has left something open.
class RILL_API failure : public std::runtime_error {
public:
    /// With the words for it.
    explicit failure(std::string const& what) : std::runtime_error(what) {}
    ~failure() override;
};

/// Throws `failure` with `what` and the place where `condition` does not hold.
RILL_API void expect(bool condition, std::string_view what,
                     std::source_location where = std::source_location::current());
/// A number below `bound`, drawn by the seed: how a program makes choices that replay.
/// Core: inside a simulation only, as all that follows.
[[nodiscard]] RILL_API std::uint64_t choose(std::uint64_t bound);
/// The seed of the simulation on this thread; 0 where there is none.
[[nodiscard]] RILL_API std::uint64_t seed() noexcept;
/// Virtual time since the start of the simulation.
[[nodiscard]] RILL_API duration elapsed() noexcept;
/// Makes something go wrong, `after` from now. Throws `error` where `where` is no address.
RILL_API void inject(planned_fault const& what);
/// Nothing that was injected or planned goes on: partitions heal, descriptors and buffers are back.
RILL_API void heal();
/// Puts a file into the world, in place of one of that path; the folders above it are made, too.
RILL_API void add_file(std::string_view path, std::string_view content);
/// Puts an empty directory into the world, and those above it; what is there already stays.
RILL_API void add_directory(std::string_view path);
/// Gives `name` these addresses (their ports are of no matter); none: such a name fails at once.
RILL_API void add_name(std::string_view name, std::span<address const> addresses);

namespace detail {

/// A program that a simulation can run, without its type.
struct program {
    void* object;
    void (*plain)(void* object);        // or null
    task<> (*coroutine)(void* object);  // or null: the first core runs it
};

/// Runs `what` once. Throws what it throws, after a line with the seed on stderr.
RILL_API report run(std::uint64_t seed, program const& what, settings const& with);
/// Runs it with the seeds 1 to `count`, or as RILL_SEED and RILL_SEEDS say.
RILL_API report run_seeds(std::uint64_t count, program const& what, settings const& with);

template <class Program>
task<> call(void* object) {
    static_cast<void>(co_await (**static_cast<Program const**>(object))());
}

/// `what` is a pointer that outlives the run, so that a function will do as well as an object.
template <class Program>
program erase(Program const*& what) noexcept {
    if constexpr (requires { typename std::invoke_result_t<Program const&>::value_type; }) {
        return {&what, nullptr, call<Program>};
    } else {
        return {&what, [](void* of) { static_cast<void>((**static_cast<Program const**>(of))()); },
                nullptr};
    }
}

}  // namespace detail

}  // namespace rill::simulation
