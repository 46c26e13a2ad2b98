// Promises of completion and foreign: values from callbacks, threads and other coroutine libraries.
#include "rill/rt/completion.hpp"

#include <doctest/doctest.h>

#include <condition_variable>
#include <coroutine>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/rt/foreign.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/sleep.hpp"
#include "support/death.hpp"
#include "support/sim.hpp"

using namespace rill;

namespace {

/// A library with a thread of its own, which calls back.
class device {
public:
    device() : thread_([this] { work(); }) {}
    device(device const&) = delete;
    device& operator=(device const&) = delete;
    ~device() {
        {
            std::lock_guard const lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }
    void call(std::function<void()> what) {
        {
            std::lock_guard const lock(mutex_);
            queue_.push_back(std::move(what));
        }
        wake_.notify_one();
    }
    [[nodiscard]] std::thread::id id() const { return thread_.get_id(); }

private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
            std::vector<std::function<void()>> now;
            now.swap(queue_);
            if (now.empty()) return;
            lock.unlock();
            for (auto const& each : now) each();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<std::function<void()>> queue_;
    bool stopping_ = false;
    std::thread thread_;
};

using callback = void (*)(void* context, int value);
void call_later(device& on, callback what, void* context, int value) {
    on.call([=] { what(context, value); });
}

/// An awaitable of another library: resumes its handle on the thread of the device.
struct other_awaitable {
    device* on;
    int value;
    bool throws = false;
    std::thread::id* resumed_on = nullptr;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> whom) const {
        on->call([whom] { whom.resume(); });
    }
    std::string await_resume() const {
        if (resumed_on != nullptr) *resumed_on = std::this_thread::get_id();
        if (throws) throw std::runtime_error("other");
        return std::string(100, 'x') + std::to_string(value);
    }
};

/// One that is only awaitable by an operator, and ready at once.
struct ready_awaitable {
    struct awaiter {
        bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<>) const noexcept {}
        std::unique_ptr<int> await_resume() const { return std::make_unique<int>(7); }
    };
    awaiter operator co_await() && noexcept { return {}; }
};

}  // namespace

TEST_CASE("completing twice, and asking for two completers, are bugs that assert") {
    auto const twice = [] {
        auto const body = []() -> task<> {
            completion<int> answer;
            auto done = answer.completer();
            done.complete(1);
            done.complete(2);
            co_return;
        };
        run(body());
    };
    CHECK(test::assertion_of(twice).find("completes once") != std::string::npos);
    auto const two = [] {
        auto const body = []() -> task<> {
            completion<int> answer;
            auto const first = answer.completer();
            auto const second = answer.completer();
            co_return;
        };
        run(body());
    };
    CHECK(test::assertion_of(two).find("has one completer") != std::string::npos);
}

TEST_CASE("a C callback on another thread completes a wait") {
    device other;
    auto const body = [&]() -> task<> {
        auto const home = std::this_thread::get_id();
        for (int i = 0; i < 100; ++i) {
            completion<int> answer;
            call_later(
                other,
                [](void* context, int value) {
                    auto done = completer<int>::from_pointer(context);
                    done.complete(value);
                },
                answer.completer().to_pointer(), i);
            int const value = co_await answer.wait();
            CHECK(value == i);
            CHECK(std::this_thread::get_id() == home);
        }
    };
    run(body());
}

TEST_CASE("a completion may be completed before it is awaited, on its own core") {
    auto const body = []() -> task<> {
        completion<> done;
        done.completer().complete();
        co_await done.wait();
        completion<std::unique_ptr<int>> moved;
        moved.completer().complete(std::make_unique<int>(3));
        auto const value = co_await moved.wait();
        CHECK(*value == 3);
    };
    run(body());
    test::simulate(body);
}

