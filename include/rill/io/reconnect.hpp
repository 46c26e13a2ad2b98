// reconnecting<T>: a connection that is made again when it is lost, with a growing delay.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "rill/base/error.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/task.hpp"
#include "rill/rt/sleep.hpp"

namespace rill {

/// How the delay between two tries grows.
enum class delay_growth : std::uint8_t {
    fixed,        ///< It does not.
    linear,       ///< By the first delay each time: 1, 2, 3, ...
    exponential,  ///< It doubles each time: 1, 2, 4, ...
};

/// How the delay is spread, so that clients of one server do not all come back at once.
enum class jitter : std::uint8_t {
    none,  ///< Not at all.
    full,  ///< Anything from nothing to the delay, evenly.
};

/// When to try again, and for how long.
struct reconnect_options {
    /// How the delay grows with the failures in a row.
    delay_growth growth = delay_growth::exponential;
    /// How it is spread; by the driver's random numbers, so that a simulation repeats it.
    jitter spread = jitter::full;
    /// The delay after the first failure; 0 tries again at once.
    duration first_delay = 250ms;
    /// The delay grows to this and no further.
    duration longest_delay = 30s;
    /// A connection that lasted this long, counted from the end of the hook, ends the row of
    /// failures; one that was lost earlier is a failure like any other. 0: the hook is enough.
    duration stable_after = 10s;
    /// One try, the hook included, takes no longer; 0 is no bound.
    duration connect_timeout = 10s;
    /// Failures in a row after which it gives up; 0 never does.
    std::uint32_t most_failures = 0;
};
static_assert(std::is_trivially_destructible_v<reconnect_options>);

/// The delays of a row of failures, without the waiting.
class RILL_API reconnect_delay {
public:
    /// Asserts that the delays are not negative.
    explicit reconnect_delay(reconnect_options const& with) noexcept;

    /// The delay after `failures` failures in a row, 1 or more, before it is spread.
    [[nodiscard]] duration whole(std::uint32_t failures) const noexcept;
    /// The same, spread by `random`, any number.
    [[nodiscard]] duration spread(std::uint32_t failures, std::uint64_t random) const noexcept;

private:
    delay_growth growth_;
    jitter jitter_;
    duration first_;
    duration longest_;
};

/// What has happened to a `reconnecting`.
struct reconnect_event {
    /// What it was.
    enum class kind : std::uint8_t {
        connecting,  ///< A try begins.
        connected,   ///< It succeeded, the hook included.
        failed,      ///< It failed: `cause`; the next one comes after `delay`.
        lost,        ///< The connection ended: `cause`; the next try comes after `delay`.
        gave_up,     ///< There is no next try: `cause`.
    };
    kind what = kind::connecting;  ///< What it was.
    std::uint32_t failures = 0;    ///< Failures in a row so far, this one included.
    std::error_code cause = {};    ///< Why; `end_of_stream` where the session just returned.
    duration delay = {};           ///< Until the next try.
    duration lasted = {};          ///< How long the connection that was lost had been there.
};

/// What a session wants after it.
enum class after_session : std::uint8_t {
    reconnect,  ///< The connection is lost: a new one.
    stop,       ///< All is done: `run` returns.
};

namespace detail {

/// What `reconnecting` is, but for the type of its connection.
class RILL_API reconnect_state {
public:
    explicit reconnect_state(reconnect_options const& with) : with_(with), delay_(with) {}
    reconnect_state(reconnect_state const&) = delete;
    reconnect_state& operator=(reconnect_state const&) = delete;
    ~reconnect_state() = default;

    void begin_run() noexcept { failures_ = 0; }
    void begin_try();
    void connected();
    /// Notes how a try or a connection has ended. Returns the delay until the next try, or throws
    /// `why` again when there is none.
    [[nodiscard]] duration ended(std::exception_ptr const& why);

    [[nodiscard]] duration connect_timeout() const noexcept { return with_.connect_timeout; }
    std::function<void(reconnect_event const&)> observer;
    std::uint64_t connects = 0;
    std::uint64_t losses = 0;

private:
    void tell(reconnect_event const& what) const {
        if (observer) observer(what);
    }

