// One core per CPU: threads, who may use which CPU, and what happens when one core fails.
#include "rill/rt/run.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core_set.hpp"
#include "cpus.hpp"
#include "rill/base/error.hpp"
#include "simulated_here.hpp"

namespace rill {

namespace {

constexpr std::uint32_t most_cores = 1024;

/// What RILL_CORES says; 0 where it is not set.
std::uint32_t cores_of_environment() {
    char const* const variable = std::getenv("RILL_CORES");
    if (variable == nullptr) return 0;
    std::string_view const text = variable;
    std::uint32_t count = 0;
    auto const read = std::from_chars(text.data(), text.data() + text.size(), count);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
        throw error(std::make_error_code(std::errc::invalid_argument), "RILL_CORES", text,
                    "give a number of cores, or 0 for one per CPU");
    }
    return count;
}

std::uint32_t cores_wanted(std::uint32_t asked) {
    if (asked == 0) asked = cores_of_environment();
    if (asked == 0) asked = usable_cpus();
    return std::min(asked, most_cores);
}

/// Asks one core to cancel its root.
class stop_message final : public message {
    void run() noexcept override { core::current().stop(cancel_reason::sibling); }
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
          stops_(count),
          body_(body),
          context_(context) {
        if (options.pin) cpus_ = cpus::allowed();
    }

    void run_core(std::uint32_t index) noexcept {
        ::pthread_setname_np(::pthread_self(), ("rill-core-" + std::to_string(index)).c_str());
        if (!cpus_.empty()) cpus::pin_to(cpus_[index % cpus_.size()]);
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
            refuse();
        }
    }

    /// Ends the run before any body has begun, for the core or the thread that could not be made.
    /// Call in the handler of the exception that says why.
    void refuse() noexcept {
        fail(std::current_exception());
        refused_ = true;
        ready_.arrive_and_drop();
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
            // The first that fails stops the others, whose failures then follow from it.
            if (!stopping_.exchange(true)) stop_others(home.index());
        }
    }

    void stop_others(std::uint32_t failed) noexcept {
        for (std::uint32_t i = 0; i < set_.size(); ++i) {
            if (i == failed) continue;
            bool const delivered = set_.box(i)->deliver(stops_[i]);
            RILL_ASSERT(delivered, "no core leaves before all have ended");
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
    std::vector<stop_message> stops_;
    std::vector<std::size_t> cpus_;  // empty: no pinning
    task<> (*body_)(void*);
    void* context_;
    std::atomic<bool> refused_ = false;
    std::atomic<bool> stopping_ = false;
    std::mutex mutex_;
    std::exception_ptr failure_;
};

}  // namespace

std::uint32_t usable_cpus() noexcept {
    try {
        std::size_t count = cpus::allowed().size();
        std::ifstream file("/proc/self/cgroup");
        std::string const groups{std::istreambuf_iterator<char>(file), {}};
        double const quota = cpus::quota(groups, "/sys/fs/cgroup");
        if (quota > 0) count = std::min(count, static_cast<std::size_t>(std::ceil(quota)));
        return static_cast<std::uint32_t>(std::max<std::size_t>(count, 1));
    } catch (...) {
        return 1;  // out of memory: the cores will say so
    }
}

std::uint32_t core_count() noexcept {
    core const* const home = core::current_or_null();
    return home != nullptr && home->siblings() != nullptr ? home->siblings()->size() : 1;
}

namespace detail {

void run_cores(run_options const& options, task<> (*body)(void*), void* context) {
    RILL_ASSERT(core::current_or_null() == nullptr,
                "run_per_core waits for all of its cores: call it from main, not from a coroutine");
    if (auto const* const here = simulated_here::of_thread()) {
        here->run(options, body, context);
        return;
    }
    std::uint32_t const count = cores_wanted(options.cores);
    run_state state(options, count, body, context);
    if (count == 1 && !options.pin) {
        // One core needs no thread of its own.
        state.run_core(0);
        state.rethrow();
        return;
    }
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        try {
            threads.emplace_back([&state, i] { state.run_core(i); });
        } catch (...) {
            state.refuse();
        }
    }
    for (std::thread& thread : threads) thread.join();
    state.rethrow();
}

}  // namespace detail

}  // namespace rill
