// The way of a completion to its core.
#include "rill/rt/completion.hpp"

namespace rill::detail {

completion_link::~completion_link() = default;

void completion_link::deliver() noexcept {
    on_the_way_ = shared_from_this();
    // Where the core has gone nobody waits: this goes with the last who holds it.
    if (!home_.deliver(*this)) on_the_way_.reset();
}

void completion_link::run() noexcept {
    std::shared_ptr<completion_link> const self = std::move(on_the_way_);
    here = true;
    if (listener* const who = std::exchange(waiter, nullptr)) who->arrived();
}

}  // namespace rill::detail
