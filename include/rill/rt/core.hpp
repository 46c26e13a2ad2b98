// core: one thread's scheduler. Ready list, timers, driver, mailbox.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "rill/base/time.hpp"
#include "rill/coro/chain.hpp"
#include "rill/coro/child.hpp"
#include "rill/coro/executor.hpp"
#include "rill/rt/timer_wheel.hpp"

namespace rill {

class core_set;
class driver;
class mailbox;
class receive_buffers;

namespace detail {

class signal_inbox;

}  // namespace detail

/// Which driver a core uses.
enum class driver_kind : std::uint8_t {
    /// What the environment variable RILL_DRIVER says (`uring` or `epoll`); else io_uring, and
    /// epoll
    /// where the system refuses io_uring, for the whole process and with one line in the log.
    automatic,
    uring,  ///< io_uring, or no core at all.
    epoll,  ///< epoll.
};

/// How a core is made.
struct core_options {
    /// Which driver; automatic unless a test or a measurement needs one. Stronger than RILL_DRIVER.
    driver_kind driver = driver_kind::automatic;
    /// Submission entries of the ring; the completion queue has four times as many.
    std::uint32_t ring_entries = 1024;
    /// Receive buffers of 4 KiB that the kernel fills; a power of two, at most 32768.
    std::uint32_t receive_buffers = 1024;
    /// Pooled copies of 4 KiB beside them, for the time when readers hold more than half.
    std::uint32_t receive_copies = 4096;
};

/// One thread's scheduler: runs what is ready, fires timers, and waits for the kernel.
///
/// No task ever moves to another core. There is at most one core on a thread.
class RILL_API core final : public executor {
public:
    /// Makes the core of this thread. Throws `error`: RILL_DRIVER names no driver; io_uring was
    /// forced and is refused, with what to change; there are no descriptors left.
    explicit core(core_options const& options = {}, std::uint32_t index = 0);
    /// A core over a driver of the caller's.
    core(std::unique_ptr<class driver> over, std::uint32_t index);
    ~core();

    /// The core of this thread; asserts that there is one.
    [[nodiscard]] static core& current() noexcept;
    /// The core of this thread, or null.
    [[nodiscard]] static core* current_or_null() noexcept;
    /// The core that `line` runs on.
    [[nodiscard]] static core& of(chain const& line) noexcept {
        return static_cast<core&>(line.home());
    }

