// The ready list: what may run next on one core, in order.
#pragma once

#include <cstdint>

#include "rill/base/assert.hpp"
#include "rill/base/export.hpp"

namespace rill {

/// Something that can be put on a ready list and run once from there.
///
/// Invariant: a node is on at most one list, and lives until it has run.
class ready_node {
public:
    ready_node(ready_node const&) = delete;
    ready_node& operator=(ready_node const&) = delete;

protected:
    ready_node() noexcept = default;
    ~ready_node() = default;

    /// Runs on the executor's core, never inside the call that posted it.
    virtual void run() noexcept = 0;

private:
    friend class executor;
    ready_node* next_ready_ = nullptr;
};

/// One core's ready list. The scheduler of a core is one; tests may make one of their own.
///
/// Core: owner core only.
class RILL_API executor {
public:
    executor() noexcept = default;
    executor(executor const&) = delete;
    executor& operator=(executor const&) = delete;

    /// Puts `node` behind everything that is ready.
    void post(ready_node& node) noexcept {
        node.next_ready_ = nullptr;
        if (last_ != nullptr) {
            last_->next_ready_ = &node;
        } else {
            first_ = &node;
        }
        last_ = &node;
    }

    /// True when nothing is ready.
    [[nodiscard]] bool idle() const noexcept { return first_ == nullptr; }

    /// Runs ready nodes until none is left or `limit` have run; returns how many ran.
    std::uint32_t run_ready(std::uint32_t limit) noexcept {
        std::uint32_t count = 0;
        while (first_ != nullptr && count < limit) {
            ready_node& node = *first_;
            first_ = node.next_ready_;
            if (first_ == nullptr) last_ = nullptr;
            budget_ = full_budget;
            node.run();
            ++count;
        }
        return count;
    }

    /// Takes one from the budget of operations that may complete without a turn of the loop.
    ///
    /// Returns false when it is used up: the operation then goes through the ready list, so that a
    /// coroutine whose every wait is already satisfied cannot hold the core.
    [[nodiscard]] bool spend() noexcept {
        if (budget_ == 0) return false;
        --budget_;
        return true;
    }

    /// How many operations in a row may complete without a turn of the loop.
    static constexpr std::uint32_t full_budget = 64;

protected:
    ~executor() = default;

private:
    ready_node* first_ = nullptr;
    ready_node* last_ = nullptr;
    std::uint32_t budget_ = full_budget;
};

}  // namespace rill
