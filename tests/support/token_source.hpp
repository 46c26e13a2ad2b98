// A source of numbered tokens, as a listener is one of sockets: what a wait has won and nobody
// took goes back to it when the operation is destroyed.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "rill/coro/operation.hpp"

namespace rill::test {

class take_operation;

class token_source {
public:
    std::deque<int> tokens;
    int taken = 0;  ///< Tokens that an awaiting coroutine was given.

    /// Waits for a token.
    [[nodiscard]] take_operation take();
    /// Adds one, for whoever waits first.
    void give(int token);

private:
    friend class take_operation;
    std::vector<take_operation*> waiting_;
};

class take_operation final : public value_operation<int> {
public:
    explicit take_operation(token_source& source) : source_(source) {}
    ~take_operation() {
        if (stored() && stored()->has_value()) source_.tokens.push_front(**stored());
    }
    int await_resume() {
        int const token = value_operation::await_resume();
        ++source_.taken;
        return token;
    }

private:
    friend class token_source;
    bool start() noexcept override {
        if (source_.tokens.empty()) {
            source_.waiting_.push_back(this);
            return true;
        }
        set_result(source_.tokens.front());
        source_.tokens.pop_front();
        return false;
    }
    void cancel(cancel_reason) noexcept override {
        std::erase(source_.waiting_, this);
        set_result(errc::cancelled);
        complete();
    }
    void got(int token) {
        set_result(token);
        complete();
    }

    token_source& source_;
};

inline take_operation token_source::take() {
    return take_operation(*this);
}
inline void token_source::give(int token) {
    if (waiting_.empty()) {
        tokens.push_back(token);
        return;
    }
    auto* const first = waiting_.front();
    waiting_.erase(waiting_.begin());
    first->got(token);
}

}  // namespace rill::test
