// task_group: children of a number known at run time, joined however their scope ends.
#include "rill/coro/task_group.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/rt/frame_pool.hpp"
#include "support/cancel_sweep.hpp"

using namespace rill;
using namespace rill::test;

namespace {

struct failure {
    int code;
};

task<> note(sweep_world& world, int turns, int value) {
    counted const local(world);
    static_cast<void>(co_await world.pause(turns));
    world.log.push_back(value);
}

task<> throws_after(sweep_world& world, int turns, int code) {
    counted const local(world);
    if (turns > 0) static_cast<void>(co_await world.pause(turns));
    throw failure{code};
}

task<> slow_to_end(sweep_world& world, int turns) {
    counted const local(world);
    static_cast<void>(co_await world.stubborn(turns));
}

/// Runs `body` in a group and gives the code of the failure, or 0.
template <class Body>
task<int> code_of(sweep_world& world, Body body) {
    int code = 0;
    try {
        co_await with_task_group(body);
    } catch (failure const& thrown) {
        code = thrown.code;
    }
    CHECK(world.in_flight() == 0);
    CHECK(world.live == 0);
    co_return code;
}

/// A task of a given body, run to its end; gives the code of the failure.
template <class Body>
int run_code(sweep_world& world, Body body) {
    root main(world.home, [&] { return code_of(world, body); });
    world.settle();
    return main.take();
}

}  // namespace

TEST_CASE("with_task_group gives the body's value after all children have ended") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<std::unique_ptr<int>> {
        auto body = [&w](task_group& group) -> task<std::unique_ptr<int>> {
            group.spawn(note, std::ref(w), 3, 1);
            group.spawn(note, std::ref(w), 1, 2);
            static_cast<void>(co_await w.pause(2));
            CHECK(group.size() == 1);
            co_return std::make_unique<int>(9);
        };
        auto value = co_await with_task_group(body);
        w.log.push_back(3);
        co_return value;
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(*main.take() == 9);
    CHECK(world.log == std::vector{2, 1, 3});
}

TEST_CASE("a body that throws cancels its children, waits for them, and its failure is thrown") {
    sweep_world world;
    CHECK(run_code(world, [&world](task_group& group) -> task<> {
              group.spawn(note, std::ref(world), 9, 1);
              group.spawn(slow_to_end, std::ref(world), 5);
              static_cast<void>(co_await world.pause());
              throw failure{7};
          }) == 7);
    CHECK(world.log.empty());
}

TEST_CASE("a child that throws ends the waiting body and the siblings, and is what is thrown") {
    sweep_world world;
    CHECK(run_code(world, [&world](task_group& group) -> task<> {
              group.spawn(throws_after, std::ref(world), 2, 8);
              group.spawn(throws_after, std::ref(world), 3, 9);
              group.spawn(slow_to_end, std::ref(world), 5);
              static_cast<void>(co_await world.pause(9));
              world.log.push_back(1);
          }) == 8);
    CHECK(world.log.empty());
}

TEST_CASE("the child's first failure is thrown, not what the body throws because of it") {
    sweep_world world;
    CHECK(run_code(world, [&world](task_group& group) -> task<> {
              group.spawn(throws_after, std::ref(world), 1, 8);
              auto const ended = co_await as_result(world.pause(9));
              if (!ended) throw failure{9};
          }) == 8);
}

TEST_CASE("a child that throws at once, before the body waits, ends it at its first wait") {
    sweep_world world;
    CHECK(run_code(world, [&world](task_group& group) -> task<> {
              group.spawn(throws_after, std::ref(world), 0, 4);
              static_cast<void>(co_await world.pause(0));
              static_cast<void>(co_await world.pause(9));
              world.log.push_back(1);
          }) == 4);
    CHECK(world.log.empty());
}

TEST_CASE("a child that throws after the body has returned is what is thrown") {
    sweep_world world;
    CHECK(run_code(world, [&world](task_group& group) -> task<> {
              group.spawn(throws_after, std::ref(world), 3, 5);
              group.spawn(note, std::ref(world), 9, 1);
              co_return;
          }) == 5);
    CHECK(world.log.empty());
}

TEST_CASE("a body that is no coroutine and throws at once is a failure like any other") {
    sweep_world world;
    CHECK(run_code(world, [&world](task_group& group) -> task<> {
              group.spawn(note, std::ref(world), 9, 1);
              throw failure{6};
          }) == 6);
    auto const wrapper = [&world](task_group& group) {
        if (group.size() == 0) throw failure{16};
        return note(world, 1, 1);
    };
    CHECK(run_code(world, wrapper) == 16);
    CHECK(world.log.empty());
}

