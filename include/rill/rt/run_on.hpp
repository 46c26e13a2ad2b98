// run_on: a call on another core of the same run_per_core.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "rill/base/error.hpp"
#include "rill/coro/child.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/message.hpp"

namespace rill {

namespace detail {

template <class T>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<task<T>> = true;

/// The way to another core and back.
///
/// Two messages live in the operation: the call, which goes there and comes back when it has
/// ended, and a cancellation, which goes there once at most and comes straight back. The operation
/// completes when both are home, so that neither core ever holds a message of a frame that is gone.
/// Until then the state below belongs to the core that the call is on.
class RILL_API remote_call : public operation {
public:
    [[nodiscard]] char const* name() const noexcept override { return "run_on"; }

protected:
    explicit remote_call(std::uint32_t index) noexcept
        : call_(*this), cancel_(*this), index_(index) {}
    ~remote_call() = default;

    /// On the other core: begins. `finished` follows, from here or later.
    virtual void begin_there(core& there, time_point deadline) noexcept = 0;
    /// On the other core, between `begin_there` and `finished`: asks for an early end.
    virtual void cancel_there(cancel_reason reason) noexcept = 0;
    /// On the other core: all is done and nothing of it is left there.
    void finished() noexcept;

private:
    enum class place : std::uint8_t { home, away };
    struct courier final : message {
        explicit courier(remote_call& of) noexcept : owner(of) {}
        void run() noexcept override { owner.arrived(*this); }
        remote_call& owner;
        place towards = place::home;
    };

    bool start() noexcept final;
    void cancel(cancel_reason reason) noexcept final;
    void arrived(courier& which) noexcept;
    void send(courier& what, place towards) noexcept;

    courier call_;
    courier cancel_;
    core_set* cores_ = nullptr;
    time_point deadline_ = never;
    std::uint32_t index_;
    std::uint32_t home_index_ = 0;
    std::uint8_t under_way_ = 0;  // home: messages that have not come back
    bool finished_ = false;       // away: the call was sent back
    cancel_reason reason_ = cancel_reason::none;
};

/// What a call leaves on the other core while it runs there: nothing, or a task and its chain.
template <class Returned>
struct left_there {
    using value_type = Returned;
};
template <class T>
struct left_there<task<T>> {
    using value_type = T;
    struct holder {
        task<T> value;
        template <class Function>
        explicit holder(Function& function) : value(std::invoke(function)) {}
    };
    std::optional<holder> work;
    std::optional<child<task<T>>> line;
};

template <class Function>
class run_on_operation final : public remote_call, private child_owner {
    using returned = std::invoke_result_t<Function&>;
    static constexpr bool gives_task = is_task<returned>;

public:
    using value_type = typename left_there<returned>::value_type;
    static_assert(std::is_void_v<value_type> || std::is_object_v<value_type>,
                  "the callable gives an object or void; return a pointer instead");

    run_on_operation(std::uint32_t index, Function& function) noexcept
        : remote_call(index), function_(function) {}

    value_type await_resume() {
        if (failure_) std::rethrow_exception(std::move(failure_));
        if (!value_) throw error(errc::cancelled, "run_on");
        if constexpr (!std::is_void_v<value_type>) return *std::move(value_);
    }
    [[nodiscard]] bool failed() const noexcept { return failure_ != nullptr; }
    [[nodiscard]] bool stopped() const noexcept { return !value_ && !failure_; }

private:
    void begin_there(core& there, time_point deadline) noexcept override {
        try {
            if constexpr (gives_task) {
                there_.work.emplace(function_);
                // No parent: that chain belongs to another thread. Its deadline came along.
                there_.line.emplace(there, nullptr, there_.work->value,
                                    static_cast<child_owner&>(*this), 0);
                there_.line->limit_deadline(deadline);
                there_.line->begin();
                return;
            } else if constexpr (std::is_void_v<value_type>) {
                std::invoke(function_);
                value_.emplace();
            } else {
                value_.emplace(std::invoke(function_));
            }
        } catch (...) {
            failure_ = std::current_exception();
        }
        finished();
    }
    void cancel_there(cancel_reason reason) noexcept override {
        if constexpr (gives_task) there_.line->cancel(reason);
    }
    void child_ended(std::size_t, outcome how) noexcept override {
        if constexpr (gives_task) {
            if (how == outcome::completed) {
                try {
                    value_.emplace(there_.line->take());
                } catch (...) {
                    failure_ = std::current_exception();
                }
            }
            // The frame came from the pool of this core and goes back to it.
            there_.line.reset();
            there_.work.reset();
            finished();
        }
    }

    Function& function_;
    [[no_unique_address]] left_there<returned> there_;
    std::optional<storable<value_type>> value_;
    std::exception_ptr failure_;
};

}  // namespace detail

/// Runs `function()`, a plain callable or one that gives a task, on core `index` of this
/// `run_per_core`, and gives its value back on this core. The index of this core itself is fine.
///
/// Errors    what the callable or its task throws.
/// Lifetime  the callable is held by reference and lives in the awaiting frame; captures by
///           reference stay valid, as this frame waits meanwhile. It runs on the other core's
///           thread: touch nothing there that another thread uses. The value changes cores too, so
///           it must be no stream or other thing that belongs to a core.
/// Cancel    goes to the task on the other core, and waits for its end. A plain callable runs.
/// Cost      no allocation but the task's frame; two messages.
template <class Function>
[[nodiscard]] auto run_on(std::uint32_t index, Function&& function) noexcept {
    return detail::run_on_operation<std::remove_reference_t<Function>>(index, function);
}

}  // namespace rill
