// heartbeat: says something when nothing was said for a while, and gives up on a silent peer.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "rill/base/error.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/task.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/sleep.hpp"

namespace rill {

/// When to say something and when to give up.
struct heartbeat_options {
    /// A ping is sent when nothing was sent for this long; 0 sends none. The peer's own patience
    /// should be two or three times as long.
    duration ping_after = 15s;
    /// The peer is given up when nothing came from it for this long; 0 waits for ever.
    duration give_up_after = 45s;
};
static_assert(std::is_trivially_destructible_v<heartbeat_options>);

/// When a connection was last heard of, and when it last said something.
///
/// Core: the core that made it. Cost: two moments; no timer of its own.
class heartbeat {
public:
    /// Begins now.
    explicit heartbeat(heartbeat_options with = {}) noexcept : with_(with) {
        sent();
        received();
    }

    /// Something was sent just now.
    void sent() noexcept { sent_ = core::current().now(); }
    /// Something came just now.
    void received() noexcept { received_ = core::current().now(); }

    /// When a ping is due; `never` where none is sent.
    [[nodiscard]] time_point ping_at() const noexcept { return after(sent_, with_.ping_after); }
    /// When the peer is given up; `never` where it is not.
    [[nodiscard]] time_point give_up_at() const noexcept {
        return after(received_, with_.give_up_after);
    }

private:
    static time_point after(time_point since, duration length) noexcept {
        return length > duration::zero() ? later(since, length) : never;
    }

    heartbeat_options with_;
    time_point sent_;
    time_point received_;
};

namespace detail {

template <class Ping>
task<> ping_when_idle(heartbeat& pulse, Ping& ping) {
    for (;;) {
        co_await sleep_until(pulse.ping_at());
        if (core::current().now() < pulse.ping_at()) continue;  // something was sent meanwhile
        static_cast<void>(co_await ping());
        pulse.sent();
    }
}

/// Ends by an error once the peer has been silent for too long.
[[nodiscard]] RILL_API task<> watch_silence(heartbeat& pulse);

}  // namespace detail

/// Runs `body()`, which gives a task, and beside it the heartbeat of its connection.
///
/// The body tells `pulse` of its traffic: `pulse.received()` after each message that came,
/// `pulse.sent()` after each that was sent. `ping()` gives something to await that sends a message
/// to which the peer reacts; writers of a stream wait for each other, so it may stand in line
/// behind the body's. Either side of a connection may have one, or both.
///
/// Returns   what the body gives; the heartbeat ends with it. A ping that is cut then leaves the
///           stream `write_broken`, as every write does that is cancelled part way.
/// Errors    those of body and ping; `timed_out` when nothing came for `give_up_after`, also while
///           a write waits. The body has been cancelled and has ended by then.
/// Lifetime  `pulse` and the callables live until the await ends.
/// Cancel    cancels body and heartbeat, and waits for them.
template <class Ping, class Body>
[[nodiscard]] auto with_heartbeat(heartbeat& pulse, Ping&& ping, Body&& body)
    -> task<typename std::invoke_result_t<Body&>::value_type> {
    using value = typename std::invoke_result_t<Body&>::value_type;
    auto won = co_await when_any(body(), detail::ping_when_idle(pulse, ping),
                                 detail::watch_silence(pulse));
    if constexpr (!std::is_void_v<value>) co_return std::get<0>(std::move(won.value));
}

}  // namespace rill