TEST_CASE("a group stopped from outside ends body and children and waits for the slow ones") {
    sweep_world world;
    root main(world.home, [&] {
        return code_of(world, [&world](task_group& group) -> task<> {
            group.spawn(note, std::ref(world), 9, 1);
            group.spawn(slow_to_end, std::ref(world), 4);
            static_cast<void>(co_await world.pause(9));
            world.log.push_back(2);
        });
    });
    while (world.in_flight() != 3) REQUIRE(world.step());
    main.cancel();
    while (!world.home.idle()) world.home.run_ready(1);
    CHECK_FALSE(main.ended());
    CHECK(world.in_flight() == 1);
    world.settle();
    CHECK(main.stopped());
    CHECK(world.live == 0);
    CHECK(world.log.empty());
}

TEST_CASE("the body may cancel its group and goes on; what it spawns then never runs") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<int> {
        auto body = [&w](task_group& group) -> task<int> {
            group.spawn(note, std::ref(w), 9, 1);
            static_cast<void>(co_await w.pause(2));
            group.cancel();
            CHECK(group.cancelled());
            group.spawn(note, std::ref(w), 0, 2);
            group.spawn(throws_after, std::ref(w), 0, 2);
            co_await group.join();
            CHECK(group.size() == 0);
            static_cast<void>(co_await w.pause(2));
            co_return 5;
        };
        int const value = co_await with_task_group(body);
        co_return value;
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.take() == 5);
    CHECK(world.log.empty());
    CHECK(world.live == 0);
}

TEST_CASE("a child cancelled alone ends alone") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<> {
        auto body = [&w](task_group& group) -> task<> {
            group.spawn(note, std::ref(w), 5, 1);
            static_cast<void>(co_await w.pause(1));
            group.for_each([](chain& each) { each.cancel(cancel_reason::client_gone); });
            group.spawn(note, std::ref(w), 1, 2);
        };
        co_await with_task_group(body);
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.completed());
    CHECK(world.log == std::vector{2});
}

TEST_CASE("nested groups end from the inside out and pass a failure up") {
    sweep_world world;
    CHECK(run_code(world, [&world](task_group& outer) -> task<> {
              outer.spawn(slow_to_end, std::ref(world), 3);
              auto inner_body = [&world](task_group& inner) -> task<> {
                  inner.spawn(slow_to_end, std::ref(world), 5);
                  inner.spawn(throws_after, std::ref(world), 2, 3);
                  static_cast<void>(co_await world.pause(9));
              };
              co_await with_task_group(inner_body);
          }) == 3);
}

TEST_CASE("ten thousand children run beside each other, and a failed one ends them all") {
    for (bool const fails : {false, true}) {
        sweep_world world;
        int ended = 0;
        auto const child = [](sweep_world& w, int& count) -> task<> {
            counted const local(w);
            static_cast<void>(co_await w.pause(3));
            ++count;
        };
        int const code = run_code(world, [&](task_group& group) -> task<> {
            for (int i = 0; i < 10'000; ++i) group.spawn(child, std::ref(world), std::ref(ended));
            if (fails) group.spawn(throws_after, std::ref(world), 1, 1);
            CHECK(group.size() == (fails ? 10'001 : 10'000));
            co_return;
        });
        CHECK(code == (fails ? 1 : 0));
        CHECK(ended == (fails ? 0 : 10'000));
    }
}

TEST_CASE("a temporary lambda with captures lives until its task has ended") {
    sweep_world world;
    std::vector<std::string> seen;
    auto const program = [](sweep_world& w, std::vector<std::string>& out) -> task<> {
        auto body = [&](task_group& group) -> task<> {
            std::string const text(50, 'x');
            group.spawn([&out, &w, text, token = counted(w)]() -> task<> {
                static_cast<void>(co_await w.pause(3));
                out.push_back(text);
            });
            group.spawn(
                [&w](std::string passed, std::unique_ptr<int> owned,
                     std::string& shared) -> task<> {
                    static_cast<void>(co_await w.pause(2));
                    shared = passed + std::to_string(*owned);
                },
                text, std::make_unique<int>(4), std::ref(out.emplace_back()));
            out.reserve(4);
            co_return;
        };
        co_await with_task_group(body);
    };
    seen.reserve(4);
    root main(world.home, [&] { return program(world, seen); });
    world.settle();
    CHECK(main.completed());
    CHECK(seen == std::vector<std::string>{std::string(50, 'x') + "4", std::string(50, 'x')});
    CHECK(world.live == 0);
}

namespace {

class service {
public:
    task<> serve(sweep_world& world, std::string const& name) {
        static_cast<void>(co_await world.pause());
        names_.push_back(name);
    }
    std::vector<std::string> names_;
};

task<> greet(sweep_world& world, std::vector<std::string>& names, std::string const& name) {
    static_cast<void>(co_await world.pause(2));
    names.push_back(name);
}

}  // namespace

TEST_CASE("spawn takes member functions and operations, and owns the arguments") {
    sweep_world world;
    service one;
    root main(world.home, [&] {
        return code_of(world, [&](task_group& group) -> task<> {
            group.spawn(&service::serve, &one, std::ref(world), std::string("first"));
            group.spawn(&service::serve, std::ref(one), std::ref(world), "second");
            // The parameter is a reference to a string that is made from the literal.
            group.spawn(greet, std::ref(world), std::ref(one.names_),
                        "a literal that is too long for the string to keep in place");
            group.spawn([&world] { return world.pause(2); });
            co_return;
        });
    });
    world.settle();
    CHECK(main.take() == 0);
    CHECK(one.names_ ==
          std::vector<std::string>{"first", "second",
                                   "a literal that is too long for the string to keep in place"});
}

TEST_CASE("join throws the first failure, each time it is asked") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<int> {
        task_group group(w.home, w.line);
        group.spawn(throws_after, std::ref(w), 1, 6);
        group.spawn(throws_after, std::ref(w), 2, 7);
        int codes = 0;
        for (int i = 0; i < 2; ++i) {
            try {
                co_await group.join();
            } catch (failure const& thrown) {
                codes = codes * 10 + thrown.code;
            }
        }
        co_return codes;
    };
    root main(world.home, [&] { return program(world); });
    world.line = &main.line();
    world.settle();
    CHECK(main.take() == 66);
}

TEST_CASE("all of a run-time number of values: each child fills a slot outside the group") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<int> {
        std::vector<int> values(100);
        auto body = [&](task_group& group) -> task<> {
            for (std::size_t i = 0; i < values.size(); ++i) {
                group.spawn(
                    [&w, i](int& slot) -> task<> {
                        slot = co_await w.pause(static_cast<int>(i % 7), static_cast<int>(i));
                    },
                    std::ref(values[i]));
            }
            co_return;
        };
        co_await with_task_group(body);
        int sum = 0;
        for (int const each : values) sum += each;
        co_return sum;
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.take() == 4950);
}

TEST_CASE("the first of a run-time number of values: the winner cancels the group") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<int> {
        int winner = -1;
        auto body = [&](task_group& group) -> task<> {
            for (int i = 0; i < 100; ++i) {
                group.spawn([&, i]() -> task<> {
                    int const value = co_await w.pause(100 - i, i);
                    winner = value;
                    group.cancel();
                });
            }
            co_return;
        };
        co_await with_task_group(body);
        co_return winner;
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.take() == 99);
    CHECK(world.in_flight() == 0);
}

