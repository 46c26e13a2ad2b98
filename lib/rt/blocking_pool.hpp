// The threads behind blocking(): as many as there is work, up to a limit, and none when idle.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "rill/rt/blocking.hpp"

namespace rill::detail {

/// Runs `job` here and sends it home, or destroys it where its core has gone.
void run_job(blocking_job& job) noexcept;

/// The one pool of the process. It is never destroyed and its threads are never joined: a stuck job
/// must not hold the exit, and what a thread touches after main has ended is still there.
class blocking_pool {
public:
    [[nodiscard]] static blocking_pool& instance();

    /// Takes `job`. Returns 0, or the errno of the thread that could not be made when there is no
    /// other: the job is then still the caller's.
    [[nodiscard]] int submit(blocking_job& job) noexcept;
    /// Takes back a job that no thread has begun. False when one has.
    [[nodiscard]] bool withdraw(blocking_job& job) noexcept;

    void configure(blocking_options const& options) noexcept;
    [[nodiscard]] blocking_totals totals() noexcept;

private:
    /// A thread without work. The one that became idle last is woken first, so that those beneath
    /// it reach the end of their time.
    struct idle_thread {
        std::condition_variable wake;
        blocking_job* given = nullptr;
        idle_thread* below = nullptr;
    };

    static void* thread_main(void* pool) noexcept;
    void work() noexcept;
    blocking_job* wait_for_job(std::unique_lock<std::mutex>& lock) noexcept;
    int start_thread() noexcept;
    void remove_idle(idle_thread& self) noexcept;
    void push(blocking_job& job) noexcept;
    void unlink(blocking_job& job) noexcept;

    // threads_ <= most_threads, except after the limit was lowered. A job waits only while no
    // thread is idle.
    std::mutex mutex_;
    blocking_options options_;
    idle_thread* idle_ = nullptr;
    std::uint32_t idle_count_ = 0;
    std::uint32_t threads_ = 0;
    blocking_job* first_ = nullptr;
    blocking_job* last_ = nullptr;
    std::uint64_t waiting_ = 0;
};

}  // namespace rill::detail
