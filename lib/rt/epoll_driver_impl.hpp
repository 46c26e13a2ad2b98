// The class behind make_epoll_driver: where each request is, and who moves it on.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "epoll_buffers.hpp"
#include "epoll_calls.hpp"
#include "epoll_driver.hpp"
#include "epoll_files.hpp"
#include "epoll_set.hpp"
#include "epoll_table.hpp"
#include "kernel_driver.hpp"
#include "receive_buffers.hpp"

namespace rill {

/// Calls are tried at once; what would wait is noted at its descriptor and tried again when the
/// kernel tells of it.
///
/// Invariants: a request is in one place: `started_`, the table, the files, or `later_`. One
/// that is being cancelled is also in `cancelled_`, and is completed from there or by its thread.
class epoll_driver final : public kernel_driver, private epoll_files::sink {
public:
    explicit epoll_driver(epoll_options const& options);

    void attach(mailbox& box) noexcept override;
    void start(request& what) noexcept override {
        what.started();
        ++in_flight_;
        started_.push_back(&what);
    }
    void cancel(request& what) noexcept override {
        if (!what.in_flight() || what.cancelling()) return;
        what.note_cancel();
        cancelled_.push_back(&what);
    }
    void turn(time_point until) noexcept override;

    std::size_t in_flight() const noexcept override { return in_flight_; }
    receive_buffers& buffers() noexcept override { return buffers_.buffers(); }
    receive_buffers* large_buffers() noexcept override;
    char const* name() const noexcept override { return "epoll"; }
    counters totals() const noexcept override {
        return {.enters = set_.calls() + calls_.calls(), .completions = completions_};
    }
    void close(int descriptor) noexcept override;

private:
    using entry = epoll_table::entry;
    using membership = epoll_table::membership;
    struct place {
        int descriptor;
        std::uint32_t generation;
    };

    void file_done(request& what, int value) noexcept override;

    bool watch_wakers() noexcept;
    void begin_started() noexcept;
    void end_cancelled() noexcept;
    void go_on() noexcept;
    void look(time_point until) noexcept;
    [[nodiscard]] bool pending() const noexcept {
        return !started_.empty() || !cancelled_.empty() || !again_.empty();
    }

    void begin(request& what);
    void begin_stream(request& what);
    void begin_send(request& what);
    void begin_message(request& what);
    void begin_connect(request& what);
    void begin_poll(request& what);
    void begin_send_file(request& what);
    void run_file(request& what) noexcept;
    void wait_for_room(request& what);
    void try_later(request& what);
    [[nodiscard]] bool linked_and_watched(request& what, bool for_room);

    void offer(int descriptor, std::uint32_t events) noexcept;
    void attempt(request& what, entry& on, std::uint32_t events) noexcept;
    void receive(request& what, entry& from) noexcept;
    void accept(request& what, entry& from) noexcept;
    void rearm_polls(int descriptor, entry& on) noexcept;
    [[nodiscard]] std::uint32_t polled_events(entry const& on) const noexcept;
    void answer_part(request& what, int value, std::uint32_t buffer) noexcept;
    void finish(request& what, int value, std::uint32_t buffer = request::no_buffer) noexcept;

    epoll_buffers buffers_;
    std::unique_ptr<epoll_buffers> large_buffers_;  // made when first wanted
    epoll_table table_;
    epoll_set set_;
    epoll_calls calls_;
    epoll_files files_;

    std::array<int, 2> wakers_{-1, -1};  // still to be watched: the mailbox's, the files'

    // Each is swapped with `taken_` while it is worked off, so that both keep their memory.
    std::vector<request*> started_;
    std::vector<request*> cancelled_;
    std::vector<request*> taken_;
    // Descriptors that have more for a request than its share of the last turn.
    std::vector<place> again_;
    std::vector<place> taken_again_;

    std::vector<request*> later_;  // to be tried again at `next_try_`: nobody tells of room
    time_point next_try_ = never;

    std::size_t in_flight_ = 0;
    std::uint64_t completions_ = 0;
    bool looked_ = false;
};

}  // namespace rill
