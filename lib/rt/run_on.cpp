// The messages of run_on: there, back, and a cancellation that overtakes nothing.
#include "rill/rt/run_on.hpp"

#include "core_set.hpp"
#include "rill/rt/run.hpp"

namespace rill::detail {

bool remote_call::start() noexcept {
    RILL_ASSERT(index_ < core_count(), "run_on takes the index of a core of this run_per_core");
    core& home = core::of(*waiting_chain());
    cores_ = home.siblings();
    home_index_ = home.index();
    deadline_ = waiting_chain()->deadline();
    under_way_ = 1;
    send(call_, place::away);
    return true;
}

void remote_call::cancel(cancel_reason reason) noexcept {
    reason_ = reason;
    ++under_way_;
    send(cancel_, place::away);
}

// Outside of run_per_core there is but one core, which needs no mailbox to reach itself.
void remote_call::send(courier& what, place towards) noexcept {
    what.towards = towards;
    std::uint32_t const index = towards == place::away ? index_ : home_index_;
    if (cores_ == nullptr || index_ == home_index_) {
        core::current().post(what);
        return;
    }
    // From here on the operation may be gone: the other core may have it, and finish it.
    bool const delivered = cores_->box(index)->deliver(what);
    RILL_ASSERT(delivered, "no core leaves before all have ended");
}

void remote_call::arrived(courier& which) noexcept {
    if (which.towards == place::home) {
        if (--under_way_ == 0) complete();
    } else if (&which == &call_) {
        begin_there(core::current(), deadline_);
    } else {
        // The mailbox keeps the order: the call has begun, and may have finished.
        if (!finished_) cancel_there(reason_);
        send(cancel_, place::home);
    }
}

void remote_call::finished() noexcept {
    finished_ = true;
    send(call_, place::home);
}

}  // namespace rill::detail
