// run_on.hpp, per_core.hpp and mailbox.hpp: what one core does to another. Run under TSan too.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/rt/per_core.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/run_on.hpp"
#include "rill/rt/sleep.hpp"
#include "rt/mailbox.hpp"

using namespace rill;

namespace {

/// Runs `body` on core 0 while two others have nothing to do.
template <class Body>
void on_first_of_three(Body const& body) {
    auto const each = [&]() -> task<> {
        if (core::current().index() == 0) co_await body();
    };
    run_per_core(each, {.cores = 3});
}

std::uint32_t here() {
    return core::current().index();
}

/// Gives the deadline of the chain that awaits it.
struct deadline_operation final : operation {
    using value_type = time_point;
    bool start() noexcept override { return false; }
    void cancel(cancel_reason) noexcept override {}
    time_point await_resume() const noexcept { return waiting_chain()->deadline(); }
};

/// Tells where and how often it was destroyed.
struct traced {
    std::atomic<int>* ended;
    explicit traced(std::atomic<int>& count) : ended(&count) {}
    traced(traced const&) = delete;
    traced& operator=(traced const&) = delete;
    ~traced() { ++*ended; }
};

}  // namespace

TEST_CASE("run_on runs a callable on the core it names and gives its value back") {
    on_first_of_three([]() -> task<> {
        for (std::uint32_t index = 0; index < core_count(); ++index) {
            std::uint32_t const there = co_await run_on(index, here);
            CHECK(there == index);
            CHECK(here() == 0);
        }
        int touched = 0;
        auto const change = [&] { touched = 5; };
        co_await run_on(1, change);
        CHECK(touched == 5);
    });
}

TEST_CASE("run_on runs a task on the core it names, with its waits there") {
    on_first_of_three([]() -> task<> {
        std::string const text = "from core ";
        for (std::uint32_t index = 0; index < core_count(); ++index) {
            auto const work = [&]() -> task<std::string> {
                co_await rill::yield();
                co_await rill::sleep(1us);
                co_return text + std::to_string(here());
            };
            std::string const answer = co_await run_on(index, work);
            CHECK(answer == text + std::to_string(index));
        }
    });
}

TEST_CASE("an exception on the other core is thrown on the caller's") {
    on_first_of_three([]() -> task<> {
        for (std::uint32_t index = 0; index < core_count(); ++index) {
            int caught = 0;
            auto const plain = []() -> int { throw std::runtime_error("plain"); };
            auto const maker = []() -> task<> { throw std::runtime_error("maker"); };
            auto const late = []() -> task<int> {
                co_await rill::yield();
                throw std::runtime_error("late");
            };
            try {
                co_await run_on(index, plain);
            } catch (std::runtime_error const& e) {
                caught += std::string(e.what()) == "plain" ? 1 : 0;
            }
            try {
                co_await run_on(index, maker);
            } catch (std::runtime_error const& e) {
                caught += std::string(e.what()) == "maker" ? 1 : 0;
            }
            try {
                co_await run_on(index, late);
            } catch (std::runtime_error const& e) {
                caught += std::string(e.what()) == "late" ? 1 : 0;
            }
            CHECK(caught == 3);
            CHECK(here() == 0);
        }
    });
}

TEST_CASE("a cancellation goes to the task on the other core and waits for its end") {
    std::atomic<int> ended = 0;
    on_first_of_three([&]() -> task<> {
        for (std::uint32_t index = 0; index < core_count(); ++index) {
            int const before = ended.load();
            std::atomic<bool> started = false;
            auto const forever = [&]() -> task<> {
                traced const local(ended);
                started = true;
                co_await rill::sleep(1h);
            };
            auto const once_it_runs = [&]() -> task<> {
                while (!started.load()) co_await rill::yield();
            };
            auto won = co_await when_any(run_on(index, forever), once_it_runs());
            CHECK(won.index == 1);
            // Joined: the frame there has gone before the wait here has ended.
            CHECK(ended.load() == before + 1);
        }
    });
}

TEST_CASE("a cancellation that crosses the answer is safe, at any moment") {
    std::atomic<int> ended = 0;
    constexpr int rounds = 2000;
    on_first_of_three([&]() -> task<> {
        for (int i = 0; i < rounds; ++i) {
            auto const work = [&]() -> task<int> {
                traced const local(ended);
                for (int step = 0; step < i % 4; ++step) co_await rill::yield();
                co_return i;
            };
            auto const pause = [&]() -> task<> {
                for (int step = 0; step < i % 7; ++step) co_await rill::yield();
            };
            auto won =
                co_await when_any(run_on(1 + static_cast<std::uint32_t>(i % 2), work), pause());
            if (won.index == 0) CHECK(std::get<0>(won.value) == i);
        }
    });
    CHECK(ended.load() <= rounds);  // a task cancelled before its first step has no locals
}

