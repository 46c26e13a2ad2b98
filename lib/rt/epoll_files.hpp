// What epoll cannot wait for: regular files. What needs no disk is done at once, the rest by the
// threads of the blocking pool.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mailbox.hpp"
#include "rill/coro/executor.hpp"
#include "rill/rt/request.hpp"

namespace rill {

/// Runs the file requests of one core.
///
/// A read from the page cache and an open from the kernel's cache of names are tried first
/// (RWF_NOWAIT, RESOLVE_CACHED), as io_uring does it; what would wait goes to a thread.
///
/// Bounds: one job for each request that is with a thread. Jobs are kept for reuse, `most_idle` of
/// them.
class epoll_files {
public:
    static constexpr std::size_t most_idle = 256;

    /// Who gets the results.
    class sink {
    public:
        /// `what` has ended with `value`. -EAGAIN of a `send_file`: its socket is full.
        virtual void file_done(request& what, int value) noexcept = 0;

    protected:
        ~sink() = default;
    };

    /// True for what is asked of a file.
    [[nodiscard]] static bool concerns(verb what) noexcept {
        return what == verb::read_file || what == verb::write_file || what == verb::open_beneath ||
               what == verb::send_file;
    }

    explicit epoll_files(sink& to);
    ~epoll_files();
    epoll_files(epoll_files const&) = delete;
    epoll_files& operator=(epoll_files const&) = delete;

    /// The result of `what` where it needs no thread; otherwise it comes from `collect`.
    [[nodiscard]] std::optional<int> start(request& what) noexcept;
    /// What has become of a request.
    enum class place : std::uint8_t { elsewhere, withdrawn, with_a_thread };
    /// Takes a request back that no thread has begun.
    [[nodiscard]] place withdraw(request& what) noexcept;

    /// True while threads have requests of this core.
    [[nodiscard]] bool busy() const noexcept { return !busy_.empty(); }
    /// Hands on what the threads have done.
    void collect() noexcept;

    /// The descriptor that becomes readable when a result comes while the core waits.
    [[nodiscard]] int descriptor() const noexcept { return results_->descriptor(); }
    /// About to wait. False when there is a result: do not.
    [[nodiscard]] bool prepare_to_sleep() noexcept {
        return !busy() || results_->prepare_to_sleep();
    }
    void awake() noexcept { results_->awake(); }

private:
    class job;
    class done_list final : public executor {};

    std::optional<int> hand_over(request& what) noexcept;
    void done(job& which) noexcept;
    std::unique_ptr<job> take_out(job const& which) noexcept;

    sink& sink_;
    std::shared_ptr<mailbox> results_;
    done_list done_;
    std::vector<std::unique_ptr<job>> busy_;
    std::vector<std::unique_ptr<job>> idle_;
};

}  // namespace rill
