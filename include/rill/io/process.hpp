// process: child processes, started, spoken to, waited for and never left behind. posix_spawn(3),
// pidfd_open(2).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rill/base/export.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/operation.hpp"
#include "rill/coro/task.hpp"
#include "rill/coro/wait_list.hpp"
#include "rill/io/descriptor_stream.hpp"

namespace rill {

class process_state;

/// How a child process has ended.
class exit_status {
public:
    /// Left by itself with `code`, or by `signal`.
    constexpr exit_status(int code, int signal, bool dumped) noexcept
        : code_(code), signal_(signal), dumped_(dumped) {}

    /// True when it left by itself; `code` says how.
    [[nodiscard]] constexpr bool exited() const noexcept { return signal_ == 0; }
    /// True when it left by itself with code 0.
    [[nodiscard]] constexpr bool success() const noexcept { return exited() && code_ == 0; }
    /// The exit code, 0..255; asserts that it left by itself.
    [[nodiscard]] int code() const noexcept {
        RILL_ASSERT(exited(), "a process that a signal ended has no exit code");
        return code_;
    }
    /// The signal that ended it; 0 when it left by itself.
    [[nodiscard]] constexpr int signal() const noexcept { return signal_; }
    /// True when it left a core dump.
    [[nodiscard]] constexpr bool dumped_core() const noexcept { return dumped_; }

    friend constexpr bool operator==(exit_status, exit_status) noexcept = default;

private:
    int code_;
    int signal_;
    bool dumped_;
};

/// What a child finds as its standard input, output or error.
class stdio {
public:
    /// What this process has.
    [[nodiscard]] static constexpr stdio inherit() noexcept { return stdio(kind::inherit, -1); }
    /// /dev/null.
    [[nodiscard]] static constexpr stdio null() noexcept { return stdio(kind::null, -1); }
    /// A pipe; `process::input`, `output` or `error` is the other end.
    [[nodiscard]] static constexpr stdio pipe() noexcept { return stdio(kind::pipe, -1); }
    /// A copy of an open descriptor, which stays the caller's.
    [[nodiscard]] static constexpr stdio use(int descriptor) noexcept {
        return stdio(kind::use, descriptor);
    }

private:
    friend class process;
    enum class kind : std::uint8_t { inherit, null, pipe, use };
    constexpr stdio(kind what, int descriptor) noexcept : what_(what), descriptor_(descriptor) {}
    kind what_;
    int descriptor_;
};

/// How a child process is started.
struct process_options {
    /// Its standard input.
    stdio input = stdio::inherit();
    /// Its standard output.
    stdio output = stdio::inherit();
    /// Its standard error.
    stdio error = stdio::inherit();
    /// Its folder; empty is that of this process.
    std::string_view directory = {};
    /// Its whole environment as NAME=value, where `clean_environment`; else added to that of this
    /// process.
    std::span<std::string const> environment = {};
    /// Nothing of this process's environment is handed on.
    bool clean_environment = false;
    /// It leads a process group of its own: signals go to it and to the children it makes.
    bool own_group = false;
};
static_assert(std::is_trivially_destructible_v<process_options>);

/// The wait of `process::wait`.
class [[nodiscard]] RILL_API process_wait final : public value_operation<exit_status>,
                                                  public detail::wait_node {
public:
    /// A wait for the end of `of`.
    explicit process_wait(process_state& of) noexcept : of_(of) {}
    /// "process".
    [[nodiscard]] char const* name() const noexcept override { return "process"; }

private:
    friend class process_state;
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    process_state& of_;
};

/// A child process. Move-only. Where it goes out of scope while the child runs, the child is
/// killed (SIGKILL) and reaped in the background, so that no zombie stays; the core waits for that
/// at its end. No SIGCHLD handler is needed or touched.
///
/// The child gets descriptors 0, 1 and 2 and no others, whatever this process has open, and all
/// signals at their defaults.
///
/// Core  the core that started it. Needs a kernel: a simulation has no processes.
class RILL_API process {
public:
    /// No child.
    process() noexcept = default;
    process(process&& other) noexcept;
    process& operator=(process&& other) noexcept;
    ~process();

    /// Starts a program; `command` is its name, which is looked for in PATH unless it has a '/',
    /// and its arguments.
    ///
    /// Returns   when the program runs.
    /// Errors    `error` with the name: ENOENT, EACCES and the others of execve(2).
    /// Lifetime  what `with` refers to lives until the await ends.
    /// Cancel    a child that was started after all is killed and reaped.
    /// Cost      the start runs on a thread of `blocking`: it waits for the disk.
    [[nodiscard]] static task<process> start(std::vector<std::string> command,
                                             process_options with = {});

    /// True when there is a child, running or not.
    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }
    /// Its process id. It stays the child's until it has been waited for.
    [[nodiscard]] int id() const noexcept;

    /// The pipe to its standard input, where `stdio::pipe()` was asked for. `finish` it when the
    /// child has got all: many programs wait for the end of their input.
    [[nodiscard]] descriptor_stream& input() noexcept { return input_; }
    /// The pipe from its standard output.
    [[nodiscard]] descriptor_stream& output() noexcept { return output_; }
    /// The pipe from its standard error.
    [[nodiscard]] descriptor_stream& error() noexcept { return error_; }

    /// Waits until the child has ended. Any number of waits; later ones give the same at once.
    /// Read its pipes meanwhile: a child whose pipe is full waits.
    /// Cancel  the child runs on.
    [[nodiscard]] process_wait wait() noexcept;
    /// Sends a signal; false when the child has ended.
    bool kill(int signal) noexcept;
    /// Ends it: SIGTERM, and SIGKILL when it has not ended after `grace`. Gives how it ended.
    [[nodiscard]] task<exit_status> stop(duration grace = 5s);
    /// Waits for its end, and where that has not come after `longest`, ends it as `stop` does.
    [[nodiscard]] task<exit_status> wait_or_stop(duration longest, duration grace = 5s);

private:
    process_state* state_ = nullptr;
    descriptor_stream input_;
    descriptor_stream output_;
    descriptor_stream error_;
};

}  // namespace rill
