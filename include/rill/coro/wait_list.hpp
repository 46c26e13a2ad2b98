// wait_list: who waits, in order. Joining, leaving and being served cost a few pointer writes each.
#pragma once

#include <cstddef>

#include "rill/base/assert.hpp"

namespace rill::detail {

/// A place in a `wait_list`; an operation that waits derives from it.
///
/// Invariant: both pointers are set while it is on a list, and null otherwise.
class wait_node {
public:
    wait_node() noexcept = default;
    wait_node(wait_node const&) = delete;
    wait_node& operator=(wait_node const&) = delete;

protected:
    ~wait_node() = default;

private:
    friend class wait_list_base;
    wait_node* previous_ = nullptr;
    wait_node* next_ = nullptr;
};

/// The links of a ring of nodes, closed by the list's own node.
class wait_list_base {
public:
    wait_list_base() noexcept { end_.previous_ = end_.next_ = &end_; }
    wait_list_base(wait_list_base const&) = delete;
    wait_list_base& operator=(wait_list_base const&) = delete;

    [[nodiscard]] bool empty() const noexcept { return end_.next_ == &end_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

protected:
    ~wait_list_base() {
        RILL_ASSERT(empty(), "end every wait on an object before the object is destroyed");
    }
    void insert_last(wait_node& node) noexcept {
        RILL_ASSERT(node.next_ == nullptr, "a wait is on one list at a time");
        node.previous_ = end_.previous_;
        node.next_ = &end_;
        end_.previous_->next_ = &node;
        end_.previous_ = &node;
        ++size_;
    }
    void unlink(wait_node& node) noexcept {
        RILL_ASSERT(node.next_ != nullptr, "only what is on a list can leave it");
        node.previous_->next_ = node.next_;
        node.next_->previous_ = node.previous_;
        node.previous_ = node.next_ = nullptr;
        --size_;
    }
    [[nodiscard]] wait_node& first_node() const noexcept { return *end_.next_; }
    [[nodiscard]] wait_node& last_node() const noexcept { return *end_.previous_; }

private:
    struct end_node final : wait_node {
        end_node() noexcept = default;
    };
    end_node end_;
    std::size_t size_ = 0;
};

/// Waits of type Wait, which derives from `wait_node`, first come first served.
template <class Wait>
class wait_list : public wait_list_base {
public:
    /// Puts `wait` behind all others.
    void push_back(Wait& wait) noexcept { insert_last(wait); }
    /// Takes `wait` out from wherever it stands.
    void remove(Wait& wait) noexcept { unlink(wait); }
    /// Who has waited longest; the list is not empty.
    [[nodiscard]] Wait& front() const noexcept {
        RILL_ASSERT(!empty(), "ask whether anyone waits first");
        return static_cast<Wait&>(first_node());
    }
    /// Takes out who has waited longest.
    Wait& pop_front() noexcept {
        Wait& wait = front();
        unlink(wait);
        return wait;
    }
    /// Takes out who came last.
    Wait& pop_back() noexcept {
        RILL_ASSERT(!empty(), "ask whether anyone waits first");
        Wait& wait = static_cast<Wait&>(last_node());
        unlink(wait);
        return wait;
    }
};

}  // namespace rill::detail
