// An operation: the one thing that a chain waits for, and the base of every awaitable of rill.
#pragma once

#include <coroutine>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include "rill/base/result.hpp"
#include "rill/coro/chain.hpp"

namespace rill {

/// Something to wait for. An awaitable of rill is a class derived from this one that lives in the
/// frame of the coroutine awaiting it (or in a combinator) and is neither copied nor moved.
///
/// Life: `start`, then exactly one `complete`, then the chain goes on. Between the two the object
/// stays where it is: no frame is destroyed with an operation in flight.
class RILL_API operation : public ready_node {
public:
    bool await_ready() const noexcept { return false; }

    /// Starts the operation, unless the chain was told to end.
    template <class Promise>
    RILL_AWAIT_SUSPEND bool await_suspend(
        std::coroutine_handle<Promise> frame,
        std::source_location where = std::source_location::current()) noexcept {
        detail::promise_base& promise = frame.promise();
        promise.where_ = where;
        frame_ = frame;
        return begin(*promise.chain_);
    }

    /// What it is called in a trace: "receive", "sleep".
    [[nodiscard]] virtual char const* name() const noexcept { return "wait"; }

    /// The one chain that it waits for, where it is such a wait; else null. For reports.
    [[nodiscard]] virtual chain* inner_chain() noexcept { return nullptr; }

    /// The chain that waits; null before it has started.
    [[nodiscard]] chain* waiting_chain() const noexcept { return chain_; }

    /// Makes this operation all that `line` does, and puts it on the ready list. For combinators.
    void start_on(chain& line) noexcept { line.start(*this); }
    /// Told by a combinator that the operation has ended and nobody will take its value. The
    /// operation itself lives on in the awaiting frame. One that holds what others wait for hides
    /// this with a version that gives it back at once; its destructor gives back in any case.
    void abandon() noexcept {}

    /// Makes a cancellation of this operation a value (`errc::cancelled`) instead of the end of
    /// the chain. Used by `as_result`.
    void catch_cancellation() noexcept { catches_ = true; }

protected:
    operation() noexcept = default;
    ~operation() {
        RILL_ASSERT(phase_ == phase::created || phase_ == phase::done,
                    "a frame was destroyed with an operation in flight");
    }

    /// Begins. Returns false when it has completed already; `complete` must then not be called.
    virtual bool start() noexcept = 0;
    /// Asks for an early end. `complete` still follows, now or later, with or without a value.
    /// Called at most once, only after `start` has returned true and before `complete`.
    virtual void cancel(cancel_reason reason) noexcept = 0;

    /// Called instead of `start` where a chain that was told to end awaits under `as_result`.
    virtual void refuse() noexcept {}

    /// Puts the chain on the ready list. Call exactly once, after `start` returned true or in a
    /// `start` that then returns true.
    void complete() noexcept {
        RILL_ASSERT(in_flight(), "an operation completes once, after it has started");
        phase_ = phase::completed;
        chain_->home_->post(*this);
    }

    /// True between `start` and `complete`.
    [[nodiscard]] bool in_flight() const noexcept {
        return phase_ == phase::started || phase_ == phase::starting;
    }
    /// Ends the waiting chain because a child that it cannot do without has stopped by itself.
    void pass_on_stop(cancel_reason reason) noexcept { chain_->cancel(reason); }
    /// Runs even in a chain that was told to end (`shield`).
    void ignore_cancellation() noexcept { shielded_ = true; }

private:
    friend class chain;
    // completed: on the ready list; done: the chain has gone on.
    enum class phase : std::uint8_t { created, starting, started, completed, done };

    /// Returns true when the frame has to stay suspended.
    bool begin(chain& line) noexcept;
    void run() noexcept override;

    chain* chain_ = nullptr;
    std::coroutine_handle<> frame_ = {};
    phase phase_ = phase::created;
    bool catches_ = false;
    bool shielded_ = false;
};

/// An operation that ends with a `result<T>`.
///
/// `co_await op` gives the value or throws `error`; `co_await as_result(op)` gives the result.
template <class T>
class value_operation : public operation {
    static_assert(std::is_void_v<T> || std::is_nothrow_move_constructible_v<T>,
                  "the value of an operation moves through noexcept code");

public:
    using value_type = T;

    /// The value; throws `error` when there is none.
    T await_resume() {
        if (!result_->has_value()) throw_error(result_->error());
        if constexpr (!std::is_void_v<T>) return *take_result();
    }
    /// The result, without a throw. The operation holds none afterwards.
    [[nodiscard]] result<T> take_result() noexcept {
        result<T> taken = *std::move(result_);
        result_.reset();
        return taken;
    }
    /// True when it completed without a value.
    [[nodiscard]] bool failed() const noexcept { return result_ && !result_->has_value(); }

protected:
    /// The chain was told to end before: the result is `cancelled`.
    void refuse() noexcept override { result_.emplace(errc::cancelled); }
    /// Sets what the await gives. The last call before `complete` counts.
    void set_result(result<T> value) noexcept { result_.emplace(std::move(value)); }
    /// True when a result was set and not yet taken by the awaiting frame.
    [[nodiscard]] std::optional<result<T>>& stored() noexcept { return result_; }
    /// Throws what the awaiting frame sees; overridden to say on what it was tried.
    [[noreturn]] virtual void throw_error(std::error_code code) const {
        throw error(code, this->name());
    }

private:
    std::optional<result<T>> result_;
};

}  // namespace rill
