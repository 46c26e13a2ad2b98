// The wire of a simulation: what is sent, when it arrives, and what it does there. RFC 9293.
#include <algorithm>
#include <cerrno>

#include "simulated_network.hpp"
#include "simulated_sockets.hpp"

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
    }
    wire_.emplace(std::pair(later(now_, options_.latency), sent_++), std::move(made));
}

time_point simulated_network::next_arrival() const noexcept {
    return wire_.empty() ? never : wire_.begin()->first.first;
}

void simulated_network::arrive() {
    // What an arrival sends in turn arrives in the next round, also where it takes no time.
    std::uint64_t const sent_before = sent_;
    while (!wire_.empty() && wire_.begin()->first.first <= now_ &&
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
            if (at->connecting != nullptr) {
                sink_.complete(*std::exchange(at->connecting, nullptr), 0, request::no_buffer,
                               false);
            }
            return progress_polls(at->descriptor);
        case flag::refused:
            if (at->connecting != nullptr) {
                sink_.complete(*std::exchange(at->connecting, nullptr), -ECONNREFUSED,
                               request::no_buffer, false);
            }
            return;
        case flag::data:
            at->on_the_wire -= what.data.size();
            if (at->closed) {
                // Nobody will read it: RFC 9293 section 3.10.7.1.
                send_over(at.other(), flag::reset);
            } else if (!at->failed) {
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
    }
    progress_receive(at);
    progress_polls(at->descriptor);
}

void simulated_network::syn_arrived(end const& client) {
    if (client->closed) return;
    end const server = client.other();
    listener* const to = listener_for(server->local);
    if (to == nullptr) return send_over(client, flag::refused);
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
    progress_send(at);
}

void simulated_network::close_side(end const& at) {
    at->closed = true;
    at->descriptor = -1;
    if (at->failed || !(at->connected || at.other()->connected)) return;
    if (at->reset_on_close || !at->unread.empty()) {
        send_over(at.other(), flag::reset);
    } else if (!at->fin_sent) {
        send_over(at.other(), flag::fin);
    }
    at->unread.release();
}

void simulated_network::close_listener(listener& which) {
    RILL_ASSERT(which.accepting == nullptr, "close a descriptor when its requests have come back");
    for (end const& each : which.queue) {
        each->reset_on_close = true;
        close_side(each);
    }
    for (end const& each : which.postponed) send_over(each, flag::refused);
}

void simulated_network::progress_receive(end const& at) {
    for (int count = 0; at->receiving != nullptr; ++count) {
        request& what = *at->receiving;
        std::uint32_t buffer = request::no_buffer;
        int value = 0;
        bool more = false;
        if (count == most_buffers_per_turn) {
            going_on_.push_back(at);
            return;
        }
        if (!at->unread.empty()) {
            buffer = sink_.take_buffer();
            if (buffer == request::no_buffer) {
                value = -ENOBUFS;
            } else {
                mutable_bytes into = sink_.memory_of(buffer);
                if (options_.most_received != 0) into = into.first(options_.most_received);
                std::size_t const size = copy_bytes(into, at->unread.view());
                at->unread.consume(size);
                value = static_cast<int>(size);
                more = true;
            }
        } else if (at->failure != 0) {
            value = -std::exchange(at->failure, 0);
        } else if (!at->failed && !at->fin_received) {
            return;
        }
        if (!more) at->receiving = nullptr;
        sink_.complete(what, value, buffer, more);
        if (more) progress_send(at.other());
    }
}

std::size_t simulated_network::room_towards(end const& to) const {
    std::size_t const taken = to->unread.size() + to->on_the_wire;
    return to->window > taken ? to->window - taken : 0;
}

void simulated_network::progress_send(end const& at) {
    if (at->sending == nullptr) {
        if (at->descriptor >= 0) progress_polls(at->descriptor);
        return;
    }
    request& what = *at->sending;
    int value = 0;
    bool done = false;
    if (at->failed || at->fin_sent) {
        value = at->failure != 0 ? -std::exchange(at->failure, 0) : -EPIPE;
        done = true;
    } else {
        std::size_t skip = at->sent;
        std::size_t room = room_towards(at.other());
        done = true;
        for (std::size_t i = 0; i < what.piece_count(); ++i) {
            bytes piece = what.pieces()[i];
            std::size_t const skipped = std::min(skip, piece.size());
            skip -= skipped;
            piece = piece.without_first(skipped);
            bytes part = piece.first(room);
            if (options_.short_sends && !part.empty()) {
                part = part.first(1 + random_.below(part.size()));
            }
            if (!part.empty()) send_over(at.other(), flag::data, part);
            room -= part.size();
            at->sent += part.size();
            if (part.size() != piece.size()) {
                done = options_.short_sends && at->sent != 0;
                break;
            }
        }
    }
    if (!done) return;
    if (at->sent != 0) value = static_cast<int>(at->sent);
    at->sending = nullptr;
    sink_.complete(what, value, request::no_buffer, false);
}

}  // namespace rill
