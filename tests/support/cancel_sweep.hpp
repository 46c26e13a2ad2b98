// The cancel sweep: runs a program again and again and cancels it at its first, second, ... step,
// until it completes uncancelled. After each run nothing may leak, wait or be in flight.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "support/manual_executor.hpp"

namespace rill::test {

class pause_operation;

/// The world that a program of the sweep runs in: a core, a clock of turns, and what is counted.
class sweep_world {
public:
    manual_executor home;
    int live = 0;           ///< `counted` objects that exist.
    std::vector<int> log;   ///< For the program's own notes.
    chain* line = nullptr;  ///< The line under test, once it exists.

    /// Completes after `turns` turns of the clock and gives `value`; ends at once when cancelled.
    [[nodiscard]] pause_operation pause(int turns = 1, int value = 0);
    /// The same, but a cancellation does not end it before its turns are over.
    [[nodiscard]] pause_operation stubborn(int turns = 1, int value = 0);
    /// Fails after `turns` turns.
    [[nodiscard]] pause_operation failing(int turns = 1, errc code = errc::protocol);

    /// Runs one ready node, or turns the clock when none is ready. False when all is quiet.
    bool step();
    /// Steps until all is quiet; fails the test where that never happens.
    void settle() {
        int steps = 0;
        while (step()) REQUIRE(++steps < 1'000'000);
    }
    /// Operations that have started and not completed.
    [[nodiscard]] std::size_t in_flight() const { return waiting_.size(); }

    /// Cancels `line` in the `number`th start of one of the world's operations, from inside.
    void cancel_inside(int number) { starts_left_ = number; }

private:
    friend class pause_operation;
    std::vector<pause_operation*> waiting_;
    int starts_left_ = 0;
};

/// What `sweep_world::pause` gives.
class pause_operation final : public value_operation<int> {
public:
    pause_operation(sweep_world& world, int turns, result<int> gives, bool stubborn)
        : world_(world), turns_(turns), gives_(gives), stubborn_(stubborn) {}
    [[nodiscard]] char const* name() const noexcept override { return "pause"; }

private:
    friend class sweep_world;
    bool start() noexcept override {
        if (world_.starts_left_ > 0 && --world_.starts_left_ == 0)
            world_.line->cancel(cancel_reason::user);
        if (turns_ == 0) {
            set_result(gives_);
            return false;
        }
        world_.waiting_.push_back(this);
        return true;
    }
    void cancel(cancel_reason) noexcept override {
        if (stubborn_) return;
        auto const place = std::find(world_.waiting_.begin(), world_.waiting_.end(), this);
        REQUIRE(place != world_.waiting_.end());
        world_.waiting_.erase(place);
        set_result(errc::cancelled);
        complete();
    }
    bool turn() noexcept {
        if (--turns_ > 0) return false;
        set_result(gives_);
        complete();
        return true;
    }

    sweep_world& world_;
    int turns_;
    result<int> gives_;
    bool stubborn_;
};

inline pause_operation sweep_world::pause(int turns, int value) {
    return pause_operation(*this, turns, value, false);
}
inline pause_operation sweep_world::stubborn(int turns, int value) {
    return pause_operation(*this, turns, value, true);
}
inline pause_operation sweep_world::failing(int turns, errc code) {
    return pause_operation(*this, turns, code, false);
}

inline bool sweep_world::step() {
    if (!home.idle()) {
        home.run_ready(1);
        return true;
    }
    if (waiting_.empty()) return false;
    std::erase_if(waiting_, [](pause_operation* each) { return each->turn(); });
    return true;
}

/// An object whose number is watched: what a frame holds must go away with it.
class counted {
public:
    explicit counted(sweep_world& world) : world_(&world) { ++world_->live; }
    counted(counted const& other) : world_(other.world_) { ++world_->live; }
    counted& operator=(counted const&) = delete;
    ~counted() { --world_->live; }

private:
    sweep_world* world_;
};

namespace sweep_detail {

template <class Program, class After>
bool sweep_once(Program const& program, After const& after, int point, bool inside) {
    CAPTURE(point);
    CAPTURE(inside);
    sweep_world world;
    bool completed = false;
    {
        root main(world.home, [&] { return program(world); });
        if (inside) {
            world.line = &main.line();
            world.cancel_inside(point + 1);
        } else {
            for (int i = 0; i < point && world.step();) ++i;
            if (!main.ended()) main.cancel();
        }
        world.settle();
        REQUIRE_MESSAGE(main.ended(), "the program is stuck");
        REQUIRE(world.in_flight() == 0);
        completed = !main.line().cancelled();
        CHECK((main.stopped() || main.completed()));
        if (completed) CHECK(main.completed());
    }
    CHECK(world.live == 0);
    after(world, completed);
    return completed;
}

}  // namespace sweep_detail

/// Sweeps `program(world)`, which gives a task. After each run `after(world, completed)` looks at
/// what it left behind. Returns at how many points it was cancelled.
template <class Program, class After>
int cancel_sweep(Program const& program, After const& after) {
    constexpr int most = 100'000;
    int points = 0;
    // From outside, between two steps of the core; and from inside an operation's start.
    while (!sweep_detail::sweep_once(program, after, points, false)) REQUIRE(++points < most);
    int inside = 0;
    while (!sweep_detail::sweep_once(program, after, inside, true)) REQUIRE(++inside < most);
    return points + inside;
}
/// The same, with nothing to look at afterwards.
template <class Program>
int cancel_sweep(Program const& program) {
    return cancel_sweep(program, [](sweep_world&, bool) {});
}

}  // namespace rill::test
