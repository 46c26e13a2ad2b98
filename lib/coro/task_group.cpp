// The list of a group's children, and the end of each.
#include "rill/coro/task_group.hpp"

namespace rill {

void detail::group_child::promise_type::ended(outcome) noexcept {
    group_->child_ended(*this);
}

void task_group::adopt(detail::group_child handle) noexcept {
    auto& child = *handle.promise_;
    child.next_ = first_;
    if (first_ != nullptr) first_->previous_ = &child;
    first_ = &child;
    ++size_;
    if (cancelled()) child.chain::cancel(reason_);
    child.start(std::coroutine_handle<detail::group_child::promise_type>::from_promise(child),
                child);
}

void task_group::cancel(cancel_reason reason) noexcept {
    if (reason_ != cancel_reason::none) return;
    reason_ = reason;
    for (auto* each = first_; each != nullptr; each = each->next_) each->chain::cancel(reason);
}

void task_group::child_ended(detail::group_child::promise_type& child) noexcept {
    if (child.next_ != nullptr) child.next_->previous_ = child.previous_;
    (child.previous_ != nullptr ? child.previous_->next_ : first_) = child.next_;
    --size_;
    std::exception_ptr const failure = std::move(child.exception_);
    // The frame owns the callable, its arguments and the chain that just ended.
    std::coroutine_handle<detail::group_child::promise_type>::from_promise(child).destroy();
    if (failure) {
        if (!failure_) failure_ = failure;
        cancel(cancel_reason::sibling);
        if (body_ != nullptr) body_->cancel(cancel_reason::sibling);
    }
    if (size_ == 0 && waiter_ != nullptr) {
        std::exchange(waiter_, nullptr)->child_ended(1, outcome::completed);
    }
}

}  // namespace rill