    /// The time at the start of this turn of the loop.
    [[nodiscard]] time_point now() const noexcept { return now_; }
    /// The time at this very moment, for lengths that begin here and now; the turn may have begun
    /// a while ago. Cost: a read of the clock.
    [[nodiscard]] time_point clock() const noexcept;
    /// For those who measure how long work has waited, called from `request::completed`: the moment
    /// from which on what has just come may have been there. That is the last look at the kernel
    /// where the core has worked since, and the present where it had nothing to do. Cost: in the
    /// second case a read of the clock.
    [[nodiscard]] time_point arrival_bound() const noexcept { return slept_ ? clock() : now_; }
    /// How long what is ready may run before the kernel is asked for more; 500 us unless it is
    /// set. The clock is then read after each that runs, not after each eight.
    void look_every(duration length) noexcept;
    /// The time of day, for dates that people and peers read. Drives no timer.
    [[nodiscard]] std::chrono::system_clock::time_point wall_now() const noexcept;
    /// Its place among the cores of `run_per_core`; 0 alone.
    [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
    /// Its timers, all of them.
    [[nodiscard]] timer_wheel& timers() noexcept { return timers_; }

    /// The cores that run beside this one, itself included; null outside `run_per_core`.
    [[nodiscard]] core_set* siblings() const noexcept { return siblings_; }
    /// For `run_per_core`.
    void join(core_set& siblings) noexcept { siblings_ = &siblings; }

    /// For the layers above the seam.
    [[nodiscard]] class driver& io() noexcept { return *driver_; }
    /// For the layers above the seam: where received bytes lie.
    [[nodiscard]] class receive_buffers& buffers() noexcept;
    /// The mailbox by which other threads reach this core; outlives it for those that hold it.
    [[nodiscard]] std::shared_ptr<mailbox> const& post_box() const noexcept { return mailbox_; }

    /// What an upper layer keeps once for each core, such as the cache of its resolver.
    class service {
    public:
        service() noexcept = default;
        service(service const&) = delete;
        service& operator=(service const&) = delete;
        virtual ~service() = default;
    };
    /// For the layers above: this core's `Service`, made when first asked for; it ends when all
    /// that was in flight on the core has ended.
    template <class Service>
    [[nodiscard]] Service& service_of() {
        static char const key = 0;
        for (auto const& each : services_) {
            if (each.first == &key) return static_cast<Service&>(*each.second);
        }
        services_.emplace_back(&key, std::make_unique<Service>());
        return static_cast<Service&>(*services_.back().second);
    }

    /// Runs one awaitable to its end and returns its value or throws what it threw. Nested calls
    /// are not possible: this is the loop of the thread.
    template <awaitable Awaitable>
    decltype(auto) run(Awaitable&& what);
    /// The chain that `run` runs, for a cancellation from a signal or another core.
    [[nodiscard]] chain* root() const noexcept { return root_; }
    /// Cancels the root of `run`.
    void stop(cancel_reason reason) noexcept {
        if (root_ != nullptr) root_->cancel(reason);
    }

    /// Turns the loop until `done`, which something on this core sets.
    void serve_until(bool const& done) noexcept { drive(done); }

    /// For a simulation, which drives several cores on one thread: makes `which`, or none, the core
    /// of this thread. Returns the one before.
    static core* make_current(core* which) noexcept;
    /// For a simulation: one turn that does not wait.
    void step() noexcept;
    /// For a simulation: true when nothing is ready and no message waits.
    [[nodiscard]] bool quiet() const noexcept;
    /// For signals: where those of this core arrive; null while nobody waits for any.
    [[nodiscard]] detail::signal_inbox*& signals() noexcept { return signals_; }
    /// For signals: those that this core has watched before, a bit each.
    [[nodiscard]] std::uint64_t& signals_watched() noexcept { return signals_watched_; }
    /// For a simulation: what `stop` cancels, null for none.
    void set_root(chain* line) noexcept { root_ = line; }

    /// Called whenever nothing is ready and the core is about to wait; replaces the one before.
    /// Null for none. Runs on the core, must be short, and may make something ready: the core then
    /// does not wait. Put it back to null before `context` ends.
    void on_idle(void (*hook)(void* context), void* context) noexcept {
        idle_hook_ = hook;
        idle_context_ = context;
    }

    /// What the core has done so far.
    struct counters {
        std::uint64_t turns = 0;        ///< Turns of the loop.
        std::uint64_t enters = 0;       ///< Transitions into the kernel made by them.
        std::uint64_t completions = 0;  ///< Results collected.
    };
    /// The counts up to now.
    [[nodiscard]] counters totals() const noexcept;

private:
    class root_owner;

    void drive(bool const& done) noexcept;
    void run_due() noexcept;
    void turn(bool may_wait) noexcept;
    void close() noexcept;

    std::unique_ptr<class driver> driver_;
    std::shared_ptr<mailbox> mailbox_;
    timer_wheel timers_;
    time_point now_;
    chain* root_ = nullptr;
    core_set* siblings_ = nullptr;
    void (*idle_hook_)(void*) = nullptr;
    void* idle_context_ = nullptr;
    detail::signal_inbox* signals_ = nullptr;
    std::uint64_t signals_watched_ = 0;
    std::vector<std::pair<char const*, std::unique_ptr<service>>> services_;
    std::uint64_t turns_ = 0;
    duration ready_time_;
    std::uint32_t ready_per_look_;
    std::uint32_t index_;
    bool slept_ = false;  // the core had nothing to do when it last asked the kernel
};

/// Knows when the root of a core has ended.
class core::root_owner final : public detail::child_owner {
public:
    /// The root has ended.
    void child_ended(std::size_t, outcome how) noexcept override {
        done = true;
        stopped = how == outcome::stopped;
    }
    bool done = false;     ///< It has ended.
    bool stopped = false;  ///< By a cancellation.
};

template <awaitable Awaitable>
decltype(auto) core::run(Awaitable&& what) {
    RILL_ASSERT(root_ == nullptr, "a core runs one root; use a task_group for more");
    root_owner owner;
    detail::child<std::remove_reference_t<Awaitable>> line(*this, nullptr, what, owner, 0);
    root_ = &line;
    line.begin();
    drive(owner.done);
    root_ = nullptr;
    if (owner.stopped) throw error(errc::cancelled, "run");
    return what.await_resume();
}

}  // namespace rill
