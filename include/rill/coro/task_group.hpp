// task_group: tasks whose number is known only at run time, joined before the scope ends.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include "rill/base/result.hpp"
#include "rill/coro/child.hpp"

namespace rill {

class task_group;

namespace detail {

template <class Body>
class group_operation;

template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<result<T>> = true;

/// The root coroutine of a group's child: owns the callable and its arguments, and is its own
/// chain.
class group_child {
public:
    class promise_type;

private:
    friend class ::rill::task_group;
    explicit group_child(promise_type& promise) noexcept : promise_(&promise) {}
    promise_type* promise_;
};

class group_child::promise_type final : public promise_base, public chain {
public:
    template <class... Owned>
    explicit promise_type(task_group& group, Owned&...) noexcept;

    group_child get_return_object() noexcept { return group_child(*this); }
    void return_void() const noexcept {}

private:
    friend class ::rill::task_group;
    void ended(outcome how) noexcept override;

    task_group* group_;
    promise_type* previous_ = nullptr;
    promise_type* next_ = nullptr;
};

/// Calls a function, a lambda or any callable that gives a task, and awaits it. The frame of this
/// coroutine owns the callable and the arguments until the task has ended.
///
/// The call stands in the awaiting expression and not in std::invoke: what an argument is converted
/// to (a string made from a literal, for a parameter taken by reference) lives as long as the
/// await.
template <class Function, class... Arguments>
group_child run_owned(task_group&, Function function, Arguments... arguments) {
    static_cast<void>(
        co_await function(static_cast<std::unwrap_reference_t<Arguments>&&>(arguments)...));
}

/// What a member function is called on: the object, or what a pointer or std::ref refers to.
template <class Object>
auto& object_of(Object& object) noexcept {
    if constexpr (requires { *object; }) {
        return *object;
    } else {
        return static_cast<std::unwrap_reference_t<Object>&>(object);
    }
}

/// The same for a member function, called on an object or what points to one.
template <class Function, class Object, class... Arguments>
group_child run_owned_member(task_group&, Function function, Object object,
                             Arguments... arguments) {
    static_cast<void>(co_await (object_of(object).*function)(
        static_cast<std::unwrap_reference_t<Arguments>&&>(arguments)...));
}

}  // namespace detail

/// Children that run beside each other on one core and are joined together.
///
/// The first child that throws cancels the others; `join` throws what it threw. A group must be
/// empty when it is destroyed: `with_task_group` sees to that however its scope ends, so use that
/// unless the group outlives every coroutine that could be cancelled while it holds children.
class RILL_API task_group {
public:
    /// A group whose children run on `home` and inherit the deadline of `parent`.
    explicit task_group(executor& home, chain* parent = nullptr) noexcept
        : home_(&home), parent_(parent) {}
    task_group(task_group const&) = delete;
    task_group& operator=(task_group const&) = delete;
    ~task_group() { RILL_ASSERT(size_ == 0, "join a task_group before it goes out of scope"); }

    /// Starts `function(arguments...)`, which gives a task, from the ready list.
    ///
    /// Function and arguments are decay-copied and live until the task has ended; share with
    /// `std::ref`. In a group that was cancelled the child is destroyed without running.
    /// What the task gives is dropped.
    template <class Function, class... Arguments>
    void spawn(Function&& function, Arguments&&... arguments) {
        using made =
            std::invoke_result_t<std::decay_t<Function>&, std::unwrap_ref_decay_t<Arguments>...>;
        static_assert(!detail::is_result<typename made::value_type>,
                      "nobody would look at the result: handle the failure inside the task");
        if constexpr (std::is_member_function_pointer_v<std::decay_t<Function>>) {
            adopt(detail::run_owned_member<std::decay_t<Function>, std::decay_t<Arguments>...>(
                *this, std::forward<Function>(function), std::forward<Arguments>(arguments)...));
        } else {
            adopt(detail::run_owned<std::decay_t<Function>, std::decay_t<Arguments>...>(
                *this, std::forward<Function>(function), std::forward<Arguments>(arguments)...));
        }
    }

    /// Tells all children to end, those spawned later too. A body of `with_task_group` goes on.
    void cancel(cancel_reason reason = cancel_reason::user) noexcept;
    /// True when it was cancelled, also by a child's failure.
    [[nodiscard]] bool cancelled() const noexcept { return reason_ != cancel_reason::none; }
    /// Children that have not ended.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Calls `visit(chain&)` for each child that has not ended; for traces and reports.
    template <class Visitor>
    void for_each(Visitor&& visit) {
        for (auto* each = first_; each != nullptr; each = each->next_)
            visit(static_cast<chain&>(*each));
    }

    /// The wait for all children.
    class [[nodiscard]] join_operation final : public operation, private detail::child_owner {
    public:
        using value_type = void;
        /// Waits for the children of `group`.
        explicit join_operation(task_group& group) noexcept : group_(group) {
            ignore_cancellation();
        }
        /// Throws what the first failed child threw.
        void await_resume() { group_.rethrow(); }
        /// True when a child threw.
        [[nodiscard]] bool failed() const noexcept { return group_.failure_ != nullptr; }
        /// True when it was cancelled.
        [[nodiscard]] bool stopped() const noexcept { return stopped_; }
        [[nodiscard]] char const* name() const noexcept override { return "join"; }

