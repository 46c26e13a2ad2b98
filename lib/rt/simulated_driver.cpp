// The simulated driver: a virtual clock, receive buffers, and the order in which things happen.
#include "simulated_driver.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>
#include <vector>

#include "receive_buffers.hpp"
#include "rill/base/log.hpp"
#include "simulated_network.hpp"
#include "simulated_random.hpp"

namespace rill {

namespace {

// A simulation begins at noon of 2000-01-01 (UTC), a day after the birth of its monotonic clock.
constexpr time_point first_moment{std::chrono::hours(24)};
constexpr std::chrono::system_clock::time_point first_noon{std::chrono::seconds(946'728'000)};

thread_local time_point const* clock_of_thread = nullptr;
std::atomic<int> simulations = 0;

time_point monotonic_now() noexcept {
    if (clock_of_thread != nullptr) return *clock_of_thread;
    return std::chrono::time_point_cast<duration>(std::chrono::steady_clock::now());
}

std::chrono::system_clock::time_point virtual_wall_now() noexcept {
    if (clock_of_thread == nullptr) return std::chrono::system_clock::now();
    return first_noon + std::chrono::duration_cast<std::chrono::system_clock::duration>(
                            *clock_of_thread - first_moment);
}

class simulated_driver final : public driver,
                               private receive_buffers::provider,
                               private simulated_sink {
public:
    explicit simulated_driver(simulated_options const& options)
        : buffers_(options.receive_buffers, options.receive_copies),
          random_(options.seed),
          network_(options, *this),
          report_(options.report) {
        RILL_ASSERT(clock_of_thread == nullptr, "one simulation on a thread at a time");
        buffers_.attach(*this);
        clock_of_thread = &now_;
        if (simulations++ == 0)
            log::set_clocks({.wall = virtual_wall_now, .monotonic = monotonic_now});
    }

    ~simulated_driver() override {
        if (report_ != nullptr) {
            *report_ = {.open_descriptors = network_.open_descriptors(), .trace = trace_};
        }
        buffers_.detach();
        if (--simulations == 0) log::set_clocks({});
        clock_of_thread = nullptr;
    }

    // One core, one thread: whoever delivers does so before the core waits.
    void attach(mailbox&) noexcept override {}

    void start(request& what) noexcept override {
        what.started();
        ++in_flight_;
        submitted_.push_back({.what = &what, .is_cancel = false});
    }

    void cancel(request& what) noexcept override {
        if (!what.in_flight() || what.cancelling()) return;
        what.note_cancel();
        submitted_.push_back({.what = &what, .is_cancel = true});
    }

    void turn(time_point until) noexcept override {
        for (;;) {
            buffers_.retry_waiters(until > now_);
            if (round() || until <= now_) return;
            time_point const next = std::min(until, network_.next_arrival());
            RILL_ASSERT(next != never,
                        "deadlock in the simulation: every task waits for something that nobody "
                        "will do; look for a read without a writer, or an accept without a client");
            now_ = std::max(now_, next);
        }
    }

    std::size_t in_flight() const noexcept override { return in_flight_; }
    time_point now() const noexcept override { return now_; }

    std::chrono::system_clock::time_point wall_now() const noexcept override {
        return virtual_wall_now();
    }

    void random(mutable_bytes into) noexcept override {
        for (std::size_t i = 0; i < into.size(); ++i) {
            into.data()[i] = static_cast<std::byte>(random_.next() >> 56);
        }
    }

    receive_buffers& buffers() noexcept override { return buffers_; }
    char const* name() const noexcept override { return "simulated"; }

    result<int> listen(address const& at, listen_settings const& with) override {
        return network_.listen(at, with);
    }
    std::optional<int> accept_ready(int listener) noexcept override {
        return network_.accept_ready(listener);
    }
    result<int> open_stream(address::family) override { return network_.open_stream(); }
    void configure(int descriptor, stream_settings const& with) noexcept override {
        network_.configure(descriptor, with);
    }
    void shut_down(int descriptor, shutdown_side side) noexcept override {
        network_.shut_down(descriptor, side);
    }
    void close(int descriptor) noexcept override { network_.close(descriptor); }
    void reset_on_close(int descriptor) noexcept override { network_.reset_on_close(descriptor); }
    bool broken(int descriptor) noexcept override { return network_.broken(descriptor); }
    address local(int descriptor) override { return network_.local(descriptor); }
    address remote(int descriptor) override { return network_.remote(descriptor); }

    counters totals() const noexcept override { return totals_; }

private:
    struct submission {
        request* what;
        bool is_cancel;
    };
    struct completion {
        request* what;
        int value;
        std::uint32_t buffer;
        bool more;
    };

    void provide(std::uint32_t index) noexcept override { free_buffers_.push_back(index); }

    std::uint32_t take_buffer() noexcept override {
        if (free_buffers_.empty()) return request::no_buffer;
        std::uint32_t const index = free_buffers_.front();
        free_buffers_.pop_front();
        return index;
    }
    bool has_buffer() const noexcept override { return !free_buffers_.empty(); }
    mutable_bytes memory_of(std::uint32_t buffer) noexcept override {
        return {buffers_.block(buffer), receive_buffers::block_bytes};
    }
    void complete(request& what, int value, std::uint32_t buffer, bool more) override {
        completed_.push_back({.what = &what, .value = value, .buffer = buffer, .more = more});
    }

    /// Takes what was submitted, lets arrive what is due, and delivers. True when a result was
    /// delivered or there is more to do at this moment.
    bool round() noexcept {
        ++totals_.enters;
        network_.set_now(now_);
        std::vector<submission> submitted;
        submitted.swap(submitted_);
        // A cancel races with what arrives at the same moment: the seed says who wins.
        std::vector<request*> late_cancels;
        for (submission const& each : submitted) {
            if (!each.is_cancel) {
                network_.start(*each.what);
            } else if (random_.coin()) {
                network_.cancel(*each.what);
            } else {
                late_cancels.push_back(each.what);
            }
        }
        bool const went_on = network_.go_on();
        network_.arrive();
        for (request* const each : late_cancels) network_.cancel(*each);
        return deliver() || went_on || network_.next_arrival() <= now_;
    }

    bool deliver() noexcept {
        std::vector<completion> completed;
        completed.swap(completed_);
        for (completion const& each : completed) {
            if (!each.more) {
                --in_flight_;
                if (each.what->cancelling()) {
                    std::erase_if(submitted_, [&](submission const& one) {
                        return one.is_cancel && one.what == each.what;
                    });
                }
            }
            ++totals_.completions;
            note(each);
            each.what->answer(each.value, each.buffer, each.more);
        }
        return !completed.empty();
    }

    void note(completion const& what) noexcept {
        auto const mix = [this](std::uint64_t value) {
            for (int i = 0; i < 8; ++i, value >>= 8) {
                trace_ = (trace_ ^ (value & 0xff)) * 0x100'0000'01b3;  // FNV-1a
            }
        };
        mix(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
        mix(static_cast<std::uint64_t>(what.what->what()));
        mix(static_cast<std::uint64_t>(what.what->descriptor()));
        mix(static_cast<std::uint64_t>(what.value));
    }

    time_point now_ = first_moment;
    receive_buffers buffers_;
    std::deque<std::uint32_t> free_buffers_;
    simulated_random random_;
    std::vector<submission> submitted_;
    std::vector<completion> completed_;
    simulated_network network_;
    simulated_report* report_;
    std::size_t in_flight_ = 0;
    counters totals_{};
    std::uint64_t trace_ = 0xcbf2'9ce4'8422'2325;
};

}  // namespace

std::unique_ptr<driver> make_simulated_driver(simulated_options const& options) {
    return std::make_unique<simulated_driver>(options);
}

}  // namespace rill
