// The driver over io_uring: one ring per core, made and used on the core's own thread.
#include "uring_driver.hpp"

#include <liburing.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <vector>

#include "fault_every.hpp"
#include "kernel_driver.hpp"
#include "mailbox.hpp"
#include "receive_buffers.hpp"
#include "rill/base/error.hpp"
#include "rill/base/log.hpp"
#include "uring_buffers.hpp"
#include "uring_prepare.hpp"
#include "uring_setup.hpp"
#include "uring_splice.hpp"

namespace rill {

namespace {

// A completion that belongs to a pump and not to a request: all objects lie at even addresses.
constexpr std::uintptr_t pump_tag = 1;
constexpr std::size_t most_idle_pumps = 16;
// Until an enter that found no memory is made again.
constexpr duration enter_pause = 1ms;

class uring_driver final : public kernel_driver {
public:
    explicit uring_driver(uring_options const& options)
        : buffers_(options.receive_buffers, options.receive_copies, receive_buffers::block_bytes),
          faults_(options.faults),
          no_entry_(options.faults.no_entry_every),
          enter_fails_(options.faults.enter_fails_every),
          end_stream_(options.faults.end_stream_every),
          no_buffer_(options.faults.no_buffer_every),
          no_descriptor_(options.faults.no_descriptor_every) {
        set_up_ring(ring_, options);
        arguments_.resize(ring_.sq.ring_entries);
        // Saves the kernel a descriptor look-up in every enter; refused by kernels before 5.18.
        io_uring_register_ring_fd(&ring_);
        io_uring_ring_dontfork(&ring_);
        if (int const why = buffers_.attach(ring_, receive_group); why != 0) {
            io_uring_queue_exit(&ring_);
            throw error(system_error(why), "io_uring_register", "the receive buffers",
                        setup_advice(why));
        }
    }

    ~uring_driver() override {
        buffers_.detach();
        if (large_buffers_ != nullptr) large_buffers_->detach();
        // Closes may still wait in the submission queue, where the last enter failed.
        for (int tries = 0; io_uring_sq_ready(&ring_) != 0 && tries < 16; ++tries) {
            io_uring_submit_and_get_events(&ring_);
        }
        io_uring_queue_exit(&ring_);
    }

    void attach(mailbox& box) noexcept override {
        wake_descriptor_ = box.descriptor();
        arm_wake();
    }

    void start(request& what) noexcept override {
        what.started();
        ++in_flight_;
        if (what.what() == verb::send_file) {
            start_pump(what);
        } else {
            submit(what);
        }
    }

    void cancel(request& what) noexcept override {
        if (!what.in_flight() || what.cancelling()) return;
        what.note_cancel();
        io_uring_sqe* const entry = take_entry();
        if (entry == nullptr) {
            postponed_cancels_.push_back(&what);
            return;
        }
        prepare_cancel(*entry, what);
    }

    void turn(time_point until) noexcept override {
        buffers_.buffers().retry_waiters(until != time_point::min());
        if (large_buffers_ != nullptr) [[unlikely]]
            large_buffers_->buffers().retry_waiters(until != time_point::min());
        bool const answered = retry_postponed();
        enter(answered ? time_point::min() : until);
        collect();
    }

    std::size_t in_flight() const noexcept override { return in_flight_; }

    receive_buffers& buffers() noexcept override { return buffers_.buffers(); }
    receive_buffers* large_buffers() noexcept override;
    char const* name() const noexcept override { return "uring"; }

    void close(int descriptor) noexcept override {
        io_uring_sqe* const entry = take_entry();
        if (entry == nullptr) {
            ::close(descriptor);
            return;
        }
        io_uring_prep_close(entry, descriptor);
        entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
        io_uring_sqe_set_data(entry, nullptr);
    }
    counters totals() const noexcept override { return totals_; }

private:
    /// A free submission entry; null when the queue is full and the kernel takes nothing now.
    io_uring_sqe* take_entry() noexcept {
        if (no_entry_()) [[unlikely]]
            return nullptr;
        io_uring_sqe* entry = io_uring_get_sqe(&ring_);
        if (entry == nullptr) [[unlikely]] {
            ++totals_.enters;
            io_uring_submit(&ring_);
            entry = io_uring_get_sqe(&ring_);
        }
        return entry;
    }

