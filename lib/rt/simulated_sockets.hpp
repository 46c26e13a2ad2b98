// What the parts of the simulated network share: its sockets and what travels between them.
#pragma once

#include <array>

#include "simulated_network.hpp"
#include "simulated_passed.hpp"

namespace rill {

/// One side of a connection.
///
/// Invariant: `unread.size() + on_the_wire <= window`, but for data sent before the window shrank.
struct simulated_network::side {
    address local;
    int descriptor = -1;  // -1: not accepted yet, or closed
    std::size_t window = 0;
    buffer unread;
    std::size_t on_the_wire = 0;  // bytes on their way to this side
    std::size_t sent = 0;         // of the send in flight
    simulated_passed passing;     // descriptors that its first bytes take along
    std::uint64_t arrived = 0;    // bytes, since the beginning
    struct passed_at {
        std::uint64_t begin;  // of the bytes that they came with
        std::uint64_t end;
        simulated_passed what;
    };
    std::deque<passed_at> passed;  // of unread bytes
    time_point last_arrival{};     // of what is on its way to this side: TCP keeps the order
    simulated_wait receiving;
    simulated_wait sending;
    simulated_wait connecting;
    int failure = 0;      // told once, to whoever asks first
    bool failed = false;  // reset, from either side
    bool connected = false;
    bool fin_sent = false;
    bool fin_received = false;
    bool reset_on_close = false;
    bool closed = false;
};

struct simulated_network::connection {
    std::array<side, 2> sides;  // the client, the server
    bool local = false;         // over a path, an abstract name, or a pair
};

inline simulated_network::side* simulated_network::end::operator->() const noexcept {
    return &of->sides[static_cast<std::size_t>(which)];
}

struct simulated_network::listener {
    address at;
    listen_settings settings;
    int descriptor = -1;
    std::deque<end> queue;      // server sides that wait to be accepted
    std::deque<end> postponed;  // clients that found the queue full
    simulated_wait accepting;
};

struct simulated_network::socket_entry {
    std::unique_ptr<listener> listening;
    end stream;
    std::vector<simulated_wait> polls;
    bool reset_on_close = false;
};

struct simulated_network::segment {
    end to;
    flag what;
    buffer data;
    simulated_passed passing = {};
};

}  // namespace rill
