// when_any: several awaitables at once, the value of the first.
#pragma once

#include <cstddef>
#include <utility>
#include <variant>

#include "rill/coro/when_all.hpp"

namespace rill {

/// Which awaitable won, and its value. `value.index()` equals `index`.
template <class... T>
struct any_result {
    std::size_t index;         ///< The position of the winner among the arguments.
    std::variant<T...> value;  ///< Its value; `std::monostate` for void.
};

namespace detail {

template <awaitable... Awaitables>
class when_any_operation final : public joining_operation<Awaitables...> {
    using base = joining_operation<Awaitables...>;

public:
    using value_type = any_result<storable<await_result<Awaitables>>...>;

    explicit when_any_operation(Awaitables&... what) noexcept : base(what...) {}

    [[nodiscard]] bool failed() const noexcept {
        return winner_ != base::count && this->child_failed(winner_);
    }
    [[nodiscard]] bool stopped() const noexcept { return winner_ == base::count; }
    value_type await_resume() {
        std::optional<value_type> won;
        take(won, std::index_sequence_for<Awaitables...>{});
        return *std::move(won);
    }
    [[nodiscard]] char const* name() const noexcept override { return "when_any"; }

private:
    void child_ended(std::size_t index, outcome how) noexcept override {
        if (winner_ != base::count) {
            // A loser that completed all the same: what it won goes back at once.
            if (how == outcome::completed) this->abandon_child(index);
        } else if (how == outcome::completed) {
            winner_ = index;
            this->cancel_all(cancel_reason::sibling);
        } else {
            this->child_stopped(index);
        }
        if (this->last_ended()) this->complete();
    }

    template <std::size_t... Index>
    void take(std::optional<value_type>& won, std::index_sequence<Index...>) {
        using variant = decltype(value_type::value);
        ((Index == winner_
              ? void(won.emplace(Index, variant(std::in_place_index<Index>,
                                                std::get<Index>(this->children_)->take())))
              : void()),
         ...);
    }

    std::size_t winner_ = base::count;
};

}  // namespace detail

/// Runs all awaitables at once, waits for the first to complete, and cancels and joins the others.
///
/// Returns the winner's index and value. What a losing operation had already won (a socket, a
/// message) goes back to where it came from; the value of a losing task is destroyed.
/// Errors  the winner's.
/// Cancel  cancels all and waits for them.
template <awaitable... Awaitables>
[[nodiscard]] auto when_any(Awaitables&&... what) noexcept {
    static_assert(sizeof...(Awaitables) > 0, "when_any needs something to wait for");
    return detail::when_any_operation<std::remove_reference_t<Awaitables>...>(what...);
}

}  // namespace rill