    void submit(request& what) noexcept {
        io_uring_sqe* const entry = take_entry();
        if (entry == nullptr) [[unlikely]] {
            postponed_.push_back(&what);
            return;
        }
        auto const slot = static_cast<std::size_t>(entry - ring_.sq.sqes);
        prepare_request(*entry, what, arguments_[slot]);
        io_uring_sqe_set_data(entry, &what);
        if (forced_end(what)) [[unlikely]]
            io_uring_prep_nop(entry);
    }

    void prepare_cancel(io_uring_sqe& entry, request& what) noexcept {
        auto target = reinterpret_cast<std::uintptr_t>(&what);
        if (what.what() == verb::send_file) {
            for (auto const& pump : pumps_) {
                if (&pump->what() == &what)
                    target = reinterpret_cast<std::uintptr_t>(tagged(*pump));
            }
        }
        io_uring_prep_cancel64(&entry, target, 0);
        entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
        io_uring_sqe_set_data(&entry, nullptr);
    }

    bool forced_end(request const& what) noexcept;
    void start_pump(request& what) noexcept;
    void submit(splice_pump& pump) noexcept;
    void deliver(splice_pump& pump, int value) noexcept;
    static void* tagged(splice_pump& pump) noexcept {
        return reinterpret_cast<std::byte*>(&pump) + pump_tag;
    }
    void arm_wake() noexcept;
    bool retry_postponed() noexcept;
    void enter(time_point until) noexcept;
    int enter_once(bool wait, time_point until) noexcept;
    void enter_failed(int code) noexcept;
    void collect() noexcept;
    void deliver(io_uring_cqe const& completion) noexcept;

    io_uring ring_{};
    uring_buffers buffers_;
    std::unique_ptr<uring_buffers> large_buffers_;  // made when first wanted

    // What an entry points at, per submission entry: the kernel has copied it once the entry is
    // submitted.
    std::vector<entry_arguments> arguments_;

    // Requests that found the submission queue full; tried again in the next turn.
    std::vector<request*> postponed_;
    std::vector<request*> postponed_cancels_;
    std::vector<request*> postponed_failures_;

    // Pumps without work, those at work, and those whose next step found the queue full.
    std::vector<std::unique_ptr<splice_pump>> idle_pumps_;
    std::vector<std::unique_ptr<splice_pump>> pumps_;
    std::vector<splice_pump*> postponed_pumps_;

    std::size_t in_flight_ = 0;
    counters totals_{};

    int wake_descriptor_ = -1;
    std::uint64_t wake_value_ = 0;
    bool wake_armed_ = false;

