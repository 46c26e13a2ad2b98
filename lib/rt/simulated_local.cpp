// Local sockets of datagrams in a simulation.
#include "simulated_local.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "datagram_layout.hpp"
#include "simulated_world.hpp"

namespace rill {

namespace {

constexpr int first_descriptor = 4'000'000;
constexpr std::size_t most_unread = 11;        // net.unix.max_dgram_qlen, and one
constexpr std::size_t most_payload = 200'000;  // about what the default of SO_SNDBUF takes

}  // namespace

simulated_local::entry_ptr const& simulated_local::entry(int descriptor) const {
    auto const index = static_cast<std::size_t>(descriptor - first_descriptor);
    RILL_ASSERT(index < sockets_.size() && sockets_[index] != nullptr,
                "use a descriptor that this simulation has open");
    return sockets_[index];
}

bool simulated_local::owns(int descriptor) const noexcept {
    return descriptor >= first_descriptor;
}

int simulated_local::enter(entry_ptr made) {
    auto slot = std::find(sockets_.begin(), sockets_.end(), nullptr);
    if (slot == sockets_.end()) slot = sockets_.insert(slot, nullptr);
    *slot = std::move(made);
    ++count_;
    return first_descriptor + static_cast<int>(slot - sockets_.begin());
}

simulated_local::entry_ptr simulated_local::named(address const& name) const {
    auto const found = std::find_if(sockets_.begin(), sockets_.end(), [&](entry_ptr const& each) {
        return each != nullptr && name.kind() != address::family::none && each->local == name;
    });
    return found != sockets_.end() ? *found : nullptr;
}

result<int> simulated_local::open(address const* at) {
    if (at != nullptr && (named(*at) != nullptr || world_.network().listens(*at))) {
        return system_error(EADDRINUSE);
    }
    if (!world_.descriptor_left()) return system_error(EMFILE);
    auto made = std::make_shared<socket_entry>();
    if (at != nullptr) made->local = *at;
    return enter(std::move(made));
}

result<std::array<int, 2>> simulated_local::open_pair() {
    auto first = std::make_shared<socket_entry>();
    auto second = std::make_shared<socket_entry>();
    first->peer = second;
    second->peer = first;
    first->paired = second->paired = true;
    if (!world_.descriptor_left()) return system_error(EMFILE);
    int const one = enter(std::move(first));
    if (!world_.descriptor_left()) {
        close(one);
        return system_error(EMFILE);
    }
    return std::array{one, enter(std::move(second))};
}

result<void> simulated_local::set_peer(int descriptor, address const& to) {
    if (named(to) == nullptr) return system_error(ENOENT);
    entry(descriptor)->peer_name = to;
    return {};
}

void simulated_local::release_name(address const& bound) noexcept {
    if (auto const owner = named(bound)) owner->local = {};
}

address simulated_local::local(int descriptor) const {
    return entry(descriptor)->local;
}

address simulated_local::remote(int descriptor) const {
    return entry(descriptor)->peer_name;
}

bool simulated_local::in_pair(int descriptor) const {
    return entry(descriptor)->paired;
}

void simulated_local::close(int descriptor) {
    entry_ptr const ended = entry(descriptor);
    RILL_ASSERT(!ended->receiving, "close a descriptor when its requests have ended");
    sockets_[static_cast<std::size_t>(descriptor - first_descriptor)] = nullptr;
    --count_;
    ended->closed = true;
    ended->unread.clear();
    let_senders(ended);
}

void simulated_local::start(request& what, simulated_sink& by) {
    simulated_wait wait(what, by);
    switch (what.what()) {
        case verb::receive_datagrams:
            if (!by.has_buffer(what.large_buffers()) || world_.finds_no_buffer()) {
                return wait.complete(-ENOBUFS);
            }
            entry(what.descriptor())->receiving = wait;
            return progress(entry(what.descriptor()));
        case verb::send_message:
            return send(wait);
        default:
            return wait.complete(-EOPNOTSUPP);
    }
}

void simulated_local::cancel(request& what) {
    simulated_wait& receiving = entry(what.descriptor())->receiving;
    if (receiving.is(what)) return receiving.complete(-ECANCELED);
    // Where it waits may have lost its name meanwhile.
    for (entry_ptr const& to : sockets_) {
        if (to == nullptr) continue;
        auto const found = std::find_if(to->senders.begin(), to->senders.end(),
                                        [&](simulated_wait const& each) { return each.is(what); });
        if (found == to->senders.end()) continue;
        found->complete(-ECANCELED);
        to->senders.erase(found);
        return;
    }
}

simulated_local::entry_ptr simulated_local::receiver_of(request const& what) const {
    socket_entry const& from = *entry(what.descriptor());
    if (from.paired) return from.peer.lock();
    message_extras const* const extras = what.extras();
    bool const has_target = extras != nullptr && extras->target != nullptr;
    return named(has_target ? *extras->target : from.peer_name);
}

void simulated_local::send(simulated_wait sender) {
    entry_ptr const to = receiver_of(sender.what());
    if (to != nullptr && !to->closed && to->unread.size() + to->on_the_way >= most_unread) {
        return to->senders.push_back(sender);
    }
    sender.complete(put_on_way(sender.what(), to));
}

/// Returns the size of the datagram or a negated errno.
int simulated_local::put_on_way(request const& what, entry_ptr const& to) {
    if (to == nullptr || to->closed) return -ECONNREFUSED;
    socket_entry const& from = *entry(what.descriptor());
    message made{
        .from = from.local, .payload = {}, .descriptors = simulated_passed(world_.files())};
    for (std::size_t i = 0; i < what.piece_count(); ++i) made.payload += what.pieces()[i].text();
    if (made.payload.size() > most_payload) return -EMSGSIZE;
    if (what.extras() != nullptr) {
        int const code = made.descriptors.copy(what.extras()->descriptors);
        if (code != 0) return code;
    }
    int const size = static_cast<int>(made.payload.size());
    ++to->on_the_way;
    to->last_arrival = std::max(to->last_arrival, later(world_.now(), world_.faults().delay()));
    // Shared: what happens later has to be copyable, and this is not.
    auto const kept = std::make_shared<message>(std::move(made));
    world_.at(to->last_arrival, [this, to, kept] { arrived(to, std::move(*kept)); });
    return size;
}

void simulated_local::arrived(entry_ptr const& at, message what) {
    --at->on_the_way;
    if (at->closed) return;
    at->unread.push_back(std::move(what));
    progress(at);
}

/// Lets those who wait for room go on: there is some, or nobody will read any more.
void simulated_local::let_senders(entry_ptr const& at) {
    while (!at->senders.empty() &&
           (at->closed || at->unread.size() + at->on_the_way < most_unread)) {
        simulated_wait next = at->senders.front();
        at->senders.pop_front();
        next.complete(put_on_way(next.what(), at));
    }
}

void simulated_local::progress(entry_ptr const& to) {
    socket_entry& at = *to;
    while (at.receiving && !at.unread.empty()) {
        bool const large = at.receiving.what().large_buffers();
        std::uint32_t const buffer =
            world_.finds_no_buffer() ? request::no_buffer : at.receiving.by().take_buffer(large);
        if (buffer == request::no_buffer) return at.receiving.complete(-ENOBUFS);
        message next = std::move(at.unread.front());
        at.unread.pop_front();
        std::vector<int> const descriptors = next.descriptors.take();
        std::size_t const used = datagram::put(at.receiving.by().memory_of(buffer, large),
                                               next.from, next.payload, descriptors);
        // An empty datagram ends the stream of results on the ring as well.
        bool const more =
            !next.payload.empty() && !world_.faults().roll(&simulation::faults::ended_streams);
        at.receiving.complete(static_cast<int>(used), buffer, more);
    }
    let_senders(to);
}

}  // namespace rill
