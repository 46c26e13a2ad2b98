// Connecting: to one address, and to a name by happy eyeballs (RFC 8305).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "rill/coro/as_result.hpp"
#include "rill/coro/event.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/resolver.hpp"
#include "rill/io/tcp.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/sleep.hpp"
#include "rt/driver.hpp"

namespace rill::tcp {

namespace {

/// A connect on its way. Owns the descriptor until it is connected.
class connect_operation final : public value_operation<int>, private request {
public:
    connect_operation(core& home, address const& to) noexcept
        : request(verb::connect), home_(home), to_(to) {
        set_target(to_);
    }
    ~connect_operation() {
        // A connection that nobody took is closed, also one that was made as the cancel came.
        if (socket_ >= 0) home_.io().close(socket_);
    }
    char const* name() const noexcept override { return "connect"; }
    int take() noexcept { return std::exchange(socket_, -1); }

private:
    [[noreturn]] void throw_error(std::error_code code) const override {
        throw error(code, "connect to", to_.text());
    }
    bool start() noexcept override {
        auto const opened = home_.io().open_stream(to_.kind());
        if (!opened) {
            set_result(opened.error());
            return false;
        }
        socket_ = *opened;
        set_descriptor(socket_);
        home_.io().start(*this);
        return true;
    }
    void cancel(cancel_reason) noexcept override { home_.io().cancel(*this); }
    void completed(int value, std::uint32_t, bool) noexcept override {
        if (value == 0) {
            set_result(socket_);
        } else if (value == -ECANCELED) {
            set_result(errc::cancelled);
        } else {
            set_result(system_error(-value));
        }
        complete();
    }

    core& home_;
    address const& to_;
    int socket_ = -1;
};

// RFC 8305 section 8: no two attempts closer together than this.
constexpr duration least_delay = 10ms;
// Addresses of one name that are tried; a name may have hundreds.
constexpr std::size_t most_attempts = 16;

/// The families take turns, beginning with that of the first address; within a family the order
/// stays (RFC 8305 section 4).
std::vector<address> interleaved(std::vector<address> const& sorted) {
    std::array<std::vector<address>, 2> by_family;
    for (address const& each : sorted) {
        by_family[each.kind() == sorted.front().kind() ? 0 : 1].push_back(each);
    }
    std::vector<address> turns;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        for (auto const& family : by_family) {
            if (i < family.size()) turns.push_back(family[i]);
        }
    }
    turns.resize(std::min(turns.size(), most_attempts));
    return turns;
}

/// One connect to a name: the attempts side by side, and the first that succeeds.
class race {
public:
    race(core& home, std::vector<address> targets) : home_(home), targets_(std::move(targets)) {}
    race(race const&) = delete;
    race& operator=(race const&) = delete;
    ~race() {
        if (winner_ >= 0) home_.io().close(winner_);
    }

    /// Runs until an attempt has won or all have failed. The others have ended by then.
    task<> run(duration delay) {
        auto const all = [this, delay](task_group& group) -> task<> {
            while (!over()) {
                if (failures_.size() < targets_.size()) {
                    failures_.emplace_back();
                    group.spawn(attempt, std::ref(*this), failures_.size() - 1);
                }
                duration const wait = failures_.size() < targets_.size() ? delay : longest_wait;
                changed_.reset();
                co_await when_any(changed_.wait(), sleep(wait));
            }
            group.cancel(cancel_reason::sibling);
        };
        co_await with_task_group(all);
    }

    [[nodiscard]] int take_winner() noexcept { return std::exchange(winner_, -1); }
    [[nodiscard]] std::error_code last_failure() const noexcept { return last_failure_; }

    /// Each address that was tried, and what became of it.
    [[nodiscard]] std::string tried() const {
        std::string text = "tried ";
        for (std::size_t i = 0; i < failures_.size(); ++i) {
            fmt::format_to(std::back_inserter(text), "{}{}: {}", i == 0 ? "" : "; ",
                           targets_[i].text(),
                           failures_[i] ? failures_[i].message() : "no answer yet");
        }
        return text;
    }

private:
    static constexpr duration longest_wait = duration::max();

