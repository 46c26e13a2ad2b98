// The end of a chain, and how a cancellation reaches the operation it waits for.
#include "rill/coro/chain.hpp"

#include "rill/coro/operation.hpp"

namespace rill {

void chain::cancel(cancel_reason reason) noexcept {
    if (reason_ != cancel_reason::none) return;
    if (state_ == state::finished || state_ == state::stopping) return;
    reason_ = reason;
    if (leaf_ != nullptr && leaf_->phase_ == operation::phase::started) leaf_->cancel(reason);
}

bool chain::has_won() const noexcept {
    return innermost_ == nullptr && leaf_ != nullptr &&
           leaf_->phase_ == operation::phase::completed;
}

void chain::finish() noexcept {
    outcome const how = state_ == state::stopping ? outcome::stopped : outcome::completed;
    innermost_ = nullptr;
    ended(how);
}

void chain::start(operation& only) noexcept {
    // A chain of one operation has no frame: the operation's completion is its end.
    state_ = state::going;
    if (!only.begin(*this)) {
        only.phase_ = operation::phase::started;
        only.complete();
    } else if (state_ != state::going) {
        home_->post(*this);
    }
}

bool operation::begin(chain& line) noexcept {
    chain_ = &line;
    if (line.cancelled() && !shielded_) [[unlikely]] {
        if (!catches_) {
            line.state_ = chain::state::stopping;
            return true;
        }
        refuse();
        phase_ = phase::done;
        return false;
    }
    bool const cancelled_before = line.cancelled();
    line.leaf_ = this;
    phase_ = phase::starting;
    if (start()) {
        if (phase_ == phase::starting) {
            phase_ = phase::started;
            // `start` itself may have caused a cancellation, which `chain::cancel` left to us.
            if (line.cancelled() && !cancelled_before) [[unlikely]]
                cancel(line.reason());
        }
        return true;
    }
    RILL_ASSERT(phase_ == phase::starting, "start returns true after it has called complete");
    if (!line.home_->spend()) [[unlikely]] {
        complete();
        return true;
    }
    line.leaf_ = nullptr;
    phase_ = phase::done;
    return false;
}

void operation::run() noexcept {
    chain& line = *chain_;
    line.leaf_ = nullptr;
    phase_ = phase::done;
    if (line.cancelled() && !catches_) [[unlikely]] {
        line.stop();
    } else if (frame_) {
        line.resume(frame_);
    } else {
        line.state_ = chain::state::finished;
        line.finish();
    }
}

}  // namespace rill
