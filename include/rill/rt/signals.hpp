// Signals of the process as something to wait for (POSIX.1-2017, XSH 2.4).
#pragma once

#include <concepts>
#include <csignal>
#include <cstdint>
#include <optional>

#include "rill/coro/operation.hpp"

namespace rill {

namespace detail {

class signal_inbox;

}  // namespace detail

/// A set of signal numbers.
class signal_set {
public:
    /// The signals given, each in 1..64.
    template <std::same_as<int>... Numbers>
    constexpr explicit signal_set(Numbers... numbers) noexcept : bits_((bit(numbers) | ... | 0)) {}

    /// True when `number` is in it.
    [[nodiscard]] constexpr bool contains(int number) const noexcept {
        return (bits_ & bit(number)) != 0;
    }
    /// One bit for each signal, that of signal 1 lowest.
    [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }

private:
    static constexpr std::uint64_t bit(int number) noexcept {
        RILL_ASSERT(number >= 1, "signal numbers start at 1");
        RILL_ASSERT(number <= 64, "signal numbers end at 64");
        return std::uint64_t{1} << (number - 1);
    }

    std::uint64_t bits_;
};

class signal_operation;

/// Collects signals for as long as it lives, so that none is missed between two waits.
///
/// The process's disposition of a signal is changed by the first watch of it and restored by the
/// end of the last, on whichever cores they are. Each watch sees each signal; the same signal
/// twice before a wait counts once, as it does in the kernel.
///
/// In `run_per_core` the first watch of a signal on a core begins with what has come to the other
/// cores before: a SIGTERM that arrives while cores start ends the late ones too.
///
/// Errors  the constructor throws `error` where a signal cannot be caught (SIGKILL, SIGSTOP) or
///         tells of a fault in the code itself (SIGSEGV, SIGBUS, SIGFPE, SIGILL).
/// Core    made, used and destroyed on one core.
class RILL_API signal_watch {
public:
    /// Starts to collect the signals of `which` on this core.
    explicit signal_watch(signal_set which);
    signal_watch(signal_watch const&) = delete;
    signal_watch& operator=(signal_watch const&) = delete;
    ~signal_watch();

    /// Waits for one of the signals, or takes one that came before; gives its number. Of several
    /// the lowest number comes first. One wait at a time.
    /// Cancel: ends at once; no signal is lost.
    [[nodiscard]] signal_operation next() noexcept;

private:
    friend class signal_operation;
    friend class detail::signal_inbox;

    /// Takes the lowest of the collected signals; 0 when there is none.
    int take() noexcept;
    void arrived(std::uint64_t bits) noexcept;

    std::uint64_t which_;
    std::uint64_t collected_ = 0;
    signal_operation* waiter_ = nullptr;
    signal_watch* previous_ = nullptr;
    signal_watch* next_ = nullptr;
    detail::signal_inbox* inbox_;  // last: joining it links the fields above
};

/// The wait for a signal; see `signal_watch::next` and `wait_signal`.
class [[nodiscard]] RILL_API signal_operation final : public value_operation<int> {
public:
    /// A wait on a watch.
    explicit signal_operation(signal_watch& watch) noexcept : watch_(&watch) {}
    /// A wait of its own.
    explicit signal_operation(signal_set which) noexcept : which_(which) {}
    ~signal_operation();

    /// The number of the signal.
    int await_resume() {
        given_ = 0;
        return value_operation::await_resume();
    }
    /// The number, or the code where the signals cannot be waited for.
    [[nodiscard]] result<int> take_result() noexcept {
        given_ = 0;
        return value_operation::take_result();
    }
    /// "signal".
    [[nodiscard]] char const* name() const noexcept override { return "signal"; }

private:
    friend class signal_watch;
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;

    signal_set which_{};
    std::optional<signal_watch> own_;  // of a wait without a watch
    signal_watch* watch_ = nullptr;
    int given_ = 0;  // goes back to the watch where nobody takes it
};

inline signal_operation signal_watch::next() noexcept {
    return signal_operation(*this);
}

/// Waits for the next signal of `which` and gives its number.
///
/// Between two such waits the signal has its old disposition, which mostly ends the process: where
/// a second signal is to be noticed too, hold a `signal_watch`.
/// Errors  where a signal cannot be waited for; see `signal_watch`.
/// Cancel  ends at once.
[[nodiscard]] inline signal_operation wait_signal(signal_set which) noexcept {
    return signal_operation(which);
}
/// The same for the signals listed: `co_await wait_signal(SIGINT, SIGTERM)`.
template <std::same_as<int>... More>
[[nodiscard]] signal_operation wait_signal(int first, More... more) noexcept {
    return signal_operation(signal_set(first, more...));
}

}  // namespace rill
