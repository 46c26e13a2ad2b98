// The loop over all cores of a simulation: one of those that have something to do takes a turn;
// when none has, time passes.
#include "simulated_cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "rill/coro/describe.hpp"
#include "simulated_driver.hpp"

namespace rill {

namespace {

/// The place that matters is the innermost one.
std::string place_of(chain& line) {
    chain* innermost = &line;
    while (operation* const wait = innermost->waiting_for()) {
        chain* const inner = wait->inner_chain();
        if (inner == nullptr) break;
        innermost = inner;
    }
    return describe(*innermost);
}

}  // namespace

simulated_cores::simulated_cores(simulated_world& in, core_options const& options,
                                 std::uint32_t count, simulated_limits const& limits)
    : world_(in), limits_(limits), set_(count) {
    try {
        for (std::uint32_t i = 0; i < count; ++i) {
            auto& made = *seats_.emplace_back(std::make_unique<seat>(*this, i));
            auto io = std::make_unique<simulated_driver>(in, options.receive_buffers,
                                                         options.receive_copies);
            made.io = io.get();
            made.home = std::make_unique<core>(std::move(io), i);
            core::make_current(nullptr);
            made.home->join(set_);
            set_.set(i, made.home->post_box());
        }
    } catch (...) {
        close();
        throw;
    }
}

simulated_cores::~simulated_cores() {
    close();
}

void simulated_cores::close() noexcept {
    for (auto const& each : seats_) {
        if (each->home == nullptr) continue;
        core::make_current(each->home.get());
        each->home.reset();
    }
}

void simulated_cores::run(std::function<task<>(std::uint32_t)> const& body) {
    for (std::uint32_t i = 0; i < seats_.size(); ++i) {
        seat& at = *seats_[i];
        core::make_current(at.home.get());
        at.work.emplace(body, i);
        at.line.emplace(*at.home, nullptr, at.work->value, static_cast<detail::child_owner&>(at),
                        0);
        at.home->set_root(&*at.line);
        ++running_;
        at.line->begin();
        core::make_current(nullptr);
    }
    while (running_ != 0) {
        if (seat* const next = choose()) {
            step(*next);
        } else if (!pass_time()) {
            std::string why = "every task waits for something that nobody will do";
            if (world_.buffers_taken()) why += "; no receive buffer can be had, by plan";
            give_up(std::move(why));
        }
    }
    for (auto const& each : seats_) {
        core::make_current(each->home.get());
        each->home->set_root(nullptr);
        each->line.reset();
        each->work.reset();
        core::make_current(nullptr);
    }
    if (failure_) std::rethrow_exception(failure_);
}

void simulated_cores::seat::child_ended(std::size_t, outcome how) noexcept {
    ended = true;
    home->set_root(nullptr);
    --of_.running_;
    if (how == outcome::stopped) {
        of_.fail(std::make_exception_ptr(error(errc::cancelled, "run")), index_);
        return;
    }
    try {
        static_cast<void>(line->take());
    } catch (...) {
        of_.fail(std::current_exception(), index_);
    }
}

/// The first that fails stops the others, whose failures then follow from it.
void simulated_cores::fail(std::exception_ptr why, std::uint32_t index) noexcept {
    if (failure_) return;
    failure_ = std::move(why);
    for (std::uint32_t i = 0; i < seats_.size(); ++i) {
        if (i != index) seats_[i]->stop = cancel_reason::sibling;
    }
}

bool simulated_cores::has_work(seat const& at) const noexcept {
    if (at.stop != cancel_reason::none && !at.ended) return true;
    return !at.home->quiet() || at.io->has_work() || at.home->timers().next() <= world_.now();
}

/// One of the cores that have something to do, by the seed; null when none has.
simulated_cores::seat* simulated_cores::choose() {
    able_.clear();
    for (auto const& each : seats_) {
        if (has_work(*each)) able_.push_back(each.get());
    }
    if (able_.empty()) return nullptr;
    return able_.size() == 1 ? able_.front() : able_[world_.random().below(able_.size())];
}

void simulated_cores::step(seat& at) {
    simulated_faults& faults = world_.faults();
    if (faults.roll(&simulation::faults::stalls)) {
        world_.pass_time_to(later(world_.now(), faults.length(faults.levels().longest_stall)));
    }
    if (faults.roll(&simulation::faults::clock_jumps)) {
        duration const jump = faults.length(faults.levels().longest_jump);
        world_.jump_clock(world_.random().coin() ? jump : -jump);
    }
    core::make_current(at.home.get());
    cancel_reason const stop = std::exchange(at.stop, cancel_reason::none);
    if (stop != cancel_reason::none) at.home->stop(stop);
    at.home->step();
    core::make_current(nullptr);
    ++turns_;
    if (++turns_at_once_ > limits_.turns_at_once) give_up("a task spins: no time passes");
    if (turns_ > limits_.turns) give_up("too many turns: give it less to do");
}

/// Lets time pass to what happens next. False when nothing will.
bool simulated_cores::pass_time() {
    for (auto const& each : seats_) {
        core::make_current(each->home.get());
        each->io->about_to_wait();
        core::make_current(nullptr);
        if (each->io->has_work()) return true;
    }
    time_point next = world_.next_event();
    for (auto const& each : seats_) next = std::min(next, each->home->timers().next());
    if (next == never) return false;
    if (next > world_.now()) turns_at_once_ = 0;
    world_.pass_time_to(next);
    world_.happen();
    if (world_.elapsed() > limits_.longest) {
        give_up(
            fmt::format("has not ended after {} s of virtual time",
                        std::chrono::duration_cast<std::chrono::seconds>(limits_.longest).count()));
        limits_.longest = duration::max();
    }
    return true;
}

/// Ends a program that does not end, once; a second time there is nothing left to do.
void simulated_cores::give_up(std::string why) {
    for (std::uint32_t i = 0; i < seats_.size(); ++i) {
        if (seats_[i]->ended) continue;
        why += fmt::format("\n on core {}:\n{}", i, place_of(*seats_[i]->line));
    }
    if (given_up_) {
        std::fprintf(stderr, "rill: %s\n", why.c_str());
        RILL_ASSERT(!given_up_, "a cancelled task ends: look for a wait under shield");
    }
    given_up_ = true;
    turns_at_once_ = 0;
    limits_.turns = UINT64_MAX;
    if (!failure_) failure_ = std::make_exception_ptr(simulation::failure(why));
    for (auto const& each : seats_) each->stop = cancel_reason::shutdown;
}

}  // namespace rill