TEST_CASE("the deadline of the caller goes along to the other core") {
    on_first_of_three([]() -> task<> {
        time_point const limit = core::current().now() + 1h;
        auto const ask = []() -> task<time_point> {
            deadline_operation wait;
            time_point const seen = co_await wait;
            co_return seen;
        };
        time_point const seen = co_await timeout_at(limit, run_on(2, ask));
        CHECK(seen == limit);
    });
}

TEST_CASE("all cores may call each other at once, and a failure on one ends them all") {
    constexpr int rounds = 300;
    std::atomic<int> calls = 0;
    auto const busy = [&]() -> task<> {
        auto const work = [&]() -> task<> {
            co_await rill::yield();
            ++calls;
        };
        for (int i = 0; i < rounds; ++i) {
            std::uint32_t const next = (here() + 1) % core_count();
            std::uint32_t const after = (here() + 2) % core_count();
            co_await when_all(run_on(next, work), run_on(after, work), run_on(here(), work));
        }
    };
    run_per_core(busy, {.cores = 3});
    CHECK(calls.load() == rounds * 9);

    auto const failing = [&]() -> task<> {
        auto const forever = []() -> task<> { co_await rill::sleep(1h); };
        if (here() == 2) throw std::runtime_error("core 2");
        co_await run_on(2, forever);
    };
    CHECK_THROWS_WITH_AS(run_per_core(failing, {.cores = 3}), "core 2", std::runtime_error);
}

TEST_CASE("per_core gives each core one of its own, on cache lines of its own") {
    per_core<std::uint64_t> counts;
    constexpr std::uint64_t rounds = 1000;
    auto const body = [&]() -> task<> {
        for (std::uint64_t i = 0; i < rounds; ++i) ++counts.local();
        co_return;
    };
    run_per_core(body, {.cores = 3});
    std::uint64_t total = 0;
    counts.for_each([&](std::uint64_t& each) {
        total += each;
        CHECK(reinterpret_cast<std::uintptr_t>(&each) % 64 == 0);
    });
    CHECK(total == 3 * rounds);
    CHECK(counts.on(2) == rounds);
    CHECK(counts.find(3) == nullptr);
    // The values outlive the cores: a later run goes on with them.
    run_per_core(body, {.cores = 1});
    CHECK(counts.on(0) == 2 * rounds);
}

TEST_CASE("per_core makes each value by its factory, on its core, and destroys each once") {
    std::atomic<int> ended = 0;
    std::array<std::atomic<std::uint32_t>, 3> made_on{};
    {
        per_core<traced> values([&](std::uint32_t index) {
            made_on[index] = here() + 1;
            return traced(ended);
        });
        auto const body = [&]() -> task<> {
            CHECK(&values.local() == &values.local());
            if (here() == 1) {
                values.reset();
                CHECK(values.find(1) == nullptr);
            }
            co_return;
        };
        run_per_core(body, {.cores = 3});
        CHECK(ended.load() == 1);
    }
    CHECK(ended.load() == 3);
    for (std::uint32_t i = 0; i < 3; ++i) CHECK(made_on[i].load() == i + 1);
    per_core<std::atomic<int>> atomics;  // a type that cannot be moved
    CHECK(atomics.find(0) == nullptr);
}

TEST_CASE("a mailbox keeps the order of each sender, and refuses when it is closed") {
    struct numbered final : message {
        int value = 0;
        std::vector<int>* seen = nullptr;
        void run() noexcept override { seen->push_back(value); }
    };
    struct list final : executor {};
    constexpr int count = 1000;
    constexpr int senders = 3;
    mailbox box;
    list home;
    std::array<std::vector<int>, senders> seen;
    std::array<std::array<numbered, count>, senders> messages;
    std::vector<std::thread> threads;
    std::atomic<int> refused = 0;
    for (std::size_t s = 0; s < senders; ++s) {
        threads.emplace_back([&, s] {
            for (int i = 0; i < count; ++i) {
                auto& each = messages[s][static_cast<std::size_t>(i)];
                each.value = i;
                each.seen = &seen[s];
                if (!box.deliver(each)) ++refused;
            }
        });
    }
    auto const total = [&] { return seen[0].size() + seen[1].size() + seen[2].size(); };
    while (total() < senders * count / 2) {
        box.drain(home);
        home.run_ready(10);
    }
    box.close(home);
    for (std::thread& each : threads) each.join();
    while (!home.idle()) home.run_ready(1000);
    CHECK(total() + static_cast<std::size_t>(refused.load()) == senders * count);
    for (auto const& each : seen) {
        bool ordered = true;
        for (std::size_t i = 0; i < each.size(); ++i) ordered &= each[i] == static_cast<int>(i);
        CHECK(ordered);
    }
}