    uring_faults faults_;
    fault_every no_entry_;
    fault_every enter_fails_;
    fault_every end_stream_;
    fault_every no_buffer_;
    fault_every no_descriptor_;
    request const* forced_ = nullptr;  // the request whose next completion is made up
    int forced_value_ = 0;
};

receive_buffers* uring_driver::large_buffers() noexcept {
    if (large_buffers_ == nullptr) {
        try {
            large_buffers_ = std::make_unique<uring_buffers>(receive_buffers::large_count,
                                                             receive_buffers::large_copies,
                                                             receive_buffers::large_block_bytes);
        } catch (std::bad_alloc const&) {
            return nullptr;
        }
        if (large_buffers_->attach(ring_, large_receive_group) != 0) large_buffers_ = nullptr;
    }
    return large_buffers_ != nullptr ? &large_buffers_->buffers() : nullptr;
}

void uring_driver::start_pump(request& what) noexcept {
    std::unique_ptr<splice_pump> pump;
    if (!idle_pumps_.empty()) {
        pump = std::move(idle_pumps_.back());
        idle_pumps_.pop_back();
    } else {
        pump = splice_pump::make();
    }
    if (pump == nullptr) {
        // Out of descriptors: told by a completion, like every failure.
        postponed_failures_.push_back(&what);
        return;
    }
    pump->begin(what);
    submit(*pump);
    pumps_.push_back(std::move(pump));
}

void uring_driver::submit(splice_pump& pump) noexcept {
    io_uring_sqe* const entry = take_entry();
    if (entry == nullptr) {
        postponed_pumps_.push_back(&pump);
        return;
    }
    pump.prepare(*entry);
    io_uring_sqe_set_data(entry, tagged(pump));
}

void uring_driver::deliver(splice_pump& pump, int value) noexcept {
    if (pump.advance(value)) {
        submit(pump);
        return;
    }
    request& what = pump.what();
    int const result = pump.result();
    auto const at = std::find_if(pumps_.begin(), pumps_.end(),
                                 [&](auto const& each) { return each.get() == &pump; });
    if (pump.clean() && idle_pumps_.size() < most_idle_pumps) {
        idle_pumps_.push_back(std::move(*at));
    }
    *at = std::move(pumps_.back());
    pumps_.pop_back();
    --in_flight_;
    what.answer(result, request::no_buffer, false);
}

bool uring_driver::forced_end(request const& what) noexcept {
    int value = 0;
    if (what.what() == verb::receive_stream || what.what() == verb::receive_datagrams) {
        if (end_stream_()) {
            value = -ECANCELED;
        } else if (no_buffer_()) {
            value = -ENOBUFS;
        }
    } else if (what.what() == verb::accept_stream) {
        if (end_stream_()) {
            value = -ECANCELED;
        } else if (no_descriptor_()) {
            value = -EMFILE;
        }
    }
    if (value == 0 || forced_ != nullptr) return false;
    forced_ = &what;
    forced_value_ = value;
    return true;
}

void uring_driver::arm_wake() noexcept {
    io_uring_sqe* const entry = take_entry();
    if (entry == nullptr) return;  // the next turn tries again, and this one does not wait
    io_uring_prep_read(entry, wake_descriptor_, &wake_value_, sizeof wake_value_, 0);
    io_uring_sqe_set_data(entry, &wake_value_);
    wake_armed_ = true;
}

/// Submits what found the queue full. True when a request was answered instead.
bool uring_driver::retry_postponed() noexcept {
    if (!wake_armed_ && wake_descriptor_ >= 0) arm_wake();
    if (postponed_.empty() && postponed_cancels_.empty() && postponed_pumps_.empty() &&
        postponed_failures_.empty()) [[likely]] {
        return false;
    }
    bool answered = !postponed_failures_.empty();
    std::vector<splice_pump*> pumps;
    pumps.swap(postponed_pumps_);
    for (splice_pump* const each : pumps) submit(*each);
    std::vector<request*> failures;
    failures.swap(postponed_failures_);
    for (request* const each : failures) {
        --in_flight_;
        each->answer(-EMFILE, request::no_buffer, false);
    }
    std::vector<request*> waiting;
    waiting.swap(postponed_);
    for (request* const each : waiting) {
        if (each->cancelling()) {
            --in_flight_;
            answered = true;
            // Its cancel may be postponed, too, and would hit whatever is started there next.
            std::erase(postponed_cancels_, each);
            each->answer(-ECANCELED, request::no_buffer, false);
        } else {
            submit(*each);
        }
    }
    waiting.clear();
    waiting.swap(postponed_cancels_);
    for (request* const each : waiting) {
        io_uring_sqe* const entry = take_entry();
        if (entry == nullptr) {
            postponed_cancels_.push_back(each);
        } else {
            prepare_cancel(*entry, *each);
        }
    }
    return answered;
}

void uring_driver::enter(time_point until) noexcept {
    bool const cannot_be_woken = !wake_armed_ && wake_descriptor_ >= 0;
    bool const must_poll = !postponed_.empty() || !postponed_cancels_.empty() ||
                           !postponed_pumps_.empty() || !postponed_failures_.empty() ||
                           cannot_be_woken;
    bool wait = !must_poll && io_uring_cq_ready(&ring_) == 0 && until != time_point::min();
    if (!wait) {
        // A look at the shared flags is free; an enter is made only where it has something to do.
        unsigned const flags = IO_URING_READ_ONCE(*ring_.sq.kflags);
        if (io_uring_sq_ready(&ring_) == 0 &&
            (flags & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) == 0) {
            return;
        }
    }
    ++totals_.enters;
    int const code = enter_once(wait, until);
    if (code < 0) [[unlikely]]
        enter_failed(-code);
}

/// Submits and, where it is to `wait`, waits. Returns a negated errno where that failed.
int uring_driver::enter_once(bool wait, time_point until) noexcept {
    if (enter_fails_()) [[unlikely]]
        return -faults_.enter_errno;
    if (!wait) return io_uring_submit_and_get_events(&ring_);
    __kernel_timespec timeout{};
    bool const bounded = until != never;
    if (bounded) {
        auto const left = std::max<duration>(until - now(), duration::zero());
        timeout.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(left).count();
        timeout.tv_nsec = (left % std::chrono::seconds(1)).count();
    }
    io_uring_cqe* first = nullptr;
    return io_uring_submit_and_wait_timeout(&ring_, &first, 1, bounded ? &timeout : nullptr,
                                            nullptr);
}

/// What was to be submitted is still in the queue: the next turn hands it over again.
void uring_driver::enter_failed(int code) noexcept {
    // Out of time, or a signal came: nothing is wrong. EBUSY asks for completions to be collected
    // first, and that is what the turn does next.
    if (code == ETIME || code == EINTR || code == EBUSY) return;
    if (code != EAGAIN && code != ENOMEM) {
        RILL_LOG_EVERY(1s, error, "io_uring_enter failed", {"error", system_error(code)},
                       {"advice", setup_advice(code)});
    }
    // The kernel is out of memory. What is under way may give some back: without a pause for it
    // the core would only ask again and again.
    __kernel_timespec pause{.tv_sec = 0, .tv_nsec = enter_pause.count()};
    io_uring_cqe* first = nullptr;
    io_uring_wait_cqe_timeout(&ring_, &first, &pause);
}

void uring_driver::collect() noexcept {
    for (;;) {
        unsigned head = 0;
        unsigned count = 0;
        io_uring_cqe* completion = nullptr;
        io_uring_for_each_cqe(&ring_, head, completion) {
            ++count;
            deliver(*completion);
        }
        if (count == 0) return;
        totals_.completions += count;
        io_uring_cq_advance(&ring_, count);
    }
}

void uring_driver::deliver(io_uring_cqe const& completion) noexcept {
    void* const data = io_uring_cqe_get_data(&completion);
    if (data == nullptr) return;  // a cancel or close that had nothing to do
    if (data == &wake_value_) {
        wake_armed_ = false;
        return;
    }
    if ((reinterpret_cast<std::uintptr_t>(data) & pump_tag) != 0) {
        deliver(*reinterpret_cast<splice_pump*>(static_cast<std::byte*>(data) - pump_tag),
                completion.res);
        return;
    }
    auto& what = *static_cast<request*>(data);
    bool const more = (completion.flags & IORING_CQE_F_MORE) != 0;
    std::uint32_t buffer = request::no_buffer;
    if ((completion.flags & IORING_CQE_F_BUFFER) != 0) {
        buffer = completion.flags >> IORING_CQE_BUFFER_SHIFT;
    }
    if (!more) {
        --in_flight_;
        if (what.cancelling() && !postponed_cancels_.empty()) [[unlikely]] {
            std::erase(postponed_cancels_, &what);
        }
    }
    int value = completion.res;
    if (&what == forced_) [[unlikely]] {
        forced_ = nullptr;
        value = forced_value_;
    }
    what.answer(value, buffer, more);
}

}  // namespace

std::unique_ptr<driver> make_uring_driver(uring_options const& options) {
    return std::make_unique<uring_driver>(options);
}

}  // namespace rill
