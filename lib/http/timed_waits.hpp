// The waits of a connection whose server looks at how long requests wait for their core.
#pragma once

#include "http/idle_wait.hpp"

namespace rill::http {

/// An `idle_wait` that notes when its input came.
class timed_idle_wait final : public idle_wait {
public:
    timed_idle_wait(server_core& home, byte_stream& peer, time_point deadline) noexcept
        : idle_wait(home, peer, deadline) {}

    /// How long the input has waited for its core, at most: what came while the core was busy is
    /// taken to have come when it last looked. What was there before the wait is taken to have come
    /// when the answer before it had been sent, at `answered`; `never` for none.
    [[nodiscard]] duration waited(time_point now, time_point answered) const noexcept {
        time_point const came = came_ != never ? came_ : answered;
        return came != never ? now - came : duration::zero();
    }

private:
    void arrived(result<lease> input) noexcept override {
        came_ = of_core().arrival_bound();
        idle_wait::arrived(std::move(input));
    }

    time_point came_ = never;
};

/// A write that notes when the kernel had taken it. While its coroutine waits for the core, the
/// client may have sent its next request.
class timed_write final : public write_operation {
public:
    timed_write(core& home, byte_stream& to, bytes what, time_point deadline) noexcept
        : write_operation(to, what, deadline), home_(home) {}

    [[nodiscard]] time_point done() const noexcept { return done_; }

private:
    void written(result<void> outcome) noexcept override {
        done_ = home_.arrival_bound();
        write_operation::written(outcome);
    }

    core& home_;
    time_point done_ = never;
};

}  // namespace rill::http
