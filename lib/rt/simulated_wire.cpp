// The wire of a simulation: what is sent, when it arrives, and what it does there. RFC 9293.
#include <algorithm>
#include <cerrno>

#include "datagram_layout.hpp"
#include "simulated_network.hpp"
#include "simulated_sockets.hpp"
#include "simulated_world.hpp"

namespace rill {

namespace {

// What one connection may bring in one turn, as on a ring (a multishot receive of Linux tries 32
// times more before it lets others run).
constexpr int most_buffers_per_turn = 33;

}  // namespace

void simulated_network::send_over(end const& to, flag what, bytes data) {
    segment made{.to = to, .what = what, .data = buffer()};
    if (!data.empty()) {
        bool const kept = made.data.append(data);
        RILL_ASSERT(kept, "the window bounds a segment");
        to->on_the_wire += data.size();
        made.passing = std::move(to.other()->passing);
    }
    // Behind what is held goes what comes later, also from the other side.
    if (!reachable(to)) return hold(std::move(made));
    simulated_faults& faults = world_.faults();
    duration delay = later(time_point{}, world_.options().latency).time_since_epoch();
    delay += faults.delay();
    if (faults.roll(&simulation::faults::partitions)) {
        delay += faults.length(faults.levels().longest_partition);
    }
    if (what == flag::data && faults.roll(&simulation::faults::resets)) made.what = flag::lost;
    if (what == flag::syn && faults.roll(&simulation::faults::refusals)) {
        to.other()->last_arrival = later(world_.now(), delay);
        return put_on_wire(to.other()->last_arrival,
                           {.to = to.other(), .what = flag::refused, .data = buffer()});
    }
    to->last_arrival = std::max(to->last_arrival, later(world_.now(), delay));
    put_on_wire(to->last_arrival, std::move(made));
}

void simulated_network::put_on_wire(time_point arrival, segment&& what) {
    wire_.emplace(std::pair(arrival, sent_++), std::move(what));
}

time_point simulated_network::next_arrival() const noexcept {
    return wire_.empty() ? never : wire_.begin()->first.first;
}

void simulated_network::arrive() {
    // What an arrival sends in turn arrives in the next round, also where it takes no time.
    std::uint64_t const sent_before = sent_;
    while (!wire_.empty() && wire_.begin()->first.first <= world_.now() &&
           wire_.begin()->first.second < sent_before) {
        auto node = wire_.extract(wire_.begin());
        arrived(node.mapped());
    }
}

bool simulated_network::go_on() {
    std::vector<end> again;
    again.swap(going_on_);
    for (end const& each : again) progress_receive(each);
    return !again.empty();
}

void simulated_network::arrived(segment& what) {
    end const& at = what.to;
    switch (what.what) {
        case flag::syn:
            return syn_arrived(at.other());
        case flag::accepted:
            if (at->closed) return;
            at->connected = true;
            if (at->connecting) at->connecting.complete(0);
            return progress_polls(at->descriptor);
        case flag::refused:
            if (at->connecting) at->connecting.complete(-ECONNREFUSED);
            return;
        case flag::data:
            at->on_the_wire -= what.data.size();
            if (at->closed) {
                // Nobody will read it: RFC 9293 section 3.10.7.1.
                send_over(at.other(), flag::reset);
            } else if (!at->failed) {
                if (!what.passing.empty()) {
                    at->passed.push_back(
                        {at->arrived, at->arrived + what.data.size(), std::move(what.passing)});
                }
                at->arrived += what.data.size();
                bool const kept = at->unread.append(what.data.view());
                RILL_ASSERT(kept, "the window bounds what is unread");
            }
            break;
        case flag::fin:
            at->fin_received = true;
            break;
        case flag::reset:
            fail(at, ECONNRESET);
            break;
        case flag::lost:
            at->on_the_wire -= what.data.size();
            return fail_both(at);
    }
    progress_receive(at);
    progress_polls(at->descriptor);
}

void simulated_network::syn_arrived(end const& client) {
    if (client->closed) return;
    end const server = client.other();
    listener* const to = listener_for(server->local);
    auto const refuses = [&](address const& where) { return covers(where, server->local); };
    if (to == nullptr || std::any_of(refused_.begin(), refused_.end(), refuses)) {
        return send_over(client, flag::refused);
    }
    if (to->queue.size() >= static_cast<std::size_t>(std::max(to->settings.backlog, 1))) {
        to->postponed.push_back(client);
        return;
    }
    server->connected = true;
    to->queue.push_back(server);
    send_over(client, flag::accepted);
    progress_accept(*to);
    progress_polls(to->descriptor);
}

void simulated_network::fail(end const& at, int code) {
    if (at->failed || at->closed) return;
    at->failed = true;
    // After the peer's FIN a reset reads as a broken pipe, as Linux has it.
    at->failure = at->fin_received ? EPIPE : code;
    // RFC 9293 section 3.10.7.4: all segment queues should be flushed.
    at->unread.release();
    at->passed.clear();
    progress_send(at);
}

void simulated_network::close_side(end const& at) {
    at->closed = true;
    at->descriptor = -1;
    at->passing = {};
    at->passed.clear();
    if (at->failed || !(at->connected || at.other()->connected)) return;
    if (at->reset_on_close || !at->unread.empty()) {
        send_over(at.other(), flag::reset);
    } else if (!at->fin_sent) {
        send_over(at.other(), flag::fin);
    }
    at->unread.release();
}

void simulated_network::close_listener(listener& which) {
    RILL_ASSERT(!which.accepting, "close a descriptor when its requests have come back");
    for (end const& each : which.queue) {
        each->reset_on_close = true;
        close_side(each);
    }
    for (end const& each : which.postponed) send_over(each, flag::refused);
}

void simulated_network::progress_receive(end const& at) {
    for (int count = 0; at->receiving; ++count) {
        if (count == most_buffers_per_turn) {
            going_on_.push_back(at);
            return;
        }
        std::uint32_t buffer = request::no_buffer;
        int value = 0;
        bool const some = !at->unread.empty();
        if (some) {
            value = receive_into(at, buffer);
        } else if (at->failure != 0) {
            value = -std::exchange(at->failure, 0);
        } else if (!at->failed && !at->fin_received) {
            return;
        } else if (at->receiving.what().what() == verb::receive_datagrams) {
            value = receive_into(at, buffer);  // an empty message is the end
        }
        bool const got = some && value > 0;
        bool const more = got && !at->receiving.what().one_result() &&
                          !world_.faults().roll(&simulation::faults::ended_streams);
        at->receiving.complete(value, buffer, more);
        if (got) progress_send(at.other());
    }
}

/// Moves unread bytes into a buffer. Returns how many, or a negated errno.
int simulated_network::receive_into(end const& at, std::uint32_t& buffer) {
    simulated_sink& by = at->receiving.by();
    bool const large = at->receiving.what().large_buffers();
    // As on the ring: what has arrived finds none, and stays.
    buffer = world_.finds_no_buffer() ? request::no_buffer : by.take_buffer(large);
    if (buffer == request::no_buffer) return -ENOBUFS;
    mutable_bytes const into = by.memory_of(buffer, large);
    if (at->receiving.what().what() == verb::receive_datagrams) return message_into(at, into);
    std::size_t const size = copy_bytes(into, part_to_read(at, into.size()));
    at->unread.consume(size);
    // Who reads bytes alone gets no descriptors: they are closed.
    std::uint64_t const position = at->arrived - at->unread.size();
    while (!at->passed.empty() && at->passed.front().begin < position) at->passed.pop_front();
    return static_cast<int>(size);
}

/// The same in the form of a received datagram, with the descriptors that came along.
int simulated_network::message_into(end const& at, mutable_bytes into) {
    std::uint64_t const position = at->arrived - at->unread.size();
    bytes part = part_to_read(at, into.size() - datagram::payload_begin);
    std::vector<int> descriptors;
    // As on Linux, bytes that came with descriptors are not joined with those after them.
    if (!part.empty() && !at->passed.empty()) {
        side::passed_at& next = at->passed.front();
        bool const now = next.begin == position;
        part = part.first(static_cast<std::size_t>((now ? next.end : next.begin) - position));
        if (now) {
            descriptors = next.what.take();
            at->passed.pop_front();
        }
    }
    std::size_t const used = datagram::put(into, {}, part, descriptors);
    at->unread.consume(part.size());
    return static_cast<int>(used);
}

/// What of the unread bytes the next `room` bytes take.
bytes simulated_network::part_to_read(end const& at, std::size_t room) {
    if (world_.options().most_received != 0) room = std::min(room, world_.options().most_received);
    bytes const all = at->unread.view();
    if (!all.empty() && world_.faults().roll(&simulation::faults::short_reads)) {
        room = world_.faults().part_of(std::min(room, all.size()));
    }
    return all.first(room);
}

void simulated_network::drop_wire() noexcept {
    wire_.clear();
    held_.clear();
    going_on_.clear();
}

std::size_t simulated_network::room_towards(end const& to) const {
    std::size_t const taken = to->unread.size() + to->on_the_wire;
    return to->window > taken ? to->window - taken : 0;
}

void simulated_network::progress_send(end const& at) {
    if (!at->sending) {
        if (at->descriptor >= 0) progress_polls(at->descriptor);
        return;
    }
    int value = 0;
    if (at->failed || at->fin_sent) {
        value = at->failure != 0 ? -std::exchange(at->failure, 0) : -EPIPE;
    } else if (!send_pieces(at)) {
        return;
    }
    if (at->sent != 0) value = static_cast<int>(at->sent);
    at->sending.complete(value);
}

/// Sends what there is room for. True when the send has ended.
bool simulated_network::send_pieces(end const& at) {
    request const& what = at->sending.what();
    bytes const file = what.what() == verb::send_file
                           ? world_.files().view(what.source(), what.offset(), what.size())
                           : bytes();
    bytes const* const pieces = what.what() == verb::send_file ? &file : what.pieces();
    std::size_t const count = what.what() == verb::send_file ? 1 : what.piece_count();
    std::size_t skip = at->sent;
    std::size_t room = room_towards(at.other());
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t const skipped = std::min(skip, pieces[i].size());
        skip -= skipped;
        bytes const piece = pieces[i].without_first(skipped);
        bytes part = piece.first(room);
        bool ends_short = false;
        if (!part.empty() && world_.options().short_sends) {
            part = part.first(1 + world_.random().below(part.size()));
            ends_short = true;
        } else if (!part.empty() && world_.faults().roll(&simulation::faults::short_writes)) {
            part = part.first(world_.faults().part_of(part.size()));
            ends_short = true;
        }
        if (!part.empty()) send_over(at.other(), flag::data, part);
        room -= part.size();
        at->sent += part.size();
        if (part.size() != piece.size()) {
            return at->sent != 0 && (ends_short || world_.options().short_sends);
        }
    }
    return true;
}

}  // namespace rill
