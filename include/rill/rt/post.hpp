// core_handle and post: how a thread that is no core reaches one.
#pragma once

#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "rill/base/result.hpp"
#include "rill/rt/message.hpp"

namespace rill {

/// A core, as other threads may hold it: copyable, usable from any thread, also after the core has
/// gone.
class RILL_API core_handle {
public:
    /// A handle of the calling core.
    [[nodiscard]] static core_handle current();

    /// For those who build on messages. Hands `what` to the core; false when the core has gone, the
    /// message is then still the caller's.
    [[nodiscard]] bool deliver(message& what) const noexcept;

private:
    template <class Function>
    friend class posted_call;
    template <class Function>
    friend result<void> post(core_handle const& to, Function&& function);

    explicit core_handle(std::shared_ptr<mailbox> box) noexcept : box_(std::move(box)) {}
    [[nodiscard]] bool reserve() const noexcept;
    void release() const noexcept;

    std::shared_ptr<mailbox> box_;
};

/// For `post`: a callable on its way.
template <class Function>
class posted_call final : public message {
public:
    /// Owns `function` and runs it on the core of `to`.
    template <class Given>
    posted_call(core_handle to, Given&& function)
        : to_(std::move(to)), function_(std::forward<Given>(function)) {}

private:
    void run() noexcept override {
        to_.release();
        std::invoke(function_);
        delete this;
    }

    core_handle to_;
    Function function_;
};

/// Runs `function()` on the core of `to`, once, in the order of the posts of one thread.
///
/// The callable is moved along and destroyed on that core; it must be short, may not throw, and
/// starts longer work through what it finds there (a `task_group::spawn`, an event).
/// Returns  at once. `errc::closed` when the core has gone, `errc::limit_exceeded` when 65,536
///          calls wait for it already: the callable was destroyed without running.
/// Core     any thread.
/// Cost     one allocation; a write to an eventfd where the core sleeps.
template <class Function>
result<void> post(core_handle const& to, Function&& function) {
    using call = posted_call<std::decay_t<Function>>;
    static_assert(std::is_void_v<std::invoke_result_t<std::decay_t<Function>&>>,
                  "nobody takes the value: spawn tasks on a group of that core instead");
    if (!to.reserve()) return errc::limit_exceeded;
    auto* const node = new (std::nothrow) call(to, std::forward<Function>(function));
    if (node == nullptr) {
        to.release();
        return std::make_error_code(std::errc::not_enough_memory);
    }
    if (to.deliver(*node)) return {};
    to.release();
    delete node;
    return errc::closed;
}

}  // namespace rill
