// Planned faults of a simulated network: hosts that cannot be reached, refuse, or reset.
#include <algorithm>
#include <cerrno>

#include "simulated_network.hpp"
#include "simulated_sockets.hpp"
#include "simulated_world.hpp"

namespace rill {

namespace {

// How long Linux tries before it gives a connection up: net.ipv4.tcp_syn_retries = 6 and
// tcp_retries2 = 15.
constexpr duration connect_patience = 127s;
constexpr duration send_patience = 924s;

bool erase_one(std::vector<address>& from, address const& what) {
    auto const found = std::find(from.begin(), from.end(), what);
    if (found == from.end()) return false;
    from.erase(found);
    return true;
}

}  // namespace

bool simulated_network::covers(address const& where, address const& what) {
    if (where.kind() == address::family::none) return true;
    if (where.kind() == address::family::local) return where == what;
    if (where.port() != 0 && where.port() != what.port()) return false;
    return where.any() || (where.kind() == what.kind() && where.ip() == what.ip());
}

bool simulated_network::passes(address const& from, address const& to) const {
    return std::none_of(cut_off_.begin(), cut_off_.end(), [&](address const& where) {
        return covers(where, from) || covers(where, to);
    });
}

bool simulated_network::reachable(end const& which) const {
    return passes(which->local, which.other()->local);
}

void simulated_network::hold(segment&& what) {
    std::uint64_t const number = sent_++;
    duration const patience = what.what == flag::syn ? connect_patience : send_patience;
    held_.emplace(number, std::move(what));
    world_.at(later(world_.now(), patience), [this, number] {
        auto const found = held_.find(number);
        if (found == held_.end()) return;
        end const sender = found->second.to.other();
        std::erase_if(held_, [&](auto const& each) { return each.second.to.of == sender.of; });
        if (sender->connecting) return sender->connecting.complete(-ETIMEDOUT);
        fail(sender, ETIMEDOUT);
        progress_receive(sender);
        progress_polls(sender->descriptor);
    });
}

void simulated_network::let_through() {
    std::map<std::uint64_t, segment> waiting;
    waiting.swap(held_);
    for (auto& [number, each] : waiting) {
        if (!reachable(each.to)) {
            held_.emplace(number, std::move(each));
            continue;
        }
        time_point const arrival = later(world_.now(), world_.options().latency);
        each.to->last_arrival = std::max(each.to->last_arrival, arrival);
        put_on_wire(each.to->last_arrival, std::move(each));
    }
}

void simulated_network::reach_again(address const& where) {
    if (erase_one(cut_off_, where)) let_through();
}

void simulated_network::refuse_no_more(address const& where) {
    erase_one(refused_, where);
}

void simulated_network::heal() {
    cut_off_.clear();
    refused_.clear();
    let_through();
}

void simulated_network::reset_all(address const& where) {
    // By number: an index stays right when a socket comes or goes meanwhile.
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
        if (sockets_[i] == nullptr || !sockets_[i]->stream) continue;
        end const at = sockets_[i]->stream;
        if (!at->connected || (!covers(where, at->local) && !covers(where, at.other()->local))) {
            continue;
        }
        fail_both(at);
    }
}

void simulated_network::fail_both(end const& at) {
    for (end const& each : {at, at.other()}) {
        fail(each, ECONNRESET);
        progress_receive(each);
        progress_polls(each->descriptor);
    }
}

}  // namespace rill
