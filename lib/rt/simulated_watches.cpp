// A queue of changes of files in a simulated world.
#include "simulated_watches.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "simulated_tree.hpp"

namespace rill {

namespace {

constexpr std::size_t most_events = 16'384;  // fs.inotify.max_queued_events
constexpr std::size_t most_at_once = 64;     // with names, as many as fit into 4 KiB

bool same(watch_calls::event const& one, watch_calls::event const& other) {
    return one.what == other.what && one.watch == other.watch && one.name == other.name;
}

}  // namespace

simulated_watches::~simulated_watches() {
    for (auto const& each : watched_) {
        if (auto const node = each.second.lock()) unwatch(*node);
    }
}

void simulated_watches::unwatch(simulated_node& node) const {
    std::erase_if(node.watchers,
                  [this](simulated_node::watcher const& each) { return each.queue == this; });
}

int simulated_watches::add(std::shared_ptr<simulated_node> const& node) {
    for (simulated_node::watcher const& each : node->watchers) {
        if (each.queue == this) return each.number;
    }
    watched_.emplace(++last_number_, node);
    node->watchers.push_back({this, last_number_});
    return last_number_;
}

bool simulated_watches::remove(int number) {
    auto const found = watched_.find(number);
    if (found == watched_.end()) return false;
    if (auto const node = found->second.lock()) unwatch(*node);
    end(number);
    return true;
}

std::vector<watch_calls::event> simulated_watches::read() {
    std::vector<watch_calls::event> taken;
    while (!events_.empty() && taken.size() < most_at_once) {
        taken.push_back(std::move(events_.front()));
        events_.pop_front();
    }
    return taken;
}

void simulated_watches::wait(simulated_wait const& by) {
    waiting_ = by;
    if (!events_.empty()) waiting_.complete(POLLIN);
}

void simulated_watches::cancel(request const& what) {
    if (waiting_.is(what)) waiting_.complete(-ECANCELED);
}

void simulated_watches::tell(watch_calls::event what) {
    // Equal changes that follow each other are one.
    if (!events_.empty() && same(events_.back(), what)) return;
    if (events_.size() > most_events) return;
    if (events_.size() == most_events) what = {.what = watch_calls::kind::overflow};
    events_.push_back(std::move(what));
    if (waiting_) waiting_.complete(POLLIN);
}

void simulated_watches::end(int number) {
    watched_.erase(number);
    tell({.what = watch_calls::kind::gone, .watch = number});
}

}  // namespace rill
