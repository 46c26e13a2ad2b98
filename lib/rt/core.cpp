// The loop of a core: run what is ready, submit and wait once, collect, repeat.
#include "rill/rt/core.hpp"

#include <algorithm>
#include <utility>

#include "driver.hpp"
#include "mailbox.hpp"
#include "make_driver.hpp"
#include "receive_buffers.hpp"

namespace rill {

namespace {

// How many ready nodes run before the core looks at the kernel again, and how long they may take
// together. The clock is read once for so many: a turn of a busy server rarely runs more.
constexpr std::uint32_t ready_per_turn = 512;
constexpr duration ready_time = 500us;
constexpr std::uint32_t ready_per_look = 8;
static_assert(ready_per_turn % ready_per_look == 0);

thread_local core* this_core = nullptr;

}  // namespace

core& core::current() noexcept {
    RILL_ASSERT(this_core != nullptr, "call this from a coroutine that a core runs (rill::run)");
    return *this_core;
}

core* core::current_or_null() noexcept {
    return this_core;
}

core::core(core_options const& options, std::uint32_t index) : core(make_driver(options), index) {}

core::core(std::unique_ptr<class driver> over, std::uint32_t index)
    : driver_(std::move(over)),
      mailbox_(std::make_shared<mailbox>()),
      timers_(driver_->now()),
      now_(driver_->now()),
      ready_time_(ready_time),
      ready_per_look_(ready_per_look),
      index_(index) {
    RILL_ASSERT(this_core == nullptr, "one core per thread");
    this_core = this;
    driver_->attach(*mailbox_);
}

core::~core() {
    close();
    services_.clear();
    this_core = nullptr;
}

receive_buffers& core::buffers() noexcept {
    return driver_->buffers();
}

time_point core::clock() const noexcept {
    return driver_->now();
}

std::chrono::system_clock::time_point core::wall_now() const noexcept {
    return driver_->wall_now();
}

core::counters core::totals() const noexcept {
    auto const totals = driver_->totals();
    return {.turns = turns_, .enters = totals.enters, .completions = totals.completions};
}

void core::drive(bool const& done) noexcept {
    while (!done) {
        mailbox_->drain(*this);
        run_due();
        // What ran may have been the last that was to be done: then there is nothing to wait for,
        // but what it has started (a close, say) is still handed to the kernel.
        if (!done && idle() && idle_hook_ != nullptr) idle_hook_(idle_context_);
        turn(!done);
    }
}

core* core::make_current(core* which) noexcept {
    return std::exchange(this_core, which);
}

void core::step() noexcept {
    now_ = std::max(now_, driver_->now());
    mailbox_->drain(*this);
    run_due();
    if (idle() && idle_hook_ != nullptr) idle_hook_(idle_context_);
    turn(false);
}

bool core::quiet() const noexcept {
    return idle() && mailbox_->empty();
}

void core::run_due() noexcept {
    timers_.advance(now_);
    for (std::uint32_t left = ready_per_turn; left != 0; left -= ready_per_look_) {
        if (run_ready(ready_per_look_) < ready_per_look_ || clock() - now_ >= ready_time_) return;
    }
}

void core::look_every(duration length) noexcept {
    ready_time_ = std::min(ready_time_, length);
    ready_per_look_ = 1;
}

void core::turn(bool may_wait) noexcept {
    ++turns_;
    bool const sleep = may_wait && idle() && mailbox_->prepare_to_sleep();
    slept_ = sleep;
    driver_->turn(sleep ? timers_.next() : time_point::min());
    if (sleep) mailbox_->awake();
    now_ = std::max(now_, driver_->now());
}

void core::close() noexcept {
    // What other threads have sent before the door closes runs here; it may start something.
    mailbox_->close(*this);
    // What is still in flight belongs to objects that were closed: their last completions are
    // awaited, so that no memory is given back that the kernel may write to. The last turn hands
    // the kernel what was started without a completion to come.
    bool waits = false;
    do {
        run_due();
        waits = driver_->in_flight() != 0;
        driver_->turn(waits && idle() ? timers_.next() : time_point::min());
        now_ = std::max(now_, driver_->now());
    } while (waits || !idle());
}

}  // namespace rill
