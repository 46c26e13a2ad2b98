// blocking: work that would hold its thread, on a pool of threads beside the cores.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "rill/base/error.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/child.hpp"
#include "rill/rt/message.hpp"

namespace rill {

class core;

/// The pool of `blocking`, which all cores of the process share.
struct blocking_options {
    /// Threads at most; 64. Further work waits its turn, first come first served. At least 1.
    std::uint32_t most_threads = 64;
    /// How long a thread stays without work; 5 s. Zero: not at all.
    duration idle_time = 5s;
};
static_assert(std::is_trivially_destructible_v<blocking_options>);

/// Changes the pool, now and for the whole process. Threads beyond a lower limit end after
/// the job they have. Core: any thread.
RILL_API void configure_blocking(blocking_options const& options) noexcept;

/// What the pool holds at this moment.
struct blocking_totals {
    std::uint32_t threads = 0;  ///< Threads, working or idle.
    std::uint32_t idle = 0;     ///< Those without work.
    std::uint64_t waiting = 0;  ///< Jobs that no thread has begun.
};
/// The present numbers. Core: any thread.
[[nodiscard]] RILL_API blocking_totals blocking_now() noexcept;

namespace detail {

class blocking_pool;
class blocking_wait;

/// One piece of work: the callable, its arguments and its result, in memory of their own, so that a
/// cancelled coroutine leaves them behind.
///
/// Exactly one of the pool, the mailbox and the waiting operation owns it at a time.
class RILL_API blocking_job : public message {
public:
    virtual ~blocking_job();

protected:
    blocking_job() noexcept;

    /// Hands it to the pool; it runs on the core `home` when it has been executed. Returns 0, or
    /// the errno of the thread that could not be made: the job is then still the caller's. Where
    /// the core has gone meanwhile, the pool destroys it.
    [[nodiscard]] int submit(core& home) noexcept;

    /// Where the job goes when it has run; a core's own mailbox where `blocking` waits for it.
    void comes_back_to(std::shared_ptr<mailbox> home) noexcept;
    /// On a thread of the pool: runs the callable, keeps what comes of it, and lets go of the
    /// callable.
    virtual void execute() noexcept = 0;

private:
    friend class blocking_pool;
    friend class blocking_wait;
    friend void run_job(blocking_job& job) noexcept;
    void run() noexcept override;

    std::shared_ptr<mailbox> home_;
    blocking_wait* waiter_ = nullptr;  // the core's own; null once nobody waits
    blocking_job* previous_ = nullptr;
    blocking_job* next_ = nullptr;
    bool queued_ = false;  // the pool's own
};

template <class Function, class... Arguments>
class blocking_call final : public blocking_job {
public:
    using value_type = std::invoke_result_t<Function, Arguments...>;

    template <class... Given>
    explicit blocking_call(Given&&... given)
        : work_(std::in_place, std::forward<Given>(given)...) {}

    value_type take() {
        if (failure_) std::rethrow_exception(std::move(failure_));
        if constexpr (!std::is_void_v<value_type>) return *std::move(value_);
    }
    [[nodiscard]] bool failed() const noexcept { return failure_ != nullptr; }

private:
    void execute() noexcept override {
        try {
            if constexpr (std::is_void_v<value_type>) {
                call(std::index_sequence_for<Arguments...>{});
            } else {
                value_.emplace(call(std::index_sequence_for<Arguments...>{}));
            }
        } catch (...) {
            failure_ = std::current_exception();
        }
        work_.reset();
    }
    template <std::size_t... Index>
    value_type call(std::index_sequence<Index...>) {
        return std::invoke(std::get<0>(std::move(*work_)),
                           std::get<Index + 1>(std::move(*work_))...);
    }

    std::optional<std::tuple<Function, Arguments...>> work_;
    std::optional<storable<value_type>> value_;
    std::exception_ptr failure_;
};

/// The wait for a job.
class RILL_API blocking_wait : public operation {
public:
    [[nodiscard]] char const* name() const noexcept override { return "blocking"; }
    /// True when a cancellation ended the wait before the work.
    [[nodiscard]] bool stopped() const noexcept { return state_ == state::stopped; }

protected:
    explicit blocking_wait(blocking_job* job) noexcept : job_(job) {}
    ~blocking_wait();

    /// Throws where the work never ran.
    void check() const;
    [[nodiscard]] bool refused() const noexcept { return state_ == state::refused; }
    [[nodiscard]] blocking_job* job() const noexcept { return job_; }

private:
    friend class blocking_job;
    enum class state : std::uint8_t { waiting, ended, stopped, refused };
    bool start() noexcept final;
    void cancel(cancel_reason reason) noexcept final;
    void refuse() noexcept final { state_ = state::stopped; }

    blocking_job* job_;  // null when it was left behind
    int refusal_ = 0;    // errno of the thread that could not be made
    state state_ = state::waiting;
};

template <class Call>
class [[nodiscard]] blocking_operation final : public blocking_wait {
public:
    using value_type = typename Call::value_type;
    static_assert(std::is_void_v<value_type> || std::is_object_v<value_type>,
                  "the callable gives an object or void: a reference would dangle");

    explicit blocking_operation(Call* call) noexcept : blocking_wait(call) {}
    value_type await_resume() {
        check();
        return static_cast<Call*>(job())->take();
    }
    [[nodiscard]] bool failed() const noexcept {
        return refused() || (job() != nullptr && static_cast<Call*>(job())->failed());
    }
};

template <class T>
inline constexpr bool is_reference_wrapper = false;
template <class T>
inline constexpr bool is_reference_wrapper<std::reference_wrapper<T>> = true;

}  // namespace detail

/// Runs `function(arguments...)` on a thread that may block, and gives back its value here.
///
/// Function and arguments are decay-copied into the job, because a cancelled coroutine does not
/// wait for them: give what the work needs as arguments, and capture nothing by reference.
///
///     auto const names = co_await blocking(look_up, host);
///
/// Errors   what the callable throws; `error` where the process can make no thread at all.
/// Core     any; the callable runs on a thread that is no core and on which all signals are
///          blocked. It finds none of the coroutine's core there.
/// Cancel   ends the wait at once. Work that has not begun is dropped, work that has begun goes on
///          to its end, and its result is destroyed. A job that never ends holds its thread, but
///          neither this core's end nor the process's.
/// Bound    `blocking_options::most_threads` jobs run; those behind them wait their turn in a queue
///          that holds one entry for each coroutine that waits, and no more.
/// Cost     one allocation for the job; two hand-overs between threads.
template <class Function, class... Arguments>
[[nodiscard]] auto blocking(Function&& function, Arguments&&... arguments) {
    static_assert(!(detail::is_reference_wrapper<std::decay_t<Arguments>> || ...),
                  "a cancelled coroutine does not wait for its blocking work: pass copies");
    using call = detail::blocking_call<std::decay_t<Function>, std::decay_t<Arguments>...>;
    return detail::blocking_operation<call>(
        new call(std::forward<Function>(function), std::forward<Arguments>(arguments)...));
}

}  // namespace rill
