// blocking(): the way of a job from a core to a thread of the pool and back.
#include "rill/rt/blocking.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>

#include "blocking_pool.hpp"
#include "driver.hpp"
#include "mailbox.hpp"
#include "rill/rt/core.hpp"

namespace rill {

namespace detail {

void run_job(blocking_job& job) noexcept {
    job.execute();
    // Held here: the core may run the job, and destroy it, before the delivery returns.
    std::shared_ptr<mailbox> const home = job.home_;
    if (!home->deliver(job)) delete &job;
}

blocking_pool& blocking_pool::instance() {
    static auto& pool = *new blocking_pool;
    return pool;
}

int blocking_pool::submit(blocking_job& job) noexcept {
    std::lock_guard const lock(mutex_);
    if (idle_ != nullptr) {
        idle_thread& chosen = *idle_;
        idle_ = chosen.below;
        --idle_count_;
        chosen.given = &job;
        chosen.wake.notify_one();
        return 0;
    }
    if (threads_ < options_.most_threads) {
        int const code = start_thread();
        // With others at work this job only waits longer.
        if (code != 0 && threads_ == 0) return code;
    }
    push(job);
    return 0;
}

bool blocking_pool::withdraw(blocking_job& job) noexcept {
    std::lock_guard const lock(mutex_);
    if (!job.queued_) return false;
    unlink(job);
    return true;
}

void blocking_pool::configure(blocking_options const& options) noexcept {
    std::lock_guard const lock(mutex_);
    options_ = options;
    options_.most_threads = std::max(options.most_threads, std::uint32_t{1});
    // Those that wait by the old options look again.
    for (idle_thread* each = idle_; each != nullptr; each = each->below) each->wake.notify_one();
}

blocking_totals blocking_pool::totals() noexcept {
    std::lock_guard const lock(mutex_);
    return {.threads = threads_, .idle = idle_count_, .waiting = waiting_};
}

int blocking_pool::start_thread() noexcept {
    // A new thread inherits the mask: no signal of the process is ever handled on it.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread{};
    int const code = ::pthread_create(&thread, &attributes, thread_main, this);
    ::pthread_attr_destroy(&attributes);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (code == 0) ++threads_;
    return code;
}

void* blocking_pool::thread_main(void* pool) noexcept {
    ::pthread_setname_np(::pthread_self(), "rill-blocking");
    static_cast<blocking_pool*>(pool)->work();
    return nullptr;
}

void blocking_pool::work() noexcept {
    std::unique_lock lock(mutex_);
    while (blocking_job* const job = wait_for_job(lock)) {
        lock.unlock();
        run_job(*job);
        lock.lock();
    }
    --threads_;
}

/// Null when it is time for this thread to end.
blocking_job* blocking_pool::wait_for_job(std::unique_lock<std::mutex>& lock) noexcept {
    if (threads_ > options_.most_threads) return nullptr;
    if (first_ != nullptr) {
        blocking_job& job = *first_;
        unlink(job);
        return &job;
    }
    idle_thread self;
    self.below = idle_;
    idle_ = &self;
    ++idle_count_;
    auto const since = std::chrono::steady_clock::now();
    while (self.given == nullptr) {
        auto const until = later(since, options_.idle_time);
        if (threads_ > options_.most_threads || std::chrono::steady_clock::now() >= until) {
            remove_idle(self);
            return nullptr;
        }
        self.wake.wait_until(lock, until);
    }
    return self.given;
}

void blocking_pool::remove_idle(idle_thread& self) noexcept {
    idle_thread** place = &idle_;
    while (*place != &self) place = &(*place)->below;
    *place = self.below;
    --idle_count_;
}

void blocking_pool::push(blocking_job& job) noexcept {
    job.queued_ = true;
    job.previous_ = last_;
    job.next_ = nullptr;
    (last_ != nullptr ? last_->next_ : first_) = &job;
    last_ = &job;
    ++waiting_;
}

void blocking_pool::unlink(blocking_job& job) noexcept {
    job.queued_ = false;
    (job.previous_ != nullptr ? job.previous_->next_ : first_) = job.next_;
    (job.next_ != nullptr ? job.next_->previous_ : last_) = job.previous_;
    --waiting_;
}

blocking_job::blocking_job() noexcept = default;
blocking_job::~blocking_job() = default;

int blocking_job::submit(core& home) noexcept {
    home_ = home.post_box();
    return home.io().begin_blocking(*this);
}

void blocking_job::comes_back_to(std::shared_ptr<mailbox> home) noexcept {
    home_ = std::move(home);
}

void blocking_job::run() noexcept {
    if (waiter_ == nullptr) {
        delete this;
        return;
    }
    waiter_->state_ = blocking_wait::state::ended;
    waiter_->complete();
}

blocking_wait::~blocking_wait() {
    delete job_;
}

void blocking_wait::check() const {
    if (state_ == state::refused) {
        throw error(system_error(refusal_), "blocking", "a thread for it",
                    "raise the limit of threads (ulimit -u, TasksMax, pids.max)");
    }
    if (state_ != state::ended) throw error(errc::cancelled, "blocking");
}

bool blocking_wait::start() noexcept {
    job_->waiter_ = this;
    refusal_ = job_->submit(core::of(*waiting_chain()));
    if (refusal_ == 0) return true;
    state_ = state::refused;
    return false;
}

void blocking_wait::cancel(cancel_reason) noexcept {
    state_ = state::stopped;
    if (!core::of(*waiting_chain()).io().withdraw_blocking(*job_)) {
        // A thread has it, or the mailbox: it destroys itself when it comes back.
        job_->waiter_ = nullptr;
        job_ = nullptr;
    }
    complete();
}

}  // namespace detail

int driver::begin_blocking(detail::blocking_job& job) noexcept {
    return detail::blocking_pool::instance().submit(job);
}

bool driver::withdraw_blocking(detail::blocking_job& job) noexcept {
    return detail::blocking_pool::instance().withdraw(job);
}

void configure_blocking(blocking_options const& options) noexcept {
    detail::blocking_pool::instance().configure(options);
}

blocking_totals blocking_now() noexcept {
    return detail::blocking_pool::instance().totals();
}

}  // namespace rill