    static task<> attempt(race& of, std::size_t index) {
        connect_operation connecting(of.home_, of.targets_[index]);
        auto const made = co_await as_result(connecting);
        if (made) {
            // A second winner of the same moment stays with its operation, which closes it.
            if (of.winner_ < 0) of.winner_ = connecting.take();
        } else if (made.error() != errc::cancelled) {
            of.failures_[index] = made.error();
            of.last_failure_ = made.error();
            ++of.failed_;
        }
        of.changed_.set();
    }
    [[nodiscard]] bool over() const noexcept { return winner_ >= 0 || failed_ == targets_.size(); }

    core& home_;
    std::vector<address> targets_;
    std::vector<std::error_code> failures_;  // of those that were begun; empty while on their way
    std::error_code last_failure_;
    std::size_t failed_ = 0;
    event changed_;
    int winner_ = -1;
};

/// What a connect to a name has come to, for the error that tells of it.
struct progress {
    std::optional<race> attempts;  // once the addresses are known
};

task<> connect_to_name(progress& state, std::string_view host, std::uint16_t port, duration delay,
                       resolver& names) {
    std::vector<address> const found = co_await names.look_up(host, port);
    state.attempts.emplace(core::current(), interleaved(found));
    co_await state.attempts->run(std::max(delay, least_delay));
}

struct host_and_port {
    std::string_view host;
    std::uint16_t port = 0;
};

/// `example.org:80`; nothing where it is not of this form.
std::optional<host_and_port> split(std::string_view text) noexcept {
    std::size_t const colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    host_and_port parts{.host = text.substr(0, colon)};
    // The port alone, as an address: one reader of ports is enough.
    auto const port = address::parse(text.substr(colon));
    if (!port) return std::nullopt;
    parts.port = port->port();
    return parts;
}

}  // namespace

task<stream> connect(address to, stream_options with) {
    core& home = core::current();
    connect_operation connecting(home, to);
    co_await connecting;
    co_return stream::adopt(home, connecting.take(), with);
}

task<stream> connect(std::string_view host, std::uint16_t port, connect_options with) {
    progress state;
    resolver& names = with.names != nullptr ? *with.names : resolver::of_core();
    time_point const until = with.longest == duration::zero() ? never : deadline_in(with.longest);
    std::error_code why;
    try {
        co_await timeout_at(until, connect_to_name(state, host, port, with.attempt_delay, names));
    } catch (error const& failure) {
        why = failure.code();
    }
    if (state.attempts) {
        int const winner = state.attempts->take_winner();
        if (winner >= 0) co_return stream::adopt(core::current(), winner, with.stream);
    }
    std::string const subject = fmt::format("{}:{}", host, port);
    if (!state.attempts) {
        throw error(
            why, "look up", subject,
            why == errc::bad_address ? "write it as example.org:80, [::1]:80 or unix:/path" : "");
    }
    if (!why) why = state.attempts->last_failure();
    throw error(why, "connect to", subject, state.attempts->tried());
}

task<stream> connect(std::string_view to, connect_options with) {
    auto const parsed = address::parse(to);
    if (parsed && !to.starts_with("localhost:")) {
        address const target = *parsed;
        auto const until = with.longest == duration::zero() ? never : deadline_in(with.longest);
        stream made = co_await timeout_at(until, connect(target, with.stream));
        co_return made;
    }
    auto const parts = split(to);
    if (!parts) {
        throw error(errc::bad_address, "connect to", to,
                    "write it as example.org:80, [::1]:80 or unix:/path");
    }
    std::string_view const host = parts->host;
    std::uint16_t const port = parts->port;
    stream made = co_await connect(host, port, with);
    co_return made;
}

task<stream> connect(std::string_view to, stream_options with) {
    connect_options options;
    options.stream = with;
    stream made = co_await connect(to, options);
    co_return made;
}

}  // namespace rill::tcp
