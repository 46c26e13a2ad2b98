// when_all: several awaitables at once, all of their values.
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include "rill/coro/child.hpp"

namespace rill {

namespace detail {

/// What the combinators with a fixed number of children share: start, cancel, join.
template <awaitable... Awaitables>
class joining_operation : public operation, protected child_owner {
protected:
    explicit joining_operation(Awaitables&... what) noexcept : what_(what...) {}
    ~joining_operation() = default;

    static constexpr std::size_t count = sizeof...(Awaitables);
    using children = std::tuple<std::optional<child<Awaitables>>...>;

    bool start() noexcept override {
        start_all(std::index_sequence_for<Awaitables...>{});
        return true;
    }
    void cancel(cancel_reason reason) noexcept override { cancel_all(reason); }

    /// Tells every child to end; those that have ended do not notice.
    void cancel_all(cancel_reason reason) noexcept {
        std::apply([&](auto&... each) { (each->cancel(reason), ...); }, children_);
    }
    /// Counts one child as ended; true for the last.
    [[nodiscard]] bool last_ended() noexcept { return ++ended_ == count; }
    [[nodiscard]] bool child_failed(std::size_t index) const noexcept {
        bool failed = false;
        each_at(*this, index, [&](auto& each) { failed = each.failed(); });
        return failed;
    }
    /// The wait cannot be satisfied any more: child `index` was stopped, and not by this.
    void child_stopped(std::size_t index) noexcept {
        each_at(*this, index, [&](auto& each) { this->pass_on_stop(each.reason()); });
    }
    /// Lets go of the value of a child that has ended.
    void abandon_child(std::size_t index) noexcept {
        each_at(*this, index, [](auto& each) { each.abandon(); });
    }

    std::tuple<Awaitables&...> what_;
    children children_;

private:
    template <std::size_t... Index>
    void start_all(std::index_sequence<Index...>) noexcept {
        chain& line = *waiting_chain();
        (std::get<Index>(children_).emplace(line.home(), &line, std::get<Index>(what_),
                                            static_cast<child_owner&>(*this), Index),
         ...);
        (std::get<Index>(children_)->begin(), ...);
    }
    /// Calls `use` with the child at `index`.
    template <class Self, class Use>
    static void each_at(Self& self, std::size_t index, Use&& use) noexcept {
        std::size_t at = 0;
        std::apply([&](auto&... each) { ((at++ == index ? use(*each) : void()), ...); },
                   self.children_);
    }

    std::size_t ended_ = 0;
};

template <awaitable... Awaitables>
class when_all_operation final : public joining_operation<Awaitables...> {
    using base = joining_operation<Awaitables...>;

public:
    using value_type = std::tuple<storable<await_result<Awaitables>>...>;

    explicit when_all_operation(Awaitables&... what) noexcept : base(what...) {}

    [[nodiscard]] bool failed() const noexcept { return first_failed_ != base::count; }
    [[nodiscard]] bool stopped() const noexcept { return !failed() && completed_ != base::count; }

    value_type await_resume() { return take_all(std::index_sequence_for<Awaitables...>{}); }

    [[nodiscard]] char const* name() const noexcept override { return "when_all"; }

private:
    void child_ended(std::size_t index, outcome how) noexcept override {
        if (how == outcome::stopped) {
            if (!failed()) this->child_stopped(index);
        } else {
            ++completed_;
            if (!failed() && this->child_failed(index)) {
                first_failed_ = index;
                this->cancel_all(cancel_reason::sibling);
            }
        }
        if (this->last_ended()) this->complete();
    }

    template <std::size_t... Index>
    value_type take_all(std::index_sequence<Index...>) {
        if (failed()) {
            // Taking from the child that failed first throws what it threw.
            ((Index == first_failed_ ? void(std::get<Index>(this->children_)->take()) : void()),
             ...);
        }
        return value_type{std::get<Index>(this->children_)->take()...};
    }

    std::size_t first_failed_ = base::count;
    std::size_t completed_ = 0;
};

}  // namespace detail

/// Runs all awaitables at once and waits for all of them.
///
/// Returns a std::tuple of their values, in order; `std::monostate` for void.
/// Errors  the first failure cancels the others, waits for them, and is thrown.
/// Cancel  cancels all and waits for them.
template <awaitable... Awaitables>
[[nodiscard]] auto when_all(Awaitables&&... what) noexcept {
    static_assert(sizeof...(Awaitables) > 0, "when_all needs something to wait for");
    return detail::when_all_operation<std::remove_reference_t<Awaitables>...>(what...);
}

}  // namespace rill
