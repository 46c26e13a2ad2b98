// A simulated world: the clock, what will happen when, the network, the files, and what goes wrong.
// The cores of a program share one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rill/base/time.hpp"
#include "rill/rt/simulation.hpp"
#include "simulated_datagrams.hpp"
#include "simulated_faults.hpp"
#include "simulated_files.hpp"
#include "simulated_here.hpp"
#include "simulated_jobs.hpp"
#include "simulated_local.hpp"
#include "simulated_names.hpp"
#include "simulated_network.hpp"
#include "simulated_random.hpp"

namespace rill {

/// What one simulation has seen, for tests; written when the world ends.
struct simulated_report {
    std::size_t open_descriptors = 0;  // sockets and files that nobody closed
    std::uint64_t trace = 0;           // a hash over every result: when, of what, on what, which
};

/// What a simulated world is like.
struct simulated_options {
    std::uint64_t seed = 1;
    /// From the sending of a segment to its arrival; nothing moves the clock but waiting.
    duration latency = duration::zero();
    /// Bytes that a side takes before its reader has read: writers wait beyond it.
    std::size_t window_bytes = 64 * 1024;
    /// Every send ends short, after a number of bytes that the seed chooses.
    bool short_sends = false;
    /// At most this many bytes in one received buffer; 0 is no limit but the buffer's.
    std::size_t most_received = 0;
    /// Descriptors that may be open at once; beyond it EMFILE.
    std::size_t most_descriptors = 1'000'000;
    std::uint32_t receive_buffers = 1024;
    std::uint32_t receive_copies = 4096;
    simulation::faults faults = {};
    /// Hosts and their addresses.
    std::vector<simulated_name> names = {};
    simulated_report* report = nullptr;
    /// A line for each result is appended here; null for none.
    std::string* trace = nullptr;
};

/// One world on its thread.
class simulated_world {
public:
    explicit simulated_world(simulated_options const& options);
    simulated_world(simulated_world const&) = delete;
    simulated_world& operator=(simulated_world const&) = delete;
    ~simulated_world();

    /// The world of this thread; null where there is none.
    [[nodiscard]] static simulated_world* of_thread() noexcept;

    [[nodiscard]] simulated_options const& options() const noexcept { return options_; }
    [[nodiscard]] time_point const& now() const noexcept { return now_; }
    [[nodiscard]] std::chrono::system_clock::time_point wall_now() const noexcept;
    [[nodiscard]] duration elapsed() const noexcept;
    /// Decides what order things have, and what programs ask for.
    [[nodiscard]] simulated_random& random() noexcept { return random_; }
    [[nodiscard]] simulated_faults& faults() noexcept { return faults_; }
    [[nodiscard]] simulated_network& network() noexcept { return network_; }
    [[nodiscard]] simulated_datagrams& datagrams() noexcept { return datagrams_; }
    [[nodiscard]] simulated_local& local() noexcept { return local_; }
    [[nodiscard]] simulated_files& files() noexcept { return files_; }
    [[nodiscard]] simulated_jobs& jobs() noexcept { return jobs_; }
    [[nodiscard]] simulated_names& names() noexcept { return names_; }

    /// Lets `what` happen at `when`, behind all that was to happen then. Returns its number.
    std::uint64_t at(time_point when, std::function<void()> what);
    /// Takes it back; false when it has happened.
    bool take_back(time_point when, std::uint64_t number) noexcept;
    /// When the next thing happens by itself; `never` when nothing will.
    [[nodiscard]] time_point next_event() const noexcept;
    /// Lets all happen that is due. True when something was, or is due again.
    bool happen();
    void pass_time_to(time_point when) noexcept;

    /// Makes a planned or injected fault happen in its time.
    void plan(simulation::planned_fault const& what);
    /// Nothing planned goes on.
    void heal();
    void jump_clock(duration by) noexcept { wall_offset_ += by; }
    /// Whether a descriptor can be had, by number, plan and chance.
    [[nodiscard]] bool descriptor_left(bool by_chance = true) noexcept;
    [[nodiscard]] std::size_t open_descriptors() const noexcept;
    /// Whether a receive is to find no buffer, by plan and chance.
    [[nodiscard]] bool finds_no_buffer() noexcept;
    /// Whether a plan keeps all buffers: asking again is of no use before it ends.
    [[nodiscard]] bool buffers_taken() const noexcept { return no_buffers_ != 0; }
    /// Whether a plan has the disk fail.
    [[nodiscard]] bool disk_gone() const noexcept { return disk_errors_ != 0; }
    [[nodiscard]] bool disk_fails_by_chance() noexcept;
    /// The program has ended: what its pool has still to do is not done, and what is on its way
    /// does not arrive.
    void end() noexcept;
    /// A core has ended that receivers still held buffers of.
    void note_unreturned(std::uint32_t buffers) noexcept { unreturned_ += buffers; }
    [[nodiscard]] std::uint32_t unreturned_buffers() const noexcept { return unreturned_; }

    /// Writes down a result that core `index` is given.
    void note(std::uint32_t index, request const& what, int value);
    /// The same of a call on files, on the path `on` where it takes one. Returns `value`.
    int note_call(char const* what, std::string_view on, int value);
    [[nodiscard]] std::uint64_t trace() const noexcept { return trace_; }
    [[nodiscard]] std::uint32_t next_index() noexcept { return indices_++; }

private:
    void mix(std::uint64_t value) noexcept;
    void begin(simulation::fault what, address const& where);
    void end(simulation::fault what, address const& where);

    simulated_options options_;
    time_point now_;
    duration wall_offset_ = duration::zero();
    simulated_random random_;
    simulated_faults faults_;
    simulated_files files_;  // before what descriptors of files travel through
    simulated_network network_;
    simulated_datagrams datagrams_;
    simulated_local local_;
    simulated_jobs jobs_;
    simulated_names names_;
    std::map<std::pair<time_point, std::uint64_t>, std::function<void()>> agenda_;
    std::uint64_t agenda_count_ = 0;
    // How many plans of this kind are in force.
    std::uint32_t no_descriptors_ = 0;
    std::uint32_t no_buffers_ = 0;
    std::uint32_t disk_errors_ = 0;
    // Receives that chance has told that there is no buffer, at one and the same moment.
    time_point no_buffer_moment_{};
    std::uint32_t no_buffer_count_ = 0;
    std::uint64_t healed_ = 0;  // plans from before do not end again
    std::uint64_t trace_;
    simulated_here here_;
    std::uint32_t indices_ = 0;
    std::uint32_t unreturned_ = 0;
};

}  // namespace rill
