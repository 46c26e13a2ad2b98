// completion: a value that a callback or another thread gives once, and that one core awaits.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "rill/base/error.hpp"
#include "rill/base/result.hpp"
#include "rill/coro/operation.hpp"
#include "rill/rt/message.hpp"
#include "rill/rt/post.hpp"

namespace rill {

namespace detail {

/// What a completion and its completer share. While its message is on the way it holds itself.
class RILL_API completion_link : public message,
                                 public std::enable_shared_from_this<completion_link> {
public:
    /// Who is told, on the core, that the value is there.
    class listener {
    public:
        virtual void arrived() noexcept = 0;

    protected:
        ~listener() = default;
    };

    /// Any thread, once: claims the right to store the value.
    void claim() noexcept {
        RILL_ASSERT(!claimed_.exchange(true, std::memory_order_relaxed),
                    "a completion completes once");
    }
    /// Any thread, after the value was stored: sends it to the core.
    void deliver() noexcept;

    /// Owner core: the value has come and nobody has taken it.
    bool here = false;
    /// Owner core: who waits.
    listener* waiter = nullptr;

protected:
    completion_link() : home_(core_handle::current()) {}
    virtual ~completion_link();

private:
    void run() noexcept override;

    core_handle home_;
    std::shared_ptr<completion_link> on_the_way_;
    std::atomic<bool> claimed_ = false;
};

template <class T>
class completion_state final : public completion_link {
public:
    std::optional<result<T>> value;
    std::exception_ptr failure;  // instead of a value
};

/// The wait for a completion.
template <class T>
class [[nodiscard]] completion_wait : public value_operation<T>, private completion_link::listener {
public:
    explicit completion_wait(std::shared_ptr<completion_state<T>> state) noexcept
        : state_(std::move(state)) {}
    ~completion_wait() {
        // What this wait had won, and nobody took, is for the next one.
        if (won_ && (this->stored() || state_->failure)) {
            state_->value = std::move(this->stored());
            state_->here = true;
        }
    }
    T await_resume() {
        if (won_ && state_->failure) std::rethrow_exception(std::exchange(state_->failure, {}));
        return value_operation<T>::await_resume();
    }
    [[nodiscard]] result<T> take_result() {
        if (won_ && state_->failure) std::rethrow_exception(std::exchange(state_->failure, {}));
        return value_operation<T>::take_result();
    }
    [[nodiscard]] bool failed() const noexcept {
        return (won_ && state_->failure != nullptr) || value_operation<T>::failed();
    }
    [[nodiscard]] char const* name() const noexcept override { return "completion"; }

protected:
    [[nodiscard]] bool start() noexcept override {
        if (state_->here) {
            take();
            return false;
        }
        RILL_ASSERT(state_->waiter == nullptr, "one wait for a completion at a time");
        state_->waiter = this;
        return true;
    }
    [[nodiscard]] std::shared_ptr<completion_state<T>> const& state() const noexcept {
        return state_;
    }

private:
    void cancel(cancel_reason) noexcept override {
        state_->waiter = nullptr;
        this->set_result(errc::cancelled);
        this->complete();
    }
    void arrived() noexcept override {
        take();
        this->complete();
    }
    void take() noexcept {
        state_->here = false;
        won_ = true;
        if (state_->value) this->set_result(*std::exchange(state_->value, std::nullopt));
    }

    std::shared_ptr<completion_state<T>> state_;
    bool won_ = false;
};

}  // namespace detail

template <class T>
class completion;

/// The side of a `completion` that gives the value: from any thread, any callback, once.
///
/// Move-only. One that is dropped without a value makes the wait fail with `errc::closed`, so that
/// a callback that never comes is told and not waited for for ever. It may outlive the completion
/// and the core: the value is then dropped.
template <class T>
class completer {
public:
    completer(completer&&) noexcept = default;
    completer& operator=(completer&& other) noexcept {
        if (this != &other) {
            drop();
            state_ = std::move(other.state_);
        }
        return *this;
    }
    ~completer() { drop(); }

    /// Gives the value. Completing twice is a bug and asserts.
    template <class... Value>
        requires(std::is_void_v<T> ? sizeof...(Value) == 0
                                   : std::is_constructible_v<T, Value...> && sizeof...(Value) == 1)
    void complete(Value&&... value) noexcept {
        store([&](auto& state) {
            if constexpr (std::is_void_v<T>) {
                state.value.emplace();
            } else {
                state.value.emplace(T(std::forward<Value>(value)...));
            }
        });
    }
    /// Says why there is no value.
    void fail(std::error_code why) noexcept {
        store([&](auto& state) { state.value.emplace(why); });
    }
    /// Gives an exception that the wait throws; also under `as_result`, unless it is an `error`.
    void fail(std::exception_ptr why) noexcept {
        store([&](auto& state) { state.failure = std::move(why); });
    }

    /// For callbacks of C with a `void*`: gives this object away as a pointer. `from_pointer` must
    /// be called with it exactly once. Cost: one allocation.
    [[nodiscard]] void* to_pointer() && { return new completer(std::move(*this)); }
    /// What `to_pointer` gave away.
    [[nodiscard]] static completer from_pointer(void* pointer) noexcept {
        std::unique_ptr<completer> const owner(static_cast<completer*>(pointer));
        return std::move(*owner);
    }

private:
    friend class completion<T>;
    template <class, class>
    friend class foreign_operation;
    explicit completer(std::shared_ptr<detail::completion_state<T>> state) noexcept
        : state_(std::move(state)) {}

    template <class Store>
    void store(Store const& how) noexcept {
        RILL_ASSERT(state_ != nullptr, "a completion completes once");
        auto const state = std::move(state_);
        state->claim();
        how(*state);
        state->deliver();
    }
    void drop() noexcept {
        if (state_ != nullptr) fail(make_error_code(errc::closed));
    }

    std::shared_ptr<detail::completion_state<T>> state_;
};

/// A value that something outside of rill gives once, and that one coroutine waits for.
///
///     completion<int> answer;
///     start_request(host, on_answer, answer.completer().to_pointer());   // any C interface
///     int const value = co_await answer.wait();
///
/// Core    made, awaited and destroyed on one core; the completer is used on any thread.
/// Cancel  the wait ends at once. The callback may come later, or never: it finds its completer in
///         order, and the value waits for the next `wait`, or is dropped with the completion.
/// Cost    one allocation; a write to an eventfd where the core sleeps.
template <class T = void>
class completion {
    static_assert(std::is_void_v<T> || std::is_nothrow_move_constructible_v<T>,
                  "the value crosses threads in noexcept code");

public:
    /// Not completed.
    completion() : state_(std::make_shared<detail::completion_state<T>>()) {}
    completion(completion const&) = delete;
    completion& operator=(completion const&) = delete;
    ~completion() { RILL_ASSERT(state_->waiter == nullptr, "a completion outlives its wait"); }

    /// The one that completes it. There is one: asking twice is a bug and asserts.
    [[nodiscard]] rill::completer<T> completer() noexcept {
        RILL_ASSERT(!std::exchange(given_, true), "a completion has one completer");
        return rill::completer<T>(state_);
    }
    /// Waits for the value and takes it.
    ///
    /// Errors  what `fail` gave; `closed` where the completer was dropped.
    /// Cancel  ends at once; a value that comes later is for the next wait.
    [[nodiscard]] detail::completion_wait<T> wait() noexcept {
        return detail::completion_wait<T>(state_);
    }

private:
    std::shared_ptr<detail::completion_state<T>> state_;
    bool given_ = false;
};

}  // namespace rill
