// The closed and the open loop: connections, time, what was measured.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "clocks.hpp"
#include "histogram.hpp"
#include "options.hpp"
#include "ring.hpp"
#include "windows.hpp"
#include "workload.hpp"

namespace load {

struct measurement {
    std::uint64_t requests = 0;  ///< answered while measuring
    std::uint64_t refused = 0;   ///< open loop: answered with 503, not in `requests` or `latency`
    std::uint64_t late = 0;      ///< open loop: of those, answered after the time of measuring
    nanoseconds wall = 0;
    nanoseconds own_cpu = 0;
    nanoseconds server_cpu = 0;  ///< of options::watch
    histogram latency;           ///< closed loop: per batch; open loop: since the intended moment
    windows by_time;             ///< open loop: the same, by the intended moment
    histogram send_lag;  ///< open loop: how late a request left although a connection was free
};

class engine {
public:
    engine(options const& chosen, std::unique_ptr<workload> work);
    engine(engine const&) = delete;
    engine& operator=(engine const&) = delete;
    ~engine();

    /// Connects, warms up, measures, waits for the last answers. Throws `failure` for any answer
    /// that is wrong or missing.
    [[nodiscard]] measurement run();

private:
    struct connection {
        int fd = -1;
        std::size_t outstanding = 0;
        nanoseconds started = 0;
    };
    enum class phase { warm, measuring, draining };

    void connect_all();
    void run_closed();
    void run_open();
    void schedule(nanoseconds moment);
    void dispatch(nanoseconds moment);
    void start(std::size_t index, nanoseconds moment);
    void on_event(event const& occurred, nanoseconds moment);
    void on_done(std::size_t index, nanoseconds moment);
    void advance(nanoseconds moment);
    void snapshot(nanoseconds moment, bool begin);
    [[nodiscard]] nanoseconds gap();

    options const& options_;
    std::unique_ptr<workload> work_;
    ring ring_;
    std::vector<connection> connections_;
    measurement result_;
    phase phase_ = phase::warm;
    nanoseconds measure_begin_ = 0;
    nanoseconds measure_end_ = 0;
    nanoseconds last_answer_ = 0;
    std::size_t busy_ = 0;
    std::uint64_t issued_ = 0;
    // Open loop. A request that finds no free connection waits here with the moment it was meant
    // for.
    std::deque<nanoseconds> waiting_;
    std::deque<std::size_t> free_;
    nanoseconds next_intended_ = 0;
    nanoseconds free_since_ = 0;
    std::mt19937_64 random_;
};

}  // namespace load
