// A simulated world: its clock, its agenda, and its plans.
#include "simulated_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "rill/base/error.hpp"
#include "rill/base/log.hpp"
#include "simulated_driver.hpp"
#include "simulated_run.hpp"

namespace rill {

namespace {

// A simulation begins at noon of 2000-01-01 (UTC), a day after the birth of its monotonic clock.
constexpr time_point first_moment{std::chrono::hours(24)};
constexpr std::chrono::system_clock::time_point first_noon{std::chrono::seconds(946'728'000)};
// FNV-1a.
constexpr std::uint64_t first_trace = 0xcbf2'9ce4'8422'2325;
// No kernel finds no buffer for ever while there are some.
constexpr std::uint32_t most_without_buffer = 16;
constexpr std::uint64_t trace_prime = 0x100'0000'01b3;

std::atomic<int> worlds = 0;

time_point monotonic_now() noexcept {
    if (auto const* const world = simulated_world::of_thread()) return world->now();
    return std::chrono::time_point_cast<duration>(std::chrono::steady_clock::now());
}

std::chrono::system_clock::time_point virtual_wall_now() noexcept {
    auto const* const world = simulated_world::of_thread();
    return world != nullptr ? world->wall_now() : std::chrono::system_clock::now();
}

char const* name_of(verb what) noexcept {
    switch (what) {
        case verb::receive_stream:
            return "receive";
        case verb::accept_stream:
            return "accept";
        case verb::send:
            return "send";
        case verb::connect:
            return "connect";
        case verb::readable:
            return "readable";
        case verb::writable:
            return "writable";
        case verb::hangup:
            return "hangup";
        case verb::read_file:
            return "read file";
        case verb::write_file:
            return "write file";
        case verb::send_file:
            return "send file";
        case verb::open_beneath:
            return "open";
        case verb::receive_datagrams:
            return "receive datagram";
        case verb::send_message:
            return "send message";
        default:
            return "other";
    }
}

address where_of(std::string_view text) {
    if (text.empty()) return {};
    auto const parsed = address::parse(text);
    if (!parsed) {
        throw error(parsed.error(), "plan a fault at", text, "write it as 10.0.0.1:80, or :0");
    }
    return *parsed;
}

}  // namespace

void simulated_faults::pick() noexcept {
    using levels = simulation::faults;
    constexpr std::array kinds = {
        &levels::short_reads,    &levels::short_writes,   &levels::ended_streams,
        &levels::reorders,       &levels::resets,         &levels::refusals,
        &levels::partitions,     &levels::no_descriptors, &levels::no_buffers,
        &levels::disk_errors,    &levels::short_files,    &levels::clock_jumps,
        &levels::stalls,         &levels::lost_datagrams, &levels::doubled_datagrams,
        &levels::late_datagrams,
    };
    for (auto const kind : kinds) {
        // One half of the worlds is without it, a quarter has a quarter of it, one has all.
        std::uint64_t const draw = random_.below(4);
        if (draw < 2) levels_.*kind = 0;
        if (draw == 2) levels_.*kind = (levels_.*kind + 3) / 4;
    }
    if (random_.coin()) levels_.longest_delay /= 16;
}

simulated_world* simulated_world::of_thread() noexcept {
    simulated_here const* const here = simulated_here::of_thread();
    return here != nullptr ? &here->world : nullptr;
}

simulated_world::simulated_world(simulated_options const& options)
    : options_(options),
      now_(first_moment),
      random_(options.seed),
      faults_(options.faults, options.seed * 0x9e37'79b9'7f4a'7c15 + 1),
      files_(*this),
      network_(*this),
      datagrams_(*this),
      local_(*this),
      jobs_(*this),
      names_(*this),
      trace_(first_trace),
      here_{*this, files_, make_driver_of_world, run_in_simulation} {
    RILL_ASSERT(of_thread() == nullptr, "one simulation on a thread at a time");
    simulated_here::set(&here_);
    if (worlds++ == 0) log::set_clocks({.wall = virtual_wall_now, .monotonic = monotonic_now});
    for (simulated_name const& each : options.names) names_.add(each);
    if (options.faults.calm_after > duration::zero()) {
        at(later(now_, options.faults.calm_after), [this] { faults_.calm_down(); });
    }
}

simulated_world::~simulated_world() {
    end();
    if (options_.report != nullptr) {
        *options_.report = {.open_descriptors = open_descriptors(), .trace = trace_};
    }
    if (--worlds == 0) log::set_clocks({});
    simulated_here::set(nullptr);
}

void simulated_world::end() noexcept {
    jobs_.drop();
    agenda_.clear();
    network_.drop_wire();
}

std::chrono::system_clock::time_point simulated_world::wall_now() const noexcept {
    return first_noon + std::chrono::duration_cast<std::chrono::system_clock::duration>(
                            elapsed() + wall_offset_);
}

duration simulated_world::elapsed() const noexcept {
    return now_ - first_moment;
}

std::uint64_t simulated_world::at(time_point when, std::function<void()> what) {
    agenda_.emplace(std::pair(when, agenda_count_), std::move(what));
    return agenda_count_++;
}

bool simulated_world::take_back(time_point when, std::uint64_t number) noexcept {
    return agenda_.erase({when, number}) != 0;
}

time_point simulated_world::next_event() const noexcept {
    time_point const planned = agenda_.empty() ? never : agenda_.begin()->first.first;
    return std::min(planned, network_.next_arrival());
}

bool simulated_world::happen() {
    bool any = network_.go_on();
    // What an event brings about happens in the next round, also where it takes no time.
    std::uint64_t const before = agenda_count_;
    while (!agenda_.empty() && agenda_.begin()->first.first <= now_ &&
           agenda_.begin()->first.second < before) {
        auto const node = agenda_.extract(agenda_.begin());
        node.mapped()();
        any = true;
    }
    network_.arrive();
    return any || next_event() <= now_;
}

void simulated_world::pass_time_to(time_point when) noexcept {
    now_ = std::max(now_, when);
}

void simulated_world::plan(simulation::planned_fault const& what) {
    address const where = where_of(what.where);
    simulation::fault const kind = what.what;
    duration const length = what.length;
    at(later(now_, what.after), [this, kind, where, length] {
        if (kind == simulation::fault::clock_jump) return jump_clock(length);
        begin(kind, where);
        if (length <= duration::zero()) return;
        at(later(now_, length), [this, kind, where, since = healed_] {
            if (since == healed_) end(kind, where);
        });
    });
}

void simulated_world::begin(simulation::fault what, address const& where) {
    switch (what) {
        case simulation::fault::reset:
            return network_.reset_all(where);
        case simulation::fault::partition:
            return network_.cut_off(where);
        case simulation::fault::refuse:
            return network_.refuse(where);
        case simulation::fault::no_descriptors:
            ++no_descriptors_;
            return;
        case simulation::fault::no_buffers:
            ++no_buffers_;
            return;
        case simulation::fault::disk_error:
            ++disk_errors_;
            return;
        case simulation::fault::clock_jump:
            return;
    }
}

void simulated_world::end(simulation::fault what, address const& where) {
    switch (what) {
        case simulation::fault::partition:
            return network_.reach_again(where);
        case simulation::fault::refuse:
            return network_.refuse_no_more(where);
        case simulation::fault::no_descriptors:
            --no_descriptors_;
            return;
        case simulation::fault::no_buffers:
            --no_buffers_;
            return;
        case simulation::fault::disk_error:
            --disk_errors_;
            return;
        case simulation::fault::reset:
        case simulation::fault::clock_jump:
            return;
    }
}

void simulated_world::heal() {
    ++healed_;
    no_descriptors_ = no_buffers_ = disk_errors_ = 0;
    network_.heal();
}

std::size_t simulated_world::open_descriptors() const noexcept {
    return network_.open_descriptors() + datagrams_.open_descriptors() + local_.open_descriptors() +
           files_.open_descriptors();
}

bool simulated_world::descriptor_left(bool by_chance) noexcept {
    if (no_descriptors_ != 0 || open_descriptors() >= options_.most_descriptors) return false;
    return !by_chance || !faults_.roll(&simulation::faults::no_descriptors);
}

bool simulated_world::finds_no_buffer() noexcept {
    if (no_buffers_ != 0) return true;
    // Receivers that are told so while there are buffers ask again at once, as on a ring.
    if (std::exchange(no_buffer_moment_, now_) != now_) no_buffer_count_ = 0;
    if (no_buffer_count_ == most_without_buffer) return false;
    bool const none = faults_.roll(&simulation::faults::no_buffers);
    if (none) ++no_buffer_count_;
    return none;
}

bool simulated_world::disk_fails_by_chance() noexcept {
    return faults_.roll(&simulation::faults::disk_errors);
}

void simulated_world::mix(std::uint64_t value) noexcept {
    for (int i = 0; i < 8; ++i, value >>= 8) trace_ = (trace_ ^ (value & 0xff)) * trace_prime;
}

void simulated_world::note(std::uint32_t index, request const& what, int value) {
    mix(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
    mix(static_cast<std::uint64_t>(what.what()));
    mix(static_cast<std::uint64_t>(what.descriptor()));
    mix(static_cast<std::uint64_t>(value));
    if (options_.trace == nullptr) return;
    fmt::format_to(std::back_inserter(*options_.trace), "{:>16} ns  core {}  {} on {}: {}\n",
                   elapsed().count(), index, name_of(what.what()), what.descriptor(), value);
}

int simulated_world::note_call(char const* what, std::string_view on, int value) {
    mix(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
    for (char const each : on) mix(static_cast<unsigned char>(each));
    mix(static_cast<std::uint64_t>(value));
    if (options_.trace != nullptr) {
        fmt::format_to(std::back_inserter(*options_.trace), "{:>16} ns  files   {}{}{}: {}\n",
                       elapsed().count(), what, on.empty() ? "" : " ", on, value);
    }
    return value;
}

}  // namespace rill
