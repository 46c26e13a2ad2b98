// log: one line per event, with a level and named values. What is below the level costs a load and
// a comparison, and its values are not even computed.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/base/time.hpp"

namespace rill::log {

/// How much a line matters, or from which level on lines are written.
enum class level : unsigned char {
    trace,  ///< Every step; for finding a fault in rill.
    debug,  ///< What helps to find a fault in the program.
    info,   ///< What an operator wants to know: started, stopped.
    warn,   ///< Something is wrong and was dealt with.
    error,  ///< Something is wrong and was not.
    off,    ///< Nothing; only as a threshold.
};

/// A named value of a line. Made in place: `{"peer", address}`.
///
/// Lifetime  name and text must live until the call ends: nothing is copied.
class field {
public:
    /// What kind of value there is.
    enum class kind : unsigned char { text, integer, natural, real, boolean, code, length };

    /// A text, which is not copied.
    template <class Text>
        requires std::convertible_to<Text const&, std::string_view>
    field(std::string_view name, Text const& value) noexcept
        : name_(name), kind_(kind::text), text_(value) {}
    /// Written as `true` or `false`.
    field(std::string_view name, bool value) noexcept
        : name_(name), kind_(kind::boolean), natural_(value) {}
    /// A number that may be negative.
    template <std::signed_integral Number>
    field(std::string_view name, Number value) noexcept
        : name_(name), kind_(kind::integer), integer_(value) {}
    /// A number that is not negative.
    template <std::unsigned_integral Number>
    field(std::string_view name, Number value) noexcept
        : name_(name), kind_(kind::natural), natural_(value) {}
    /// A number with a fraction.
    field(std::string_view name, double value) noexcept
        : name_(name), kind_(kind::real), real_(value) {}
    /// Why something failed: message, category and number.
    field(std::string_view name, std::error_code value) noexcept
        : name_(name), kind_(kind::code), code_(value) {}
    /// How long something took, written in milliseconds.
    field(std::string_view name, duration value) noexcept
        : name_(name), kind_(kind::length), integer_(value.count()) {}

    /// The name.
    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    /// Which of the following holds the value.
    [[nodiscard]] kind type() const noexcept { return kind_; }
    /// The value of a `text`, not escaped.
    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    /// The value of an `integer`, or the nanoseconds of a `length`.
    [[nodiscard]] std::int64_t integer() const noexcept { return integer_; }
    /// The value of a `natural`, or 0 or 1 of a `boolean`.
    [[nodiscard]] std::uint64_t natural() const noexcept { return natural_; }
    /// The value of a `real`.
    [[nodiscard]] double real() const noexcept { return real_; }
    /// The value of a `code`.
    [[nodiscard]] std::error_code code() const noexcept { return code_; }

private:
    std::string_view name_;
    kind kind_;
    union {
        std::string_view text_;
        std::int64_t integer_;
        std::uint64_t natural_;
        double real_;
        std::error_code code_;
    };
};

static_assert(std::is_trivially_destructible_v<field>, "fields stand in braces beside co_await");

/// A line before it is written.
///
/// Lifetime  valid while the sink runs.
struct record {
    std::chrono::system_clock::time_point time = {};  ///< When.
    level severity = level::info;                     ///< How much it matters.
    std::string_view message = {};                    ///< What happened.
    std::span<field const> fields = {};               ///< With what.
    std::uint64_t suppressed = 0;  ///< How many lines like this were left out before it.
};

/// Where lines go. Runs on the thread that logs, on several at once.
using sink = std::function<void(record const&)>;

/// Sends lines to `to` from now on, or, if it is empty, to stderr again. A line that another thread
/// is writing may still reach the sink before. Thread-safe.
RILL_API void set_sink(sink to);

/// The line that goes to stderr, its end included:
/// `2026-10-18T12:00:00.000000Z warn  no descriptors left listener=[::]:80 suppressed=12`
///
/// Control characters, ill-formed UTF-8 and characters that change the direction of the text are
/// escaped, so that no peer can forge a line or paint on a terminal; a text stops after 1,024
/// bytes, marked by `...`.
[[nodiscard]] RILL_API std::string to_line(record const& what);

/// The level named `text`, such as "debug"; nothing if there is none.
[[nodiscard]] RILL_API std::optional<level> parse_level(std::string_view text) noexcept;

namespace detail {
RILL_API extern std::atomic<level> threshold;
}  // namespace detail

/// Writes lines from `from` on; at the start those that the environment's RILL_LOG says, else
/// `info`. Thread-safe.
inline void set_level(level from) noexcept {
    detail::threshold.store(from, std::memory_order_relaxed);
}
/// From which level on lines are written.
[[nodiscard]] inline level current_level() noexcept {
    return detail::threshold.load(std::memory_order_relaxed);
}
/// True when a line of this severity would be written.
[[nodiscard]] inline bool enabled(level severity) noexcept {
    return severity >= current_level();
}

/// Hands a line to the sink, whatever the level. Throws nothing: a line that cannot be written is
/// lost. Thread-safe.
RILL_API void write(level severity, std::string_view message, std::initializer_list<field> fields,
                    std::uint64_t suppressed = 0) noexcept;

/// Logs at level trace; the values are computed in any case, which `RILL_LOG` avoids.
inline void trace(std::string_view message, std::initializer_list<field> fields = {}) noexcept {
    if (enabled(level::trace)) write(level::trace, message, fields);
}
/// Logs at level debug.
inline void debug(std::string_view message, std::initializer_list<field> fields = {}) noexcept {
    if (enabled(level::debug)) write(level::debug, message, fields);
}
/// Logs at level info: `log::info("accepted", {{"peer", address}, {"core", 3}})`.
inline void info(std::string_view message, std::initializer_list<field> fields = {}) noexcept {
    if (enabled(level::info)) write(level::info, message, fields);
}
/// Logs at level warn.
inline void warn(std::string_view message, std::initializer_list<field> fields = {}) noexcept {
    if (enabled(level::warn)) write(level::warn, message, fields);
}
/// Logs at level error.
inline void error(std::string_view message, std::initializer_list<field> fields = {}) noexcept {
    if (enabled(level::error)) write(level::error, message, fields);
}

/// Lets one line through per interval and counts the others. One per place that logs; see
/// `RILL_LOG_EVERY`. Thread-safe.
class limiter {
public:
    /// What to do with a line.
    struct verdict {
        bool pass;                 ///< Write it.
        std::uint64_t suppressed;  ///< How many were held back since the last one that passed.
    };

