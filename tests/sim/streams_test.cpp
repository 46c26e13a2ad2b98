// Streams, timeouts and cancellation in simulated worlds: whatever is cancelled at whatever moment,
// no byte is lost, doubled or moved, and nothing is left behind.
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/shared_listener.hpp"
#include "rill/io/tcp.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/run_on.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/test.hpp"

using namespace rill;

namespace {

constexpr std::uint64_t seed_count = 10'000;  // RILL_SEEDS sets another
constexpr char const* here = "10.0.0.1:7";

char letter(std::uint64_t at) {
    return static_cast<char>('a' + at * 7 % 26 + at / 26 % 2);
}

duration a_moment() {
    return std::chrono::microseconds(test::choose(60'000));
}

/// Reads until the end in ways that the seed picks, many of which end without a byte: a deadline,
/// a cancellation, a race that another wins. Returns how many bytes came, in order.
task<std::uint64_t> read_somehow(byte_stream& from) {
    std::uint64_t have = 0;
    std::string room(3'000, '\0');
    for (;;) {
        mutable_bytes const into(room.data(), 1 + test::choose(room.size()));
        std::size_t count = 0;
        bool ended = false;
        switch (test::choose(4)) {
            case 0: {
                auto const got = co_await as_result(from.read(into, deadline_in(a_moment())));
                if (!got && got.error() == errc::timed_out) continue;
                test::expect(got.has_value(), "nothing but a deadline ends a read");
                count = *got;
                ended = count == 0;
                break;
            }
            case 1: {
                auto got = co_await as_result(timeout(a_moment(), from.receive()));
                if (!got && got.error() == errc::timed_out) continue;
                test::expect(got.has_value(), "nothing but a timeout ends a receive");
                count = copy_bytes(mutable_bytes(room.data(), room.size()), got->view());
                // A lease that is not used up is read again where its rest is put back.
                test::expect(count == std::min(got->size(), room.size()), "copied");
                for (std::size_t i = 0; i < got->size(); ++i) {
                    char const each = got->view().text()[i];
                    test::expect(each == letter(have++), "in order");
                }
                if (!*got) co_return have;
                continue;
            }
            case 2: {
                auto got = co_await when_any(from.read(into), rill::sleep(a_moment()));
                if (got.index == 1) continue;
                count = std::get<0>(got.value);
                ended = count == 0;
                break;
            }
            default:
                count = co_await from.read(into);
                ended = count == 0;
        }
        for (std::size_t i = 0; i < count; ++i) {
            test::expect(room[i] == letter(have++), "in order");
        }
        if (ended) co_return have;
        if (test::choose(8) == 0) co_await rill::sleep(a_moment());
    }
}

task<> write_somehow(tcp::stream& to, std::uint64_t size) {
    for (std::uint64_t at = 0; at < size;) {
        std::string part(1 + test::choose(std::min<std::uint64_t>(size - at, 20'000)), '\0');
        for (char& each : part) each = letter(at++);
        if (test::choose(2) == 0) {
            co_await to.write(part);
        } else {
            std::size_t const cut = test::choose(part.size() + 1);
            std::string_view const whole = part;
            bytes const pieces[] = {whole.substr(0, cut), whole.substr(cut)};
            co_await to.write(std::span<bytes const>(pieces));
        }
        if (test::choose(8) == 0) co_await rill::sleep(a_moment());
    }
    to.finish();
}

/// Both sides write and read at once.
task<> both_ways() {
    tcp::listener at(here);
    std::uint64_t const there = test::choose(60'000);
    std::uint64_t const back = test::choose(60'000);
    auto const side = [](tcp::stream& peer, std::uint64_t sent, std::uint64_t wanted) -> task<> {
        auto const write = [](tcp::stream& to, std::uint64_t size) -> task<> {
            co_await write_somehow(to, size);
        };
        auto const read = [](tcp::stream& from, std::uint64_t size) -> task<> {
            std::uint64_t const got = co_await read_somehow(from);
            test::expect(got == size, "all of it");
        };
        co_await when_all(write(peer, sent), read(peer, wanted));
    };
    auto const server = [&]() -> task<> {
        tcp::stream peer = co_await at.accept();
        co_await side(peer, back, there);
    };
    auto const client = [&]() -> task<> {
        tcp::stream peer = co_await tcp::connect(here);
        co_await side(peer, there, back);
    };
    co_await when_all(server(), client());
}

/// Any awaits, cancelled at any moment by a timeout around them all.
task<> cancelled() {
    std::optional<tcp::listener> at(here);
    auto const serve = [](tcp::stream peer) -> task<> {
        for (;;) {
            auto const part = co_await as_result(peer.receive());
            if (!part || !*part) break;
            std::string const copy(part->view().text());
            auto const sent = co_await as_result(peer.write(copy));
            if (!sent) break;
        }
    };
    auto const serving = [&]() -> task<> { co_await at->serve(serve); };
    auto const client = []() -> task<> {
        for (;;) {
            auto connected = co_await as_result(tcp::connect(here));
            if (!connected) continue;
            tcp::stream peer = *std::move(connected);
            std::string const text(1 + test::choose(30'000), 'x');
            auto const write = [](tcp::stream& to, std::string const& what) -> task<> {
                static_cast<void>(co_await as_result(to.write(what)));
            };
            auto const read = [](tcp::stream& from) -> task<> {
                for (std::uint64_t i = 1 + test::choose(20); i > 0; --i) {
                    auto const part = co_await as_result(from.receive(deadline_in(a_moment())));
                    if (part && !*part) break;
                }
            };
            static_cast<void>(co_await when_any(write(peer, text), read(peer)));
            if (test::choose(3) == 0) peer.reset();
        }
    };
    auto const all = [&](task_group& group) -> task<> {
        group.spawn(serving);
        for (std::uint64_t i = 1 + test::choose(4); i > 0; --i) group.spawn(client);
        co_await rill::sleep(10 * a_moment());
        group.cancel();
    };
    co_await with_task_group(all);
    at.reset();
    // The port is free again, and a new server on it works.
    tcp::listener again(here);
    auto const once = [&]() -> task<> {
        tcp::stream peer = co_await again.accept();
        co_await peer.write("well");
    };
    auto const ask = []() -> task<> {
        tcp::stream peer = co_await tcp::connect(here);
        std::string text;
        while (text.size() < 4) {
            auto const part = co_await peer.receive();
            test::expect(static_cast<bool>(part), "not the end");
            text += part.view().text();
        }
    };
    auto const outcome = co_await as_result(timeout(1h, when_all(once(), ask())));
    if (!outcome) test::expect(outcome.error() != errc::timed_out, "nobody hangs");
}

/// Calls to other cores, cancelled at any moment.
void across_cores() {
    int running = 0;
    auto const body = [&]() -> task<> {
        for (std::uint64_t i = test::choose(6); i > 0; --i) {
            std::uint32_t const there = static_cast<std::uint32_t>(test::choose(core_count()));
            duration const length = a_moment();
            auto const work = [&running, length, there]() -> task<std::uint32_t> {
                struct guard {
                    int& count;
                    explicit guard(int& of) : count(++of) {}
                    guard(guard const&) = delete;
                    guard& operator=(guard const&) = delete;
                    ~guard() { --count; }
                } const here_now(running);
                test::expect(core::current().index() == there, "on that core");
                co_await rill::sleep(length);
                co_return core::current().index();
            };
            auto const got = co_await as_result(timeout(a_moment(), run_on(there, work)));
            if (got) test::expect(*got == there, "its value");
        }
    };
    run_per_core(body);
    test::expect(running == 0, "nothing runs on");
}

/// One acceptor that hands connections to all cores, ended while connections come.
void handed_out() {
    tcp::shared_listener all(here);
    int served = 0;
    auto const echo = [&served](tcp::stream peer) -> task<> {
        for (;;) {
            auto const part = co_await as_result(peer.receive());
            if (!part || !*part) break;
            std::string const copy(part->view().text());
            auto const sent = co_await as_result(peer.write(copy));
            if (!sent) break;
            ++served;
        }
    };
    auto const client = []() -> task<> {
        for (;;) {
            auto connected = co_await as_result(tcp::connect(here));
            if (!connected) {
                co_await rill::sleep(1ms);
                continue;
            }
            for (std::uint64_t i = test::choose(3); i > 0; --i) {
                auto const sent = co_await as_result(connected->write("x"));
                auto const got = co_await as_result(connected->receive());
                if (!sent || !got || !*got) break;
            }
        }
    };
    auto const body = [&]() -> task<> {
        auto const both = [&](task_group& group) -> task<> {
            auto const serving = [&]() -> task<> { co_await all.serve(echo); };
            group.spawn(serving);
            group.spawn(client);
            co_await rill::sleep(5 * a_moment());
            group.cancel();
        };
        co_await with_task_group(both);
    };
    run_per_core(body);
}

test::settings slow_world(std::uint32_t cores = 1) {
    test::settings with;
    with.cores = cores;
    with.faults = test::faults::slow();
    with.receive_buffers = 16;
    with.receive_copies = 16;
    with.window_bytes = 10'000;
    return with;
}

}  // namespace

TEST_CASE("no deadline, cancellation or lost race costs a byte of a stream") {
    static_cast<void>(test::seeds(seed_count, both_ways, slow_world()));
}

TEST_CASE("clients and servers are cancelled at any moment and leave nothing behind") {
    static_cast<void>(test::seeds(seed_count, cancelled, slow_world()));
    test::settings hostile = slow_world();
    hostile.faults = test::faults::hostile();
    static_cast<void>(test::seeds(seed_count, cancelled, hostile));
}

TEST_CASE("calls to other cores are cancelled at any moment and end there first") {
    static_cast<void>(test::seeds(seed_count, across_cores, slow_world(4)));
}

TEST_CASE("connections are handed out to all cores until the end, in any world") {
    static_cast<void>(test::seeds(seed_count, handed_out, slow_world(3)));
    test::settings hostile = slow_world(3);
    hostile.faults = test::faults::hostile();
    static_cast<void>(test::seeds(seed_count, handed_out, hostile));
}
