// Happy eyeballs in simulated worlds (RFC 8305): names whose addresses answer, refuse, are slow or
// swallow everything, connected to within a deadline and cancelled at any moment.
#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "rill/base/log.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/tcp.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/test.hpp"

using namespace rill;

namespace {

constexpr std::uint64_t seed_count = 10'000;  // RILL_SEEDS sets another
constexpr char const* name = "site.example";
constexpr std::uint16_t port = 80;

/// What the network may add to any moment: the delays of a few segments.
constexpr duration slack = 500ms;

/// In steps of 5 ms, so that moments meet in a world whose network takes that long.
duration a_moment(int most_ms) {
    return 5ms * static_cast<int>(test::choose(static_cast<std::uint64_t>(most_ms / 5)));
}

/// The hosts of one name and what is the matter with each.
class site {
public:
    site() {
        std::size_t const count = 1 + test::choose(6);
        std::vector<address> all;
        for (std::size_t i = 0; i < count; ++i) {
            auto const last = static_cast<std::uint8_t>(i + 1);
            std::array<std::uint8_t, 16> ip{0x20, 0x01, 0x0d, 0xb8};
            ip.back() = last;
            all.push_back(test::choose(2) == 0 ? address::v6(ip, port)
                                               : address::v4({192, 0, 2, last}, port));
            add(all.back());
        }
        test::add_name(name, all);
    }

    /// Serves until it is cancelled: each connection hears which host it has come to.
    task<> serve() {
        auto const all = [this](task_group& group) -> task<> {
            for (host& each : hosts_) {
                if (each.at) group.spawn(serve_one, std::ref(*this), std::ref(each));
            }
            co_return;
        };
        co_await with_task_group(all);
    }

    /// From the beginning until some address answers; nothing where none ever does.
    [[nodiscard]] std::optional<duration> reachable_after() const noexcept { return best_; }
    /// Whether every address says no, which a client need not wait for.
    [[nodiscard]] bool all_refuse() const noexcept { return silent_ == 0 && !best_; }
    [[nodiscard]] bool first_answers() const noexcept { return first_answers_; }
    [[nodiscard]] address const& first() const noexcept { return hosts_.front().where; }
    [[nodiscard]] std::size_t count() const noexcept { return hosts_.size(); }
    /// Connections that hosts have and that have not ended.
    [[nodiscard]] int open() const noexcept { return open_; }

private:
    struct host {
        address where;
        std::optional<tcp::listener> at;
    };

