// Sockets of a simulation: their table, their names, and the requests that wait on them.
#include "simulated_network.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "simulated_sockets.hpp"

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

bool is_of_files(verb what) {
    return what == verb::read_file || what == verb::write_file || what == verb::send_file ||
           what == verb::open_beneath;
}

/// What only other drivers know so far.
bool is_of_datagrams(verb what) noexcept {
    return what == verb::receive_datagrams || what == verb::send_message;
}

address loopback(address const& like) {
    std::array<std::uint8_t, 16> v6{};
    v6[15] = 1;
    if (like.kind() == address::family::ipv6) return address::v6(v6, like.port());
    return address::v4({127, 0, 0, 1}, like.port());
}

}  // namespace

simulated_network::simulated_network(simulated_options const& options, simulated_sink& sink)
    : options_(options), sink_(sink), random_(~options.seed), next_port_(first_port) {}

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

std::optional<int> simulated_network::new_descriptor() {
    if (open_ >= options_.most_descriptors) return std::nullopt;
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
                   !(with.reuse_port && each->listening->settings.reuse_port && has_port);
        });
    };
    if (has_port && at.port() == 0) {
        do {
            where = at.with_port(next_port_++);
            if (next_port_ == 0) next_port_ = first_port;
        } while (taken(where));
    } else if (taken(where)) {
        return system_error(EADDRINUSE);
    }
    auto const descriptor = new_descriptor();
    if (!descriptor) return system_error(EMFILE);
    auto made = std::make_unique<listener>();
    made->at = where;
    made->settings = with;
    made->descriptor = *descriptor;
    entry(*descriptor).listening = std::move(made);
    return *descriptor;
}

result<int> simulated_network::open_stream() {
    auto const descriptor = new_descriptor();
    if (!descriptor) return system_error(EMFILE);
    return *descriptor;
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
    return choice[choice.size() == 1 ? 0 : random_.below(choice.size())];
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
        RILL_ASSERT(at.stream->receiving == nullptr && at.stream->sending == nullptr,
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

void simulated_network::start(request& what) {
    if (is_of_files(what.what()) || is_of_datagrams(what.what())) {
        // A simulation has no files and no datagrams yet.
        return sink_.complete(what, -EOPNOTSUPP, request::no_buffer, false);
    }
    socket_entry& at = entry(what.descriptor());
    switch (what.what()) {
        case verb::receive_stream:
            if (!at.stream) return sink_.complete(what, -ENOTCONN, request::no_buffer, false);
            // As on the ring: a buffer is asked for before there is data.
            if (!sink_.has_buffer()) {
                return sink_.complete(what, -ENOBUFS, request::no_buffer, false);
            }
            at.stream->receiving = &what;
            return progress_receive(at.stream);
        case verb::send:
            if (!at.stream) return sink_.complete(what, -ENOTCONN, request::no_buffer, false);
            at.stream->sending = &what;
            at.stream->sent = 0;
            return progress_send(at.stream);
        case verb::accept_stream:
            at.listening->accepting = &what;
            return progress_accept(*at.listening);
        case verb::connect:
            return start_connect(what);
        case verb::readable:
        case verb::writable:
        case verb::hangup:
            at.polls.push_back(&what);
            return progress_polls(what.descriptor());
        default:
            return;
    }
}

void simulated_network::cancel(request& what) {
    if (is_of_files(what.what()) || is_of_datagrams(what.what())) return;
    socket_entry& at = entry(what.descriptor());
    int value = -ECANCELED;
    if (at.listening && at.listening->accepting == &what) {
        at.listening->accepting = nullptr;
    } else if (at.stream && at.stream->receiving == &what) {
        at.stream->receiving = nullptr;
    } else if (at.stream && at.stream->sending == &what) {
        at.stream->sending = nullptr;
        if (at.stream->sent != 0) value = static_cast<int>(at.stream->sent);
    } else if (at.stream && at.stream->connecting == &what) {
        at.stream->connecting = nullptr;
    } else if (std::erase(at.polls, &what) == 0) {
        return;  // it has ended meanwhile: that result wins
    }
    sink_.complete(what, value, request::no_buffer, false);
}

void simulated_network::start_connect(request& what) {
    socket_entry& at = entry(what.descriptor());
    address target = what.target();
    if (target.any()) target = loopback(target);
    auto made = std::make_shared<connection>();
    for (side& each : made->sides) each.window = options_.window_bytes;
    end const client{made, 0};
    client->descriptor = what.descriptor();
    client->connecting = &what;
    if (target.kind() != address::family::local) {
        client->local = target.with_port(next_port_++);
        if (next_port_ == 0) next_port_ = first_port;
    }
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
    std::erase_if(at.polls, [&](request* each) {
        int const state = poll_state(at, each->what());
        if (state != 0) sink_.complete(*each, state, request::no_buffer, false);
        return state != 0;
    });
}

void simulated_network::progress_accept(listener& at) {
    while (at.accepting != nullptr && !at.queue.empty()) {
        int const descriptor = accept_from(at);
        if (descriptor < 0) {
            sink_.complete(*std::exchange(at.accepting, nullptr), descriptor, request::no_buffer,
                           false);
            return;
        }
        sink_.complete(*at.accepting, descriptor, request::no_buffer, true);
        while (!at.postponed.empty() &&
               at.queue.size() < static_cast<std::size_t>(at.settings.backlog)) {
            end const client = at.postponed.front();
            at.postponed.pop_front();
            syn_arrived(client);
        }
    }
}

}  // namespace rill
