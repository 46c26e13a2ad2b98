// Canary: what rill stays clear of because compilers differ or fail: over-aligned locals, a frame
// that destroys itself, thread-local values across a suspension. Only reported.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "support/canary_form.hpp"

namespace {

using canary::form;
using canary::need;
using canary::outcome;
using canary::probe;
using canary::suspension;
using canary::task;

// Alignment beyond what operator new promises.

struct alignas(32) wide {
    unsigned char bytes[32] = {};
};

/// A task whose frames begin 16 bytes past a multiple of 64, which malloc may do at any time.
class misplaced {
public:
    struct promise_type : canary::promise_value<int> {
        static void* operator new(std::size_t size) {
            auto* block =
                static_cast<unsigned char*>(std::aligned_alloc(64, (size + 80) / 64 * 64 + 64));
            return block + 16;
        }
        static void operator delete(void* frame) {
            std::free(static_cast<unsigned char*>(frame) - 16);
        }
        misplaced get_return_object() {
            return misplaced(std::coroutine_handle<promise_type>::from_promise(*this));
        }
    };
    misplaced(misplaced&&) = delete;
    ~misplaced() { frame_.destroy(); }

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) {
        frame_.promise().home = waiter.promise().home;
        frame_.promise().continuation = waiter;
        frame_.promise().home->next = frame_;
    }
    int await_resume() { return frame_.promise().take(); }

private:
    explicit misplaced(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
    std::coroutine_handle<promise_type> frame_;
};

misplaced aligned_local() {
    wide local;
    std::uintptr_t const volatile address = reinterpret_cast<std::uintptr_t>(&local);
    co_await suspension{};
    local.bytes[0] = 1;
    co_return address % 32 == 0 ? local.bytes[0] : 0;
}

task<int> over_aligned_local() {
    int const result = co_await aligned_local();
    co_return result;
}

// Thread-local values across a suspension that ends on another thread.

thread_local int mine = 1;

task<int> reads_thread_local() {
    int const before = mine;
    co_await suspension{};
    int const after = mine;
    co_return before * 10 + after;
}

// In a child only: destroys the frame inside its own `await_suspend`.

struct destroys_itself {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) {
        waiter.destroy();
    }
    void await_resume() const noexcept {}
};

canary::detached ends_itself() {
    probe const held(1);
    probe const more(2);
    co_await destroys_itself{};
}

}  // namespace

TEST_CASE("weak spots that rill stays clear of are reported") {
    constexpr auto reported = need::reported;
    canary::check_forms(std::array{
        form{"alignas(32) local in a frame", over_aligned_local, 1, reported},
    });

    outcome const own_frame = canary::in_child(
        [](void const*) {
            probe::reset();
            canary::executor home;
            ends_itself().start(home);
            if (probe::strays() != 0) return outcome::destroyed_twice;
            return probe::alive() == 0 ? outcome::right : outcome::leaked;
        },
        nullptr);
    canary::check_outcome("destroying a frame in its own await_suspend", reported, own_frame);

    outcome const other_thread = canary::in_child(
        [](void const*) {
            canary::executor home;
            auto root = reads_thread_local();
            root.start(home);
            std::thread([&] {
                mine = 2;
                home.run();
            }).join();
            return root.result() == 12 ? outcome::right : outcome::wrong_value;
        },
        nullptr);
    canary::check_outcome("thread_local read again on another thread", reported, other_thread);
}