    void add(address const& where) {
        host& made = hosts_.emplace_back();
        made.where = where;
        std::string const text = where.text();
        std::uint64_t const fate = test::choose(4);
        if (fate == 0) return;  // nobody listens there
        made.at.emplace(where);
        if (fate == 1) {
            ++silent_;
            return test::inject({.what = test::fault::partition, .where = text});
        }
        duration const after =
            fate == 2 ? 5ms + a_moment(test::choose(2) == 0 ? 500 : 20'000) : 0ms;
        if (after > 0s) {
            test::inject({.what = test::fault::partition, .where = text, .length = after});
        } else if (hosts_.size() == 1) {
            first_answers_ = true;
        }
        if (!best_ || after < *best_) best_ = after;
    }

    static task<> serve_one(site& of, host& on) {
        auto const talk = [&of, &on](tcp::stream peer) -> task<> {
            struct counted {
                explicit counted(int& of_all) noexcept : count(++of_all) {}
                counted(counted const&) = delete;
                counted& operator=(counted const&) = delete;
                ~counted() { --count; }
                int& count;
            } const here(of.open_);
            std::string const text = on.where.text() + "\n";
            auto const sent = co_await as_result(peer.write(text));
            while (sent) {
                auto const part = co_await as_result(peer.receive());
                if (!part || !*part) break;
            }
        };
        co_await on.at->serve(talk);
    }

    std::deque<host> hosts_;  // where they are while their servers run
    std::optional<duration> best_;
    int silent_ = 0;
    int open_ = 0;
    bool first_answers_ = false;
};

/// The connection is to the host that it names, and takes bytes both ways. `calm`: it must.
task<> prove(tcp::stream& made, bool calm) {
    std::string heard;
    while (heard.find('\n') == std::string::npos) {
        auto const part = co_await as_result(made.receive());
        test::expect(part.has_value() || !calm, "the winner is not closed");
        if (!part) co_return;
        test::expect(static_cast<bool>(*part) || !calm, "the winner does not hang up");
        if (!*part) co_return;
        heard += part->view().text();
    }
    test::expect(heard == made.remote_address().text() + "\n", "it is who it says");
    auto const sent = co_await as_result(made.write("well"));
    test::expect(sent.has_value() || !calm, "and takes what it is told");
}

/// One connect, checked against what the site is like. In a `calm` world to the moment.
task<> connect_once(site const& to, bool calm) {
    tcp::connect_options with;
    with.longest = test::choose(4) == 0 ? 0s : 5ms + a_moment(30'000);
    with.attempt_delay = test::choose(2) == 0 ? 250ms : a_moment(1'000);
    // All attempts have begun by then, and whoever answers first has answered.
    duration const begun = std::max<duration>(with.attempt_delay, 10ms) * to.count();
    auto const best = to.reachable_after();
    duration const start = test::elapsed();
    auto made = co_await as_result(tcp::connect(name, port, with));
    duration const took = test::elapsed() - start;
    if (with.longest != 0s) test::expect(took <= with.longest + slack, "the deadline holds");
    if (made) {
        test::expect(best.has_value(), "somebody is there");
        test::expect(start + took >= *best, "not before anybody could answer");
        bool const first_in_time = to.first_answers() && with.attempt_delay >= 250ms;
        bool const first = made->remote_address() == to.first();
        if (calm && first_in_time) test::expect(first, "the first is preferred");
        if (calm) test::expect(start + took <= std::max(*best, start + begun) + slack, "at once");
        co_await prove(*made, calm);
        co_return;
    }
    if (!calm) co_return;
    if (best) {
        bool const too_late =
            with.longest != 0s && start + with.longest <= std::max(*best, start + begun) + slack;
        test::expect(too_late, "who can be reached within the deadline is reached");
    }
    bool const refused = made.error() == std::errc::connection_refused;
    bool const timed_out = made.error() == errc::timed_out || made.error() == std::errc::timed_out;
    test::expect(refused || timed_out, "by a cause that was there");
    if (to.all_refuse() && !timed_out) test::expect(took <= slack, "refused at once");
}

/// A connect that is given up at any moment: it is made or it is not.
task<> connect_and_give_up(bool calm) {
    tcp::connect_options with;
    with.attempt_delay = a_moment(500);
    duration const patience = a_moment(test::choose(2) == 0 ? 500 : 5'000);
    if (test::choose(2) == 0) {
        auto raced =
            co_await when_any(as_result(tcp::connect(name, port, with)), rill::sleep(patience));
        if (raced.index == 1) co_return;
        auto& made = std::get<0>(raced.value);
        if (made) co_await prove(*made, calm);
    } else {
        auto made = co_await as_result(timeout(patience, tcp::connect(name, port, with)));
        if (made) co_await prove(*made, calm);
    }
}

task<> client(site const& to, bool calm) {
    for (std::uint64_t i = 1 + test::choose(3); i > 0; --i) {
        if (test::choose(3) == 0) {
            co_await connect_and_give_up(calm);
        } else {
            co_await connect_once(to, calm);
        }
    }
}

task<> clients(bool calm) {
    site to;
    auto const all = [&](task_group& servers) -> task<> {
        auto const serving = [&to]() -> task<> { co_await to.serve(); };
        servers.spawn(serving);
        auto const asking = [&](task_group& group) -> task<> {
            for (std::uint64_t i = 1 + test::choose(2); i > 0; --i) {
                group.spawn(client, std::ref(to), calm);
            }
            co_return;
        };
        co_await with_task_group(asking);
        // The slow hosts hear of the ends, too, once they can be reached.
        co_await rill::sleep(1min);
        test::expect(to.open() == 0, "losers, winners and what was given up are closed");
        servers.cancel();
    };
    co_await with_task_group(all);
}

}  // namespace

TEST_CASE("a name is connected to whenever one of its addresses can be reached in time") {
    test::settings with;
    with.faults = test::faults::slow();
    with.faults.stalls = 0;  // a core that stands still is late for good reason
    auto const program = [] { return clients(true); };
    static_cast<void>(test::seeds(seed_count, program, with));
}

TEST_CASE("nor does it matter which connects, deadlines and cancellations meet in one moment") {
    test::settings with;
    with.latency = 5ms;
    auto const program = [] { return clients(true); };
    static_cast<void>(test::seeds(seed_count, program, with));
}

TEST_CASE("in a hostile world nothing is left of the connects that lost, failed or were given up") {
    test::settings with;
    with.faults = test::faults::hostile();
    auto const program = [] { return clients(false); };
    // What a hostile world does would fill pages with warnings.
    auto const level = log::current_level();
    log::set_level(log::level::off);
    static_cast<void>(test::seeds(seed_count, program, with));
    log::set_level(level);
}