TEST_CASE("a completer that is dropped makes the wait fail") {
    device other;
    auto const body = [&]() -> task<> {
        completion<int> answer;
        auto held = std::make_shared<completer<int>>(answer.completer());
        other.call([held = std::move(held)]() mutable { held.reset(); });
        auto const why = co_await as_result(answer.wait());
        CHECK(why.error() == errc::closed);
        completion<> failed;
        failed.completer().fail(make_error_code(errc::protocol));
        auto const protocol = co_await as_result(failed.wait());
        CHECK(protocol.error() == errc::protocol);
        completion<int> thrown;
        thrown.completer().fail(std::make_exception_ptr(std::runtime_error("theirs")));
        std::string text;
        try {
            co_await thrown.wait();
        } catch (std::runtime_error const& failure) {
            text = failure.what();
        }
        CHECK(text == "theirs");
    };
    run(body());
}

TEST_CASE("a wait that is cancelled does not wait for the callback, which may come later") {
    std::binary_semaphore gate(0);
    device other;
    auto const body = [&]() -> task<> {
        completion<std::string> answer;
        auto held = std::make_shared<completer<std::string>>(answer.completer());
        other.call([&gate, held = std::move(held)] {
            gate.acquire();
            held->complete(std::string(100, 'y'));
        });
        auto const late = co_await as_result(timeout(1ms, answer.wait()));
        CHECK(late.error() == errc::timed_out);
        gate.release();
        // The value waits for the next who asks.
        auto const value = co_await answer.wait();
        CHECK(value.size() == 100);
    };
    run(body());
}

TEST_CASE("a callback that comes after the completion has gone, or the core, drops its value") {
    for (bool const core_goes : {false, true}) {
        std::binary_semaphore gate(0);
        auto const watch = std::make_shared<int>(1);
        {
            device other;
            auto const body = [&]() -> task<> {
                completion<std::shared_ptr<int>> answer;
                auto held = std::make_shared<completer<std::shared_ptr<int>>>(answer.completer());
                other.call([&gate, watch, held = std::move(held)] {
                    gate.acquire();
                    held->complete(watch);
                });
                co_await when_any(answer.wait(), rill::sleep(1ms));
                if (!core_goes) gate.release();
            };
            run(body());
            if (core_goes) gate.release();
        }
        CHECK(watch.use_count() == 1);
    }
}

TEST_CASE("a value that a losing branch had won is for the next wait") {
    auto const body = []() -> task<> {
        for (int i = 0; i < 10; ++i) {
            completion<int> answer;
            auto done = answer.completer();
            auto const first = [&]() -> task<> {
                done.complete(i);
                co_return;
            };
            co_await when_any(test::settle(1), answer.wait(), first());
            int const value = co_await answer.wait();
            CHECK(value == i);
        }
    };
    for (std::uint64_t seed = 1; seed < 20; ++seed) test::simulate(body, {.seed = seed});
}

TEST_CASE("an awaitable that is resumed on another thread comes back to its core") {
    device other;
    auto const body = [&]() -> task<> {
        auto const home = std::this_thread::get_id();
        std::thread::id where;
        for (int i = 0; i < 100; ++i) {
            auto const value = co_await foreign(other_awaitable{&other, i, false, &where});
            CHECK(value == std::string(100, 'x') + std::to_string(i));
            CHECK(where == other.id());
            CHECK(std::this_thread::get_id() == home);
        }
        auto const seven = co_await foreign(ready_awaitable());
        CHECK(*seven == 7);
        std::string text;
        try {
            auto const none = co_await foreign(other_awaitable{&other, 0, true});
            text = none;
        } catch (std::runtime_error const& failure) {
            text = failure.what();
        }
        CHECK(text == "other");
    };
    run(body());
}

TEST_CASE("a foreign wait is cancelled at once, runs in a group, and leaves nothing behind") {
    device other;
    std::binary_semaphore gate(0);
    auto const body = [&]() -> task<> {
        other.call([&] { gate.acquire(); });
        auto const late = co_await as_result(timeout(1ms, foreign(other_awaitable{&other, 1})));
        CHECK(late.error() == errc::timed_out);
        gate.release();
        int count = 0;
        auto const one = [&](int number) -> task<> {
            auto const value = co_await foreign(other_awaitable{&other, number});
            if (value.size() > 100) ++count;
        };
        co_await with_task_group([&](task_group& group) -> task<> {
            for (int i = 0; i < 200; ++i) group.spawn(one, i);
            co_return;
        });
        CHECK(count == 200);
    };
    run(body());
}