    private:
        bool start() noexcept override {
            if (waiting_chain()->cancelled()) cancel(waiting_chain()->reason());
            return !group_.notify_when_empty(*this);
        }
        void cancel(cancel_reason reason) noexcept override {
            stopped_ = true;
            group_.cancel(reason);
        }
        void child_ended(std::size_t, outcome) noexcept override { complete(); }

        task_group& group_;
        bool stopped_ = false;
    };

    /// Waits until all children have ended; then throws what the first failed one threw.
    /// Cancel: cancels the children and waits for them.
    [[nodiscard]] join_operation join() noexcept { return join_operation(*this); }

private:
    friend class detail::group_child::promise_type;

    void adopt(detail::group_child child) noexcept;
    void child_ended(detail::group_child::promise_type& child) noexcept;
    void rethrow() {
        if (failure_) std::rethrow_exception(failure_);
    }

    template <class Body>
    friend class detail::group_operation;

    /// Returns true when it is empty already; else tells `waiter` once it is.
    [[nodiscard]] bool notify_when_empty(detail::child_owner& waiter) noexcept {
        if (size_ == 0) return true;
        RILL_ASSERT(waiter_ == nullptr, "one join of a task_group at a time");
        waiter_ = &waiter;
        return false;
    }

    executor* home_;
    chain* parent_;
    chain* body_ = nullptr;  // the coroutine that spawns, where a failure ends it too
    detail::group_child::promise_type* first_ = nullptr;
    std::size_t size_ = 0;
    detail::child_owner* waiter_ = nullptr;
    std::exception_ptr failure_ = {};
    cancel_reason reason_ = cancel_reason::none;
};

template <class... Owned>
detail::group_child::promise_type::promise_type(task_group& group, Owned&...) noexcept
    : chain(*group.home_, group.parent_), group_(&group) {}

namespace detail {

template <class Body>
class group_operation final : public operation, private child_owner {
    using body_task = std::invoke_result_t<Body&, task_group&>;

public:
    using value_type = typename body_task::value_type;

    explicit group_operation(Body& body) noexcept : body_(body) {}

    value_type await_resume() {
        if (!body_failed_first_) group_->rethrow();
        return task_->value.await_resume();
    }
    [[nodiscard]] bool failed() const noexcept {
        return body_failed_first_ || (group_ && group_->failure_ != nullptr);
    }
    [[nodiscard]] bool stopped() const noexcept { return !failed() && !body_completed_; }
    [[nodiscard]] char const* name() const noexcept override { return "task_group"; }

private:
    struct holder {
        body_task value;
        holder(Body& body, task_group& group) : value(body(group)) {}
    };

    bool start() noexcept override {
        chain& line = *waiting_chain();
        group_.emplace(line.home(), &line);
        try {
            task_.emplace(body_, *group_);
        } catch (...) {
            // No memory for the frame, or a body that is no coroutine and threw.
            group_->failure_ = std::current_exception();
            group_->cancel(cancel_reason::sibling);
            return !group_->notify_when_empty(*this);
        }
        body_child_.emplace(line.home(), &line, task_->value, static_cast<child_owner&>(*this), 0);
        group_->body_ = &*body_child_;
        body_child_->begin();
        return true;
    }
    void cancel(cancel_reason reason) noexcept override {
        body_child_->cancel(reason);
        group_->cancel(reason);
    }
    void child_ended(std::size_t index, outcome how) noexcept override {
        if (index == 0) {
            group_->body_ = nullptr;
            body_completed_ = how == outcome::completed;
            body_failed_first_ =
                body_completed_ && task_->value.failed() && group_->failure_ == nullptr;
            if (body_failed_first_) group_->cancel(cancel_reason::sibling);
            // A body that stopped, and not because a child has failed, ends the whole line.
            if (!body_completed_ && group_->failure_ == nullptr)
                pass_on_stop(body_child_->reason());
            if (!group_->notify_when_empty(*this)) return;
        }
        complete();
    }

    Body& body_;
    std::optional<task_group> group_;
    std::optional<holder> task_;
    std::optional<child<body_task>> body_child_;
    bool body_completed_ = false;
    bool body_failed_first_ = false;
};

}  // namespace detail

/// Runs `body(group)` and then waits for all that it has spawned.
///
/// Returns what the body's task gives. Errors: the first failure, of the body or of a child,
/// cancels the rest, waits for it, and is thrown. Cancel: ends body and children, and waits for
/// them.
///
/// `body` is held by reference: write it as a lambda in the same expression. Its locals end with
/// it, before the children do: what children refer to belongs outside, or before a last
/// `co_await group.join()`.
///
/// A number of waits known only at run time needs no combinator of its own: for all of them, each
/// child stores its value in a slot outside; for the first of them, it also cancels the group.
template <class Body>
[[nodiscard]] auto with_task_group(Body&& body) noexcept {
    return detail::group_operation<std::remove_reference_t<Body>>(body);
}

}  // namespace rill
