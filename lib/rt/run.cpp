// One core per CPU: threads, who may use which CPU, and what happens when one core fails.
#include "rill/rt/run.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <barrier>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core_set.hpp"

namespace rill {

namespace {

constexpr std::uint32_t most_cores = 1024;

/// CPUs' worth of time that the cgroup grants; 0 is no limit.
double cgroup_quota() {
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    std::string quota;
    double period = 0;
    if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
    return std::strtod(quota.c_str(), nullptr) / period;
}

std::vector<std::size_t> allowed_cpus() {
    std::vector<std::size_t> cpus;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0) {
        for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
        }
    }
    return cpus;
}

std::uint32_t cores_wanted(std::uint32_t asked) {
    if (asked == 0) {
        if (char const* const text = std::getenv("RILL_CORES")) {
            asked = static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
        }
    }
    if (asked == 0) asked = usable_cpus();
    return std::min(asked, most_cores);
}

/// Asks one core to cancel its root; owns itself until it has run.
class stop_message final : public message {
    void run() noexcept override {
        core::current().stop(cancel_reason::sibling);
        delete this;
    }
};

/// Tells one core that every core's body has ended.
class all_ended_message final : public message {
public:
    explicit all_ended_message(bool& flag) noexcept : flag_(flag) {}

private:
    void run() noexcept override { flag_ = true; }
    bool& flag_;
};

/// What the threads of one run share.
class run_state {
public:
    run_state(run_options const& options, std::uint32_t count, task<> (*body)(void*), void* context)
        : options_(options),
          set_(count),
          ready_(static_cast<std::ptrdiff_t>(count)),
          still_running_(count),
          ended_(count),
          body_(body),
          context_(context) {}

    void run_core(std::uint32_t index) noexcept {
        try {
            core home(options_.core, index);
            bool all_ended = false;
            all_ended_message ended(all_ended);
            ended_[index] = &ended;
            home.join(set_);
            set_.set(index, home.post_box());
            ready_.arrive_and_wait();
            if (refused_) return;
            run_body(home);
            // A core goes on answering the others until the last of them has ended.
            if (--still_running_ == 0) tell_all_ended();
            home.serve_until(all_ended);
        } catch (...) {
            // Only the making of a core gets here; the others wait at the first barrier.
            fail(std::current_exception());
            refused_ = true;
            ready_.arrive_and_drop();
        }
    }

    void rethrow() {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    void run_body(core& home) noexcept {
        try {
            home.run(body_(context_));
        } catch (...) {
            fail(std::current_exception());
            for (std::uint32_t i = 0; i < set_.size(); ++i) {
                auto* const stop = new stop_message;
                if (i == home.index() || !set_.box(i)->deliver(*stop)) delete stop;
            }
        }
    }

    void tell_all_ended() noexcept {
        for (std::uint32_t i = 0; i < set_.size(); ++i) {
            bool const delivered = set_.box(i)->deliver(*ended_[i]);
            RILL_ASSERT(delivered, "no core leaves before all have ended");
        }
    }

    void fail(std::exception_ptr why) noexcept {
        std::lock_guard const lock(mutex_);
        if (!failure_) failure_ = std::move(why);
    }

    run_options options_;
    core_set set_;
    std::barrier<> ready_;
    std::atomic<std::uint32_t> still_running_;
    std::vector<all_ended_message*> ended_;
    task<> (*body_)(void*);
    void* context_;
    std::atomic<bool> refused_ = false;
    std::mutex mutex_;
    std::exception_ptr failure_;
};

void pin_to(std::thread& thread, std::size_t cpu) noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    ::pthread_setaffinity_np(thread.native_handle(), sizeof set, &set);
}

}  // namespace

std::uint32_t usable_cpus() noexcept {
    std::size_t count = allowed_cpus().size();
    if (count == 0) count = 1;
    double const quota = cgroup_quota();
    if (quota > 0) count = std::min(count, static_cast<std::size_t>(std::ceil(quota)));
    return static_cast<std::uint32_t>(std::max<std::size_t>(count, 1));
}

std::uint32_t core_count() noexcept {
    core const* const home = core::current_or_null();
    return home != nullptr && home->siblings() != nullptr ? home->siblings()->size() : 1;
}

namespace detail {

void run_cores(run_options const& options, task<> (*body)(void*), void* context) {
    std::uint32_t const count = cores_wanted(options.cores);
    run_state state(options, count, body, context);
    std::vector<std::size_t> const cpus = options.pin ? allowed_cpus() : std::vector<std::size_t>();
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        threads.emplace_back([&state, i] { state.run_core(i); });
        if (!cpus.empty()) pin_to(threads.back(), cpus[i % cpus.size()]);
    }
    for (std::thread& thread : threads) thread.join();
    state.rethrow();
}

}  // namespace detail

}  // namespace rill
