// this_chain: the line of awaits that a coroutine runs in.
#pragma once

#include <coroutine>

#include "rill/coro/chain.hpp"

namespace rill {

namespace detail {

/// Never suspends; looks at the promise of its awaiter.
class this_chain_awaiter {
public:
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> frame) noexcept {
        promise_base& promise = frame.promise();
        chain_ = promise.chain_;
        return false;
    }
    chain* await_resume() const noexcept { return chain_; }

private:
    chain* chain_ = nullptr;
};

}  // namespace detail

/// Gives the chain of the coroutine that awaits it, at once: to be cancelled from elsewhere, or to
/// look at its deadline. It lives until that chain ends.
[[nodiscard]] inline detail::this_chain_awaiter this_chain() noexcept {
    return {};
}

}  // namespace rill
