// Datagram sockets of a simulation.
#include "simulated_datagrams.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "datagram_layout.hpp"
#include "simulated_world.hpp"

namespace rill {

namespace {

constexpr int first_descriptor = 3'000'000;
constexpr int end_of_descriptors = 4'000'000;
constexpr std::size_t most_unread = 256;      // datagrams; about what Linux holds by default
constexpr std::size_t most_failures = 64;     // told by ICMP and not asked for yet
constexpr std::size_t most_payload = 65'507;  // of UDP over IPv4
// How long a datagram that is overtaken is on its way, at most.
constexpr duration longest_way = 1s;

bool is_multicast(address const& to) noexcept {
    if (to.kind() == address::family::ipv4) return (to.ip()[0] & 0xf0) == 0xe0;
    return to.kind() == address::family::ipv6 && to.ip()[0] == 0xff;
}

bool is_broadcast(address const& to) noexcept {
    return to.kind() == address::family::ipv4 &&
           std::all_of(to.ip().begin(), to.ip().begin() + 4,
                       [](std::uint8_t each) { return each == 0xff; });
}

address unspecified(address::family kind) {
    return kind == address::family::ipv6 ? address::v6({}, 0) : address::v4({}, 0);
}

/// The address that answers reach: a socket on any address sends from that of its target.
address name_towards(address const& local, address const& to) {
    if (!local.any()) return local;
    if (is_multicast(to) || is_broadcast(to)) return address::v4({127, 0, 0, 1}, local.port());
    return to.with_port(local.port());
}

}  // namespace

simulated_datagrams::socket_entry& simulated_datagrams::entry(int descriptor) {
    return const_cast<socket_entry&>(std::as_const(*this).entry(descriptor));
}

simulated_datagrams::socket_entry const& simulated_datagrams::entry(int descriptor) const {
    auto const index = static_cast<std::size_t>(descriptor - first_descriptor);
    RILL_ASSERT(index < sockets_.size() && sockets_[index] != nullptr,
                "use a descriptor that this simulation has open");
    return *sockets_[index];
}

bool simulated_datagrams::owns(int descriptor) const noexcept {
    return descriptor >= first_descriptor && descriptor < end_of_descriptors;
}

bool simulated_datagrams::taken(address const& at, datagram_settings const& with) const {
    return std::any_of(sockets_.begin(), sockets_.end(), [&](auto const& each) {
        if (each == nullptr || !(each->local == at)) return false;
        bool const shared = (with.reuse_port && each->settings.reuse_port) ||
                            (with.reuse_address && each->settings.reuse_address);
        return !shared;
    });
}

result<int> simulated_datagrams::open(address::family kind, address const* at,
                                      datagram_settings const& with) {
    address where = at != nullptr ? *at : unspecified(kind);
    if (where.port() == 0) {
        address const wanted = where;
        do {
            where = wanted.with_port(next_port_++);
            if (next_port_ == 0) next_port_ = 49152;
        } while (taken(where, with));
    } else if (taken(where, with)) {
        return system_error(EADDRINUSE);
    }
    if (!world_.descriptor_left()) return system_error(EMFILE);
    auto place = std::find(sockets_.begin(), sockets_.end(), nullptr);
    if (place == sockets_.end()) place = sockets_.insert(place, nullptr);
    *place = std::make_unique<socket_entry>();
    (*place)->local = where;
    (*place)->settings = with;
    (*place)->number = ++numbers_;
    ++count_;
    return first_descriptor + static_cast<int>(place - sockets_.begin());
}

result<void> simulated_datagrams::set_peer(int descriptor, address const& to) {
    entry(descriptor).peer = to;
    return {};
}

result<void> simulated_datagrams::join(int descriptor, address const& group, bool leave) {
    auto& groups = entry(descriptor).groups;
    auto const same = [&](address const& each) { return each.ip() == group.ip(); };
    auto const found = std::find_if(groups.begin(), groups.end(), same);
    if (leave == (found == groups.end())) return system_error(leave ? EADDRNOTAVAIL : EADDRINUSE);
    if (leave) {
        groups.erase(found);
    } else {
        groups.push_back(group);
    }
    return {};
}

std::optional<send_failure> simulated_datagrams::next_failure(int descriptor) noexcept {
    auto& failures = entry(descriptor).failures;
    if (failures.empty()) return std::nullopt;
    send_failure told = std::move(failures.front());
    failures.pop_front();
    return told;
}

std::uint64_t simulated_datagrams::dropped(int descriptor) const noexcept {
    return entry(descriptor).dropped;
}

address simulated_datagrams::local(int descriptor) const {
    return entry(descriptor).local;
}

address simulated_datagrams::remote(int descriptor) const {
    return entry(descriptor).peer;
}

void simulated_datagrams::close(int descriptor) noexcept {
    RILL_ASSERT(!entry(descriptor).receiving, "close a descriptor when its requests have ended");
    sockets_[static_cast<std::size_t>(descriptor - first_descriptor)] = nullptr;
    --count_;
}

void simulated_datagrams::start(request& what, simulated_sink& by) {
    simulated_wait wait(what, by);
    switch (what.what()) {
        case verb::receive_datagrams:
            if (!by.has_buffer(what.large_buffers()) || world_.finds_no_buffer()) {
                return wait.complete(-ENOBUFS);
            }
            entry(what.descriptor()).receiving = wait;
            return progress(entry(what.descriptor()));
        case verb::send_message:
            return wait.complete(send(what));
        default:
            return wait.complete(-EOPNOTSUPP);
    }
}

void simulated_datagrams::cancel(request& what) {
    simulated_wait& receiving = entry(what.descriptor()).receiving;
    if (receiving.is(what)) receiving.complete(-ECANCELED);
}

int simulated_datagrams::send(request const& what) {
    socket_entry& from = entry(what.descriptor());
    if (from.pending != 0) return -std::exchange(from.pending, 0);
    message_extras const* const extras = what.extras();
    address const& to =
        extras != nullptr && extras->target != nullptr ? *extras->target : from.peer;
    if (to.kind() == address::family::none) return -EDESTADDRREQ;
    if (is_broadcast(to) && !from.settings.broadcast) return -EACCES;
    std::string whole;
    for (std::size_t i = 0; i < what.piece_count(); ++i) whole += what.pieces()[i].text();
    std::size_t const part = extras != nullptr ? extras->segment_bytes : 0;
    if (part == 0) {
        if (whole.size() > most_payload) return -EMSGSIZE;
        send_one(from, to, whole);
    } else {
        for (std::size_t at = 0; at < whole.size(); at += part) {
            send_one(from, to, whole.substr(at, part));
        }
    }
    return static_cast<int>(whole.size());
}

void simulated_datagrams::send_one(socket_entry const& from, address const& to,
                                   std::string payload) {
    simulated_faults& faults = world_.faults();
    address const name = name_towards(from.local, to);
    if (!world_.network().passes(name, to)) return;
    if (faults.roll(&simulation::faults::lost_datagrams)) return;
    bool const twice = faults.roll(&simulation::faults::doubled_datagrams);
    for (int i = 0; i < (twice ? 2 : 1); ++i) {
        duration way = world_.options().latency + faults.delay();
        if (faults.roll(&simulation::faults::late_datagrams)) way += faults.length(longest_way);
        world_.at(later(world_.now(), way), [this, sender = from.number, name, to, payload] {
            arrive(sender, name, to, payload);
        });
    }
}

/// Who a datagram is for: all that joined its group, all of a broadcast, or one. Of those that
/// share an address the sender's decides, so that a flow stays with one.
std::vector<simulated_datagrams::socket_entry*> simulated_datagrams::receivers(address const& from,
                                                                               address const& to) {
    std::vector<socket_entry*> found;
    for (auto const& each : sockets_) {
        if (each == nullptr || each->local.port() != to.port()) continue;
        bool const has_peer = each->peer.kind() != address::family::none;
        if (has_peer && !(each->peer == from)) continue;
        bool const joined =
            std::any_of(each->groups.begin(), each->groups.end(),
                        [&](address const& group) { return group.ip() == to.ip(); });
        bool const here = is_multicast(to) ? joined : each->local.any() || each->local == to;
        if (here || is_broadcast(to)) found.push_back(each.get());
    }
    if (found.size() > 1 && !is_multicast(to) && !is_broadcast(to)) {
        // The most specific first: a peer of its own, then an address of its own.
        auto const rank = [&](socket_entry const* each) {
            return (each->peer == from ? 2 : 0) + (each->local == to ? 1 : 0);
        };
        int best = 0;
        for (socket_entry const* each : found) best = std::max(best, rank(each));
        std::erase_if(found, [&](socket_entry const* each) { return rank(each) != best; });
        found = {found[from.port() % found.size()]};
    }
    return found;
}

void simulated_datagrams::arrive(std::uint64_t sender, address const& from, address const& to,
                                 std::string const& payload) {
    auto const found = receivers(from, to);
    for (socket_entry* const each : found) {
        if (each->unread.size() == most_unread) {
            ++each->dropped;
            continue;
        }
        each->unread.push_back({from, payload});
        progress(*each);
    }
    if (!found.empty() || is_multicast(to) || is_broadcast(to)) return;
    // ICMP: port unreachable (RFC 792), for a sender that listens to it and is still there.
    for (auto const& each : sockets_) {
        if (each == nullptr || each->number != sender || !each->settings.tell_failures) continue;
        if (each->failures.size() < most_failures) each->failures.push_back({to, ECONNREFUSED});
        each->pending = ECONNREFUSED;
        progress(*each);
    }
}

void simulated_datagrams::progress(socket_entry& at) {
    if (at.receiving && at.pending != 0) {
        return at.receiving.complete(-std::exchange(at.pending, 0));
    }
    while (at.receiving && !at.unread.empty()) {
        bool const large = at.receiving.what().large_buffers();
        std::uint32_t const buffer =
            world_.finds_no_buffer() ? request::no_buffer : at.receiving.by().take_buffer(large);
        if (buffer == request::no_buffer) return at.receiving.complete(-ENOBUFS);
        arrival const next = std::move(at.unread.front());
        at.unread.pop_front();
        std::size_t const used =
            datagram::put(at.receiving.by().memory_of(buffer, large), next.from, next.payload);
        // An empty datagram ends the stream of results on the ring as well.
        bool const more =
            !next.payload.empty() && !world_.faults().roll(&simulation::faults::ended_streams);
        at.receiving.complete(static_cast<int>(used), buffer, more);
    }
}

}  // namespace rill
