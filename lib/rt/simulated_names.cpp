// The names of a simulated world.
#include "simulated_names.hpp"

#include "simulated_world.hpp"

namespace rill {

void simulated_names::ask(name_query& what) {
    auto const known = table_.find(what.host());
    duration const delay = known == table_.end() ? duration::zero() : known->second.delay;
    time_point const when = later(world_.now(), delay);
    asked_[&what] = {when, world_.at(when, [this, &what] { answer(what); })};
}

void simulated_names::forget(name_query& what) noexcept {
    auto const node = asked_.extract(&what);
    if (!node.empty()) world_.take_back(node.mapped().first, node.mapped().second);
}

void simulated_names::answer(name_query& what) {
    asked_.erase(&what);
    auto const known = table_.find(what.host());
    if (known == table_.end()) {
        what.answered(errc::no_such_name);
    } else if (known->second.addresses.empty()) {
        what.answered(known->second.failure);
    } else {
        what.answered(known->second.addresses);
    }
}

}  // namespace rill
