// A child: one awaitable that a combinator runs in a chain of its own.
#pragma once

#include <cstddef>
#include <type_traits>
#include <variant>

#include "rill/coro/awaitable.hpp"
#include "rill/coro/operation.hpp"
#include "rill/coro/task.hpp"

namespace rill {

namespace detail {

/// `void` results stand as std::monostate in tuples and variants.
template <class T>
using storable = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

/// Who is told when a child has ended.
class child_owner {
public:
    virtual void child_ended(std::size_t index, outcome how) noexcept = 0;

protected:
    ~child_owner() = default;
};

/// Runs one awaitable, held by reference, in its own chain.
template <awaitable Awaitable>
class child final : public chain {
public:
    child(executor& home, chain* parent, Awaitable& what, child_owner& owner,
          std::size_t index) noexcept
        : chain(home, parent), what_(&what), owner_(&owner), index_(index) {}
    /// With a deadline of its own instead of the parent's.
    child(executor& home, chain* parent, time_point deadline, Awaitable& what, child_owner& owner,
          std::size_t index) noexcept
        : chain(home, parent, deadline), what_(&what), owner_(&owner), index_(index) {}
    ~child() = default;

    void begin() noexcept { what_->start_on(*this); }
    [[nodiscard]] bool failed() const noexcept { return what_->failed(); }
    /// Lets go of the value of a child that has ended and that nobody will take.
    void abandon() noexcept { what_->abandon(); }
    [[nodiscard]] storable<await_result<Awaitable>> take() {
        if constexpr (std::is_void_v<await_result<Awaitable>>) {
            what_->await_resume();
            return {};
        } else {
            return what_->await_resume();
        }
    }

private:
    void ended(outcome how) noexcept override {
        if (how == outcome::stopped) {
            what_->abandon();
        } else if constexpr (requires { what_->claim(); }) {
            what_->claim();
        }
        owner_->child_ended(index_, how);
    }

    Awaitable* what_;
    child_owner* owner_;
    std::size_t index_;
};

}  // namespace detail

}  // namespace rill