    reconnect_options with_;
    reconnect_delay delay_;
    std::uint32_t failures_ = 0;
    bool up_ = false;
    time_point since_ = {};
};

}  // namespace detail

/// Makes a connection, runs a session over it, and does so again when it is lost.
///
/// T is what a connect coroutine gives: a `tcp::stream`, or anything that can be moved and closes
/// when it is destroyed. What fails by an `error` is tried again, but for an address that is none;
/// any other exception is a bug of the program and ends `run`.
///
/// Core  one core.
template <class T>
class reconnecting {
public:
    /// Without a connection.
    explicit reconnecting(reconnect_options with = {}) : state_(with) {}

    /// Calls `observer(event)` at each event from now on. It must be short and must not throw.
    void on_event(std::function<void(reconnect_event const&)> observer) {
        state_.observer = std::move(observer);
    }

    /// Runs `connect()`, then `hook(connection)`, then `session(connection)`, again and again.
    ///
    /// `connect` gives a `task<T>`, `hook` a `task<>`: log in, subscribe again. `session` gives a
    /// `task<>`, after which the connection counts as lost, or a `task<after_session>`. The
    /// connection is closed before the delay begins.
    ///
    /// Returns   when a session wants to stop.
    /// Errors    the last one, after `most_failures` failures in a row; an address that is none.
    /// Lifetime  the callables live until the await ends: name them, or write them as lambdas that
    ///           capture by reference in the same expression.
    /// Cancel    ends the try, the session or the delay, and closes the connection.
    template <class Connect, class Hook, class Session>
    [[nodiscard]] task<> run(Connect&& connect, Hook&& hook, Session&& session) {
        scope const running(*this);
        for (;;) {
            std::exception_ptr why;
            after_session next = after_session::reconnect;
            state_.begin_try();
            try {
                co_await establish(connect, hook);
                state_.connected();
                if constexpr (std::is_void_v<typename decltype(session(
                                  *connection_))::value_type>) {
                    co_await session(*connection_);
                } else {
                    next = co_await session(*connection_);
                }
            } catch (error const&) {
                why = std::current_exception();
            }
            connection_.reset();
            if (next == after_session::stop) co_return;
            co_await sleep(state_.ended(why));
        }
    }
    /// The same without a hook.
    template <class Connect, class Session>
    [[nodiscard]] task<> run(Connect&& connect, Session&& session) {
        auto nothing = [](T&) -> task<> { co_return; };
        co_await run(connect, nothing, session);
    }

    /// The connection while a session runs over it, or its hook; else null.
    [[nodiscard]] T* connection() noexcept { return connection_ ? &*connection_ : nullptr; }
    /// How often a connection was made, hook included.
    [[nodiscard]] std::uint64_t connects() const noexcept { return state_.connects; }
    /// How often one was lost.
    [[nodiscard]] std::uint64_t losses() const noexcept { return state_.losses; }

private:
    /// A `run`, which also a cancellation leaves without a connection.
    class scope {
    public:
        explicit scope(reconnecting& of) noexcept : of_(of) {
            RILL_ASSERT(!of_.running_, "one run of a reconnecting at a time");
            of_.running_ = true;
            of_.state_.begin_run();
        }
        scope(scope const&) = delete;
        scope& operator=(scope const&) = delete;
        ~scope() {
            of_.connection_.reset();
            of_.running_ = false;
        }

    private:
        reconnecting& of_;
    };

    template <class Connect, class Hook>
    task<> try_once(Connect& connect, Hook& hook) {
        T made = co_await connect();
        connection_.emplace(std::move(made));
        co_await hook(*connection_);
    }
    template <class Connect, class Hook>
    task<> establish(Connect& connect, Hook& hook) {
        if (state_.connect_timeout() > duration::zero()) {
            co_await timeout(state_.connect_timeout(), try_once(connect, hook));
        } else {
            co_await try_once(connect, hook);
        }
    }

    detail::reconnect_state state_;
    std::optional<T> connection_;
    bool running_ = false;
};

}  // namespace rill
