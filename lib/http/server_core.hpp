// What all connections of one server share on one core: options, spare buffers, the date, counters,
// and the list of those that are idle.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "http/queue_delay.hpp"
#include "rill/base/buffer.hpp"
#include "rill/coro/chain.hpp"
#include "rill/coro/event.hpp"
#include "rill/http/server.hpp"
#include "rill/io/byte_stream.hpp"
#include "rill/rt/core.hpp"

namespace rill::http {

class admission;
class idle_wait;

/// One server on one core.
///
/// Core: owner core only.
class server_core {
public:
    /// `doors` are those of the whole server; null where it has no limit that cores share.
    server_core(core& home, service const& answers, server_options const& options,
                admission* doors = nullptr);
    server_core(server_core const&) = delete;
    server_core& operator=(server_core const&) = delete;

    [[nodiscard]] core& home() noexcept { return home_; }
    [[nodiscard]] service const& answers() const noexcept { return answers_; }
    [[nodiscard]] server_options const& options() const noexcept { return options_; }
    [[nodiscard]] server_counters& counters() noexcept { return counters_; }
    [[nodiscard]] admission* doors() const noexcept { return doors_; }

    /// "date: Sun, 06 Nov 1994 08:49:37 GMT" with its CRLF; computed once a second.
    [[nodiscard]] std::array<char, 37> const& date_line() noexcept {
        if (home_.now() >= date_good_until_) refresh_date();
        return date_;
    }

    /// An empty buffer for output or for a head, with storage from an earlier request where there
    /// is one.
    [[nodiscard]] buffer take_buffer() noexcept {
        std::size_t const maximum = std::size_t{options_.output_bytes} + most_answer_overrun;
        if (spare_.empty()) return buffer(maximum);
        buffer taken = std::move(spare_.back());
        spare_.pop_back();
        // It may have held content before, which has a bound of its own.
        taken.set_maximum(maximum);
        return taken;
    }
    /// Takes a buffer back. Large ones and those above the number kept are freed.
    void keep_buffer(buffer used) noexcept {
        if (used.capacity() == 0 || used.capacity() > largest_spare) return;
        if (spare_.size() == most_spare) return;
        used.clear();
        spare_.push_back(std::move(used));
    }

    /// True where a connection may have rates to keep to: its stream is then a `throttled_stream`.
    [[nodiscard]] bool throttles() const noexcept { return throttles_; }
    /// Which rate stands where in such a stream.
    enum rate_place : std::size_t { rate_of_connection, rate_of_route, rate_of_server };

    /// True where something is to be looked at before each request: `draining`, or a queue that may
    /// stand.
    [[nodiscard]] bool watchful() const noexcept { return watchful_; }
    /// Who decides which requests have waited for too long; null where nobody does.
    [[nodiscard]] queue_delay* delays() noexcept { return delays_ ? &*delays_ : nullptr; }

    /// True from the start of a graceful shutdown: no further request on a kept connection.
    [[nodiscard]] bool draining() const noexcept { return stopping_.is_set(); }
    /// Is set then.
    [[nodiscard]] event& stopping() noexcept { return stopping_; }
    /// Begins a graceful shutdown: every answer from now on is the last of its connection.
    void drain() noexcept {
        stopping_.set();
        watchful_ = true;
    }
    /// How long connections that are idle at that moment may still bring a request: it may be on
    /// its way already.
    static constexpr duration last_patience = 100ms;
    /// Ends the connections that are idle.
    void end_idle() noexcept;

    /// Connections at once that are told why they are refused; those beyond are closed at once.
    static constexpr std::uint32_t most_told = 64;
    /// How many are told so now.
    [[nodiscard]] std::uint32_t& told() noexcept { return told_; }

    /// How many handshakes of TLS are in progress.
    [[nodiscard]] std::uint32_t& handshakes() noexcept { return handshakes_; }

    /// The clients of open connections that have begun with a PROXY header.
    [[nodiscard]] std::unordered_map<byte_stream const*, address>& proxied() noexcept {
        return proxied_;
    }

    void enter_idle(idle_wait& who) noexcept;
    void leave_idle(idle_wait& who) noexcept;

private:
    // One answer may be appended before the collected output is sent.
    static constexpr std::size_t most_answer_overrun = 256 * 1024;
    static constexpr std::size_t largest_spare = 64 * 1024;
    static constexpr std::size_t most_spare = 256;

    void refresh_date() noexcept;

    core& home_;
    service const& answers_;
    server_options options_;
    server_counters counters_;
    std::vector<buffer> spare_;
    std::array<char, 37> date_;
    time_point date_good_until_ = time_point::min();
    idle_wait* first_idle_ = nullptr;
    std::unordered_map<byte_stream const*, address> proxied_;
    admission* doors_;
    std::optional<queue_delay> delays_;
    std::uint32_t told_ = 0;
    std::uint32_t handshakes_ = 0;
    event stopping_;
    bool watchful_ = false;
    bool throttles_;
};

}  // namespace rill::http
