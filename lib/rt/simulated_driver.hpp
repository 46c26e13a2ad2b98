// The simulated driver: one core's door to a simulated world. The same program over it does the
// same things in the same order, faster than time passes, without a port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "driver.hpp"
#include "receive_buffers.hpp"
#include "simulated_sink.hpp"

namespace rill {

class simulated_world;
struct simulated_options;

/// Makes a driver over a world of its own, for a core that drives itself.
///
/// Time passes only in `turn`, when it has nothing to deliver: to the next event or to `until`.
/// When there is neither, every task waits for something that nobody will do; that asserts.
[[nodiscard]] std::unique_ptr<driver> make_simulated_driver(simulated_options const& options);

/// The driver of one more core of a world.
[[nodiscard]] std::unique_ptr<driver> make_driver_of_world(simulated_world& in);

/// The driver of one core in a world, which may have others.
class simulated_driver final : public driver, private simulated_sink {
public:
    simulated_driver(simulated_world& in, std::uint32_t receive_buffers,
                     std::uint32_t receive_copies);
    explicit simulated_driver(std::unique_ptr<simulated_world> own);
    simulated_driver(simulated_driver const&) = delete;
    simulated_driver& operator=(simulated_driver const&) = delete;
    ~simulated_driver() override;

    // One thread: whoever delivers to a core does so before that core waits.
    void attach(mailbox&) noexcept override {}
    void start(request& what) noexcept override;
    void cancel(request& what) noexcept override;
    void turn(time_point until) noexcept override;
    std::size_t in_flight() const noexcept override { return in_flight_; }
    time_point now() const noexcept override;
    std::chrono::system_clock::time_point wall_now() const noexcept override;
    void random(mutable_bytes into) noexcept override;
    receive_buffers& buffers() noexcept override { return buffers_.all; }
    char const* name() const noexcept override { return "simulated"; }
    bool over_kernel() const noexcept override { return false; }

    int begin_blocking(detail::blocking_job& job) noexcept override;
    bool withdraw_blocking(detail::blocking_job& job) noexcept override;

    void look_up(name_query& what) noexcept override;
    void forget(name_query& what) noexcept override;

    result<int> listen(address const& at, listen_settings const& with) override;
    std::optional<int> accept_ready(int listener) noexcept override;
    result<int> open_stream(address::family kind) override;
    void configure(int descriptor, stream_settings const& with) noexcept override;
    void shut_down(int descriptor, shutdown_side side) noexcept override;
    void close(int descriptor) noexcept override;
    void reset_on_close(int descriptor) noexcept override;
    bool broken(int descriptor) noexcept override;
    address local(int descriptor) override;
    address remote(int descriptor) override;
    result<int> open_datagrams(address::family kind, address const* at,
                               datagram_settings const& with) override;
    result<void> set_peer(int descriptor, address const& to) override;
    result<void> join(int descriptor, address const& group, std::uint32_t interface,
                      bool leave) override;
    std::optional<send_failure> next_failure(int descriptor) noexcept override;
    std::uint64_t dropped(int descriptor) noexcept override;
    void release_name(address const& bound) noexcept override;
    result<std::array<int, 2>> open_pair(socket_kind kind) override;
    result<peer_identity> identity(int descriptor) noexcept override;
    receive_buffers* large_buffers() noexcept override;
    counters totals() const noexcept override { return totals_; }

    /// True when a turn has something to submit or to deliver.
    [[nodiscard]] bool has_work() const noexcept {
        return !submitted_.empty() || !completed_.empty();
    }
    /// Nothing is ready on any core: receivers that wait for a buffer ask again.
    void about_to_wait() noexcept { retry_waiters(true); }

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

    /// Buffers of one size, and which of them are free.
    class buffer_set final : private receive_buffers::provider {
    public:
        buffer_set(std::uint32_t count, std::uint32_t copies, std::uint32_t bytes_each)
            : all(count, copies, bytes_each) {
            all.attach(*this);
        }
        buffer_set(buffer_set const&) = delete;
        buffer_set& operator=(buffer_set const&) = delete;
        ~buffer_set() { all.detach(); }
        receive_buffers all;
        std::deque<std::uint32_t> free;

    private:
        void provide(std::uint32_t index) noexcept override { free.push_back(index); }
    };

    buffer_set& of_size(bool large) noexcept { return large ? *large_ : buffers_; }
    /// As a plan of the world says.
    void withhold_buffers() noexcept;
    void retry_waiters(bool about_to_wait) noexcept;
    std::uint32_t take_buffer(bool large) noexcept override;
    bool has_buffer(bool large) const noexcept override {
        return !(large ? *large_ : buffers_).free.empty();
    }
    mutable_bytes memory_of(std::uint32_t buffer, bool large) noexcept override {
        receive_buffers& all = of_size(large).all;
        return {all.block(buffer), all.bytes_each()};
    }
    void complete(request& what, int value, std::uint32_t buffer, bool more) override {
        completed_.push_back({.what = &what, .value = value, .buffer = buffer, .more = more});
    }
    bool round() noexcept;
    void begin(request& what) noexcept;
    void end_early(request& what) noexcept;
    bool deliver() noexcept;
    void shuffle(std::vector<completion>& what) noexcept;

    std::unique_ptr<simulated_world> own_;
    simulated_world& world_;
    buffer_set buffers_;
    std::optional<buffer_set> large_;  // from the first use
    std::vector<submission> submitted_;
    std::vector<completion> completed_;
    std::size_t in_flight_ = 0;
    std::uint32_t index_ = 0;  // among the drivers of the world, for the trace
    counters totals_{};
};

}  // namespace rill
