// Sockets of a simulation: their table, their names, and the requests that wait on them.
#include "simulated_network.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "simulated_sockets.hpp"
#include "simulated_world.hpp"

namespace rill {

namespace {

// Apart from the numbers of the real world, so that a mix-up fails.
constexpr int first_descriptor = 1'000'000;
constexpr std::uint16_t first_port = 49152;  // RFC 6335 section 6: dynamic ports

bool takes(address const& at, listen_settings const& with, address const& to) {
    if (at.kind() == address::family::local || to.kind() == address::family::local) return at == to;
    if (at.port() != to.port()) return false;
    if (at == to) return true;
    if (!at.any()) return false;
    return at.kind() == to.kind() || (at.kind() == address::family::ipv6 && !with.only_v6);
}

address loopback(address const& like) {
    std::array<std::uint8_t, 16> v6{};
    v6[15] = 1;
    if (like.kind() == address::family::ipv6) return address::v6(v6, like.port());
    return address::v4({127, 0, 0, 1}, like.port());
}

}  // namespace

simulated_network::simulated_network(simulated_world& in) : world_(in), next_port_(first_port) {}

simulated_network::~simulated_network() = default;

simulated_network::socket_entry const* simulated_network::find(int descriptor) const noexcept {
    auto const index = static_cast<std::size_t>(descriptor - first_descriptor);
    if (descriptor < first_descriptor || index >= sockets_.size()) return nullptr;
    return sockets_[index].get();
}

simulated_network::socket_entry& simulated_network::entry(int descriptor) {
    RILL_ASSERT(find(descriptor) != nullptr, "use a descriptor that this simulation has open");
    return *sockets_[static_cast<std::size_t>(descriptor - first_descriptor)];
}

std::optional<int> simulated_network::new_descriptor(bool by_chance) {
    if (!world_.descriptor_left(by_chance)) return std::nullopt;
    // The lowest free number, as a kernel gives.
    auto place = std::find(sockets_.begin(), sockets_.end(), nullptr);
    if (place == sockets_.end()) place = sockets_.insert(place, nullptr);
    *place = std::make_unique<socket_entry>();
    ++open_;
    return first_descriptor + static_cast<int>(place - sockets_.begin());
}

result<int> simulated_network::listen(address const& at, listen_settings const& with) {
    address where = at;
    bool const has_port = at.kind() != address::family::local;
    auto const taken = [&](address const& wanted) {
        return std::any_of(sockets_.begin(), sockets_.end(), [&](auto const& each) {
            return each != nullptr && each->listening != nullptr && each->listening->at == wanted &&
                   !(with.reuse_port && !with.must_be_first &&
                     each->listening->settings.reuse_port && has_port);
        });
    };
    if (has_port && at.port() == 0) {
        do {
            where = free_name(at);
        } while (taken(where));
    } else if (taken(where) || world_.local().has_name(where)) {
        return system_error(EADDRINUSE);
    }
    // Not by chance: a program starts, or it has nothing to show.
    auto const descriptor = new_descriptor(false);
    if (!descriptor) return system_error(EMFILE);
    auto made = std::make_unique<listener>();
    made->at = where;
    made->settings = with;
    made->descriptor = *descriptor;
    entry(*descriptor).listening = std::move(made);
    return *descriptor;
}

address simulated_network::free_name(address const& at) {
    address const made = at.with_port(next_port_++);
    if (next_port_ == 0) next_port_ = first_port;
    return made;
}

result<int> simulated_network::open_stream() {
    auto const descriptor = new_descriptor();
    if (!descriptor) return system_error(EMFILE);
    return *descriptor;
}

result<std::array<int, 2>> simulated_network::open_pair() {
    auto made = std::make_shared<connection>();
    made->local = true;
    std::array<int, 2> both{};
    for (int which = 0; which < 2; ++which) {
        auto const descriptor = new_descriptor();
        if (!descriptor) {
            if (which == 1) close(both[0]);
            return system_error(EMFILE);
        }
        end const one{made, which};
        one->window = world_.options().window_bytes;
        one->connected = true;
        one->descriptor = *descriptor;
        entry(*descriptor).stream = one;
        both[static_cast<std::size_t>(which)] = *descriptor;
    }
    return both;
}

bool simulated_network::is_local(int descriptor) const {
    socket_entry const* const at = find(descriptor);
    return at != nullptr && at->stream && at->stream.of->local;
}

bool simulated_network::listens(address const& at) const {
    return std::any_of(sockets_.begin(), sockets_.end(), [&](auto const& each) {
        return each != nullptr && each->listening != nullptr && each->listening->at == at;
    });
}

simulated_network::listener* simulated_network::listener_for(address const& to) {
    // The most specific address wins; listeners that share it take turns as the seed says.
    std::vector<listener*> exact;
    std::vector<listener*> wild;
    for (auto const& each : sockets_) {
        if (each == nullptr || each->listening == nullptr) continue;
        listener& one = *each->listening;
        if (!takes(one.at, one.settings, to)) continue;
        (one.at == to ? exact : wild).push_back(&one);
    }
    auto const& choice = exact.empty() ? wild : exact;
    if (choice.empty()) return nullptr;
    return choice[choice.size() == 1 ? 0 : world_.random().below(choice.size())];
}

int simulated_network::accept_from(listener& from) {
    auto const descriptor = new_descriptor();
    if (!descriptor) return -EMFILE;
    end const accepted = from.queue.front();
    from.queue.pop_front();
    entry(*descriptor).stream = accepted;
    accepted->descriptor = *descriptor;
    return *descriptor;
}

std::optional<int> simulated_network::accept_ready(int descriptor) {
    listener& from = *entry(descriptor).listening;
    if (from.queue.empty()) return std::nullopt;
    int const accepted = accept_from(from);
    if (accepted < 0) return std::nullopt;
    return accepted;
}

void simulated_network::configure(int descriptor, stream_settings const& with) {
    socket_entry& at = entry(descriptor);
    if (at.stream && with.receive_buffer_bytes > 0) {
        at.stream->window = static_cast<std::size_t>(with.receive_buffer_bytes);
    }
}

void simulated_network::shut_down(int descriptor, shutdown_side which) {
    socket_entry& at = entry(descriptor);
    if (!at.stream) return;
    if (which != shutdown_side::read && !at.stream->fin_sent && !at.stream->failed) {
        at.stream->fin_sent = true;
        send_over(at.stream.other(), flag::fin);
    }
    if (which != shutdown_side::write) {
        at.stream->fin_received = true;
        progress_receive(at.stream);
    }
}

void simulated_network::reset_on_close(int descriptor) {
    entry(descriptor).reset_on_close = true;
}

void simulated_network::close(int descriptor) {
    socket_entry& at = entry(descriptor);
    RILL_ASSERT(at.polls.empty(), "close a descriptor when its requests have come back");
    if (at.listening) close_listener(*at.listening);
    if (at.stream) {
        RILL_ASSERT(!at.stream->receiving && !at.stream->sending,
                    "close a descriptor when its requests have come back");
        if (at.reset_on_close) at.stream->reset_on_close = true;
        close_side(at.stream);
    }
    sockets_[static_cast<std::size_t>(descriptor - first_descriptor)] = nullptr;
    --open_;
}

bool simulated_network::broken(int descriptor) const {
    socket_entry const* const at = find(descriptor);
    return at == nullptr || !at->stream || at->stream->failed;
}

address simulated_network::local(int descriptor) const {
    socket_entry const* const at = find(descriptor);
    if (at == nullptr) return {};
    if (at->listening) return at->listening->at;
    return at->stream ? at->stream->local : address{};
}

address simulated_network::remote(int descriptor) const {
    socket_entry const* const at = find(descriptor);
    return at != nullptr && at->stream ? at->stream.other()->local : address{};
}

void simulated_network::start(request& what, simulated_sink& by) {
    if (find(what.descriptor()) == nullptr) {
        return by.complete(what, -EBADF, request::no_buffer, false);
    }
    socket_entry& at = entry(what.descriptor());
    simulated_wait wait(what, by);
    switch (what.what()) {
        case verb::receive_stream:
        case verb::receive_datagrams:
            return start_receive(what, by, at.stream);
        case verb::send:
        case verb::send_file:
        case verb::send_message:
            if (!at.stream) return wait.complete(-ENOTCONN);
            at.stream->passing = simulated_passed(world_.files());
            if (what.what() == verb::send_message && what.extras() != nullptr) {
                int const code = at.stream->passing.copy(what.extras()->descriptors);
                if (code != 0) return wait.complete(code);
            }
            at.stream->sending = wait;
            at.stream->sent = 0;
            return progress_send(at.stream);
        case verb::accept_stream:
            at.listening->accepting = wait;
            return progress_accept(*at.listening);
        case verb::connect:
            return start_connect(what, by);
        case verb::readable:
        case verb::writable:
        case verb::hangup:
            at.polls.push_back(wait);
            return progress_polls(what.descriptor());
        default:
            return wait.complete(-EOPNOTSUPP);
    }
}

void simulated_network::start_receive(request& what, simulated_sink& by, end const& at) {
    simulated_wait wait(what, by);
    if (!at) return wait.complete(-ENOTCONN);
    // As on the ring: a buffer is asked for before there is data.
    if (!by.has_buffer(what.large_buffers()) || world_.finds_no_buffer()) {
        return wait.complete(-ENOBUFS);
    }
    at->receiving = wait;
    progress_receive(at);
}

void simulated_network::cancel(request& what) {
    if (find(what.descriptor()) == nullptr) return;
    socket_entry& at = entry(what.descriptor());
    if (at.listening && at.listening->accepting.is(what)) {
        return at.listening->accepting.complete(-ECANCELED);
    }
    if (at.stream) {
        side& mine = *at.stream.operator->();
        if (mine.receiving.is(what)) return mine.receiving.complete(-ECANCELED);
        if (mine.connecting.is(what)) return mine.connecting.complete(-ECANCELED);
        if (mine.sending.is(what)) {
            return mine.sending.complete(mine.sent != 0 ? static_cast<int>(mine.sent) : -ECANCELED);
        }
    }
    auto const poll = std::find_if(at.polls.begin(), at.polls.end(),
                                   [&](simulated_wait const& each) { return each.is(what); });
    if (poll == at.polls.end()) return;  // it has ended meanwhile: that result wins
    poll->complete(-ECANCELED);
    at.polls.erase(poll);
}

void simulated_network::start_connect(request& what, simulated_sink& by) {
    socket_entry& at = entry(what.descriptor());
    address target = what.target();
    if (target.any()) target = loopback(target);
    auto made = std::make_shared<connection>();
    for (side& each : made->sides) each.window = world_.options().window_bytes;
    end const client{made, 0};
    client->descriptor = what.descriptor();
    client->connecting = simulated_wait(what, by);
    made->local = target.kind() == address::family::local;
    if (!made->local) client->local = free_name(target);
    client.other()->local = target;
    at.stream = client;
    send_over(client.other(), flag::syn);
}

int simulated_network::poll_state(socket_entry const& at, verb what) const {
    if (at.listening) return what == verb::readable && !at.listening->queue.empty() ? POLLIN : 0;
    if (!at.stream) return POLLHUP;
    side const& mine = *at.stream.operator->();
    int const broken = mine.failed ? POLLERR | POLLHUP : 0;
    switch (what) {
        case verb::readable:
            return broken | (!mine.unread.empty() || mine.fin_received ? POLLIN : 0);
        case verb::writable:
            return broken | (mine.connected && room_towards(at.stream.other()) > 0 ? POLLOUT : 0);
        default:
            return broken | (mine.fin_received ? POLLRDHUP : 0);
    }
}

void simulated_network::progress_polls(int descriptor) {
    if (find(descriptor) == nullptr) return;
    socket_entry& at = entry(descriptor);
    std::erase_if(at.polls, [&](simulated_wait& each) {
        int const state = poll_state(at, each.what().what());
        if (state != 0) each.complete(state);
        return state != 0;
    });
}

void simulated_network::progress_accept(listener& at) {
    while (at.accepting && !at.queue.empty()) {
        int const descriptor = accept_from(at);
        if (descriptor < 0) return at.accepting.complete(descriptor);
        bool const more = !world_.faults().roll(&simulation::faults::ended_streams);
        at.accepting.complete(descriptor, request::no_buffer, more);
        while (!at.postponed.empty() &&
               at.queue.size() < static_cast<std::size_t>(at.settings.backlog)) {
            end const client = at.postponed.front();
            at.postponed.pop_front();
            syn_arrived(client);
        }
    }
}

}  // namespace rill