    /// Decides about a line at `now`: it passes if the one before was `interval` ago.
    [[nodiscard]] verdict ask(time_point now, duration interval) noexcept {
        time_point next = next_.load(std::memory_order_relaxed);
        if (now < next ||
            !next_.compare_exchange_strong(next, later(now, interval), std::memory_order_relaxed)) {
            suppressed_.fetch_add(1, std::memory_order_relaxed);
            return {false, 0};
        }
        return {true, suppressed_.exchange(0, std::memory_order_relaxed)};
    }

private:
    std::atomic<time_point> next_{time_point::min()};
    std::atomic<std::uint64_t> suppressed_{0};
};

/// The clocks of the log: the wall's for its lines, the monotonic one for its limits.
struct clocks {
    std::chrono::system_clock::time_point (*wall)() noexcept = nullptr;  ///< Null: the system's.
    time_point (*monotonic)() noexcept = nullptr;                        ///< Null: the system's.
};

/// Takes the time from `from`, for tests and simulations. Thread-safe.
RILL_API void set_clocks(clocks from) noexcept;

namespace detail {
[[nodiscard]] RILL_API time_point monotonic_now() noexcept;
}  // namespace detail

}  // namespace rill::log

/// Logs at `severity` (trace, debug, info, warn, error), and does not evaluate the message and the
/// fields when the level is above it: `RILL_LOG(debug, "parsed", {"bytes", count(x)});`
#define RILL_LOG(severity, message, ...)                                            \
    (::rill::log::enabled(::rill::log::level::severity)                             \
         ? ::rill::log::write(::rill::log::level::severity, message, {__VA_ARGS__}) \
         : static_cast<void>(0))

/// The same for what may repeat quickly: this place logs at most once per `interval` and says how
/// many lines it has left out.
#define RILL_LOG_EVERY(interval, severity, message, ...)                                 \
    do {                                                                                 \
        if (::rill::log::enabled(::rill::log::level::severity)) {                        \
            static constinit ::rill::log::limiter rill_site;                             \
            ::rill::log::limiter::verdict const rill_verdict =                           \
                rill_site.ask(::rill::log::detail::monotonic_now(), interval);           \
            if (rill_verdict.pass) {                                                     \
                ::rill::log::write(::rill::log::level::severity, message, {__VA_ARGS__}, \
                                   rill_verdict.suppressed);                             \
            }                                                                            \
        }                                                                                \
    } while (false)