TEST_CASE("in the steady state the frame pool does not grow") {
    sweep_world world;
    auto const program = [](sweep_world& w) -> task<> {
        frame_pool_statistics warm;
        for (int round = 0; round < 200; ++round) {
            auto body = [&w](task_group& group) -> task<> {
                for (int i = 0; i < 50; ++i) group.spawn(note, std::ref(w), i % 3, 0);
                co_await group.join();
            };
            co_await with_task_group(body);
            w.log.clear();
            if (round == 10) warm = frame_pool_totals();
        }
        CHECK(frame_pool_totals().taken_from_heap == warm.taken_from_heap);
        CHECK(frame_pool_totals().given_to_heap == warm.given_to_heap);
    };
    root main(world.home, [&] { return program(world); });
    world.settle();
    CHECK(main.completed());
}

TEST_CASE("with_task_group survives a cancellation at every point") {
    int const points = cancel_sweep(
        [](sweep_world& world) -> task<> {
            counted const local(world);
            auto nested = [](sweep_world& w) -> task<> {
                auto inner = [&w](task_group& group) -> task<> {
                    group.spawn(note, std::ref(w), 1, 1);
                    group.spawn(slow_to_end, std::ref(w), 2);
                    static_cast<void>(co_await w.pause(1));
                };
                co_await with_task_group(inner);
            };
            auto body = [&](task_group& group) -> task<> {
                group.spawn(nested, std::ref(world));
                group.spawn(note, std::ref(world), 2, 1);
                static_cast<void>(co_await world.pause(1));
                group.spawn(slow_to_end, std::ref(world), 3);
                co_await group.join();
                group.spawn(note, std::ref(world), 0, 1);
            };
            co_await with_task_group(body);
        },
        [](sweep_world& world, bool completed) {
            if (completed) CHECK(world.log.size() == 3);
        });
    CHECK(points > 20);
}

TEST_CASE("a group with a failing child survives a cancellation at every point") {
    int const points = cancel_sweep([](sweep_world& world) -> task<> {
        counted const local(world);
        auto body = [&world](task_group& group) -> task<> {
            group.spawn(throws_after, std::ref(world), 2, 1);
            group.spawn(slow_to_end, std::ref(world), 4);
            group.spawn(throws_after, std::ref(world), 0, 2);
            static_cast<void>(co_await world.pause(1));
            throw failure{3};
        };
        int code = 0;
        try {
            co_await with_task_group(body);
        } catch (failure const& thrown) {
            code = thrown.code;
        }
        CHECK(code == 2);
    });
    CHECK(points > 5);
}
