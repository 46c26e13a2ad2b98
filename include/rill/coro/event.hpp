// event: something that has happened or not, and those who wait until it has.
#pragma once

#include "rill/coro/operation.hpp"
#include "rill/coro/wait_list.hpp"

namespace rill {

/// A flag that coroutines of one core can wait for. It stays set until `reset`.
///
/// Core: owner core only. No wait may be left when it is destroyed.
class event {
public:
    /// Unset, or set from the start.
    explicit event(bool set = false) noexcept : set_(set) {}

    /// Sets it and lets everybody who waits go on, in the order in which they came.
    void set() noexcept;
    /// Unsets it. Who was let go on before this does so all the same.
    void reset() noexcept { set_ = false; }
    /// True from `set` to `reset`.
    [[nodiscard]] bool is_set() const noexcept { return set_; }

    class wait_operation;
    /// Waits until it is set; does not wait when it is.
    [[nodiscard]] wait_operation wait() noexcept;

private:
    bool set_;
    detail::wait_list<wait_operation> waiting_;
};

/// The wait of `event::wait`.
class [[nodiscard]] event::wait_operation final : public value_operation<void>,
                                                  public detail::wait_node {
public:
    /// The wait for `what`.
    explicit wait_operation(event& what) noexcept : event_(what) {}
    [[nodiscard]] char const* name() const noexcept override { return "event"; }

private:
    friend class event;

    bool start() noexcept override {
        if (event_.set_) {
            set_result({});
            return false;
        }
        event_.waiting_.push_back(*this);
        return true;
    }
    void cancel(cancel_reason) noexcept override {
        event_.waiting_.remove(*this);
        set_result(errc::cancelled);
        complete();
    }
    void happened() noexcept {
        set_result({});
        complete();
    }

    event& event_;
};

inline void event::set() noexcept {
    set_ = true;
    while (!waiting_.empty()) waiting_.pop_front().happened();
}
inline event::wait_operation event::wait() noexcept {
    return wait_operation(*this);
}

}  // namespace rill
