// Local sockets of datagrams in a simulation: they arrive whole, in order and once, and descriptors
// travel with them. unix(7). Local streams are those of simulated_network.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "driver.hpp"
#include "simulated_passed.hpp"
#include "simulated_sink.hpp"

namespace rill {

class simulated_world;

class simulated_local {
public:
    explicit simulated_local(simulated_world& in) noexcept : world_(in) {}
    simulated_local(simulated_local const&) = delete;
    simulated_local& operator=(simulated_local const&) = delete;

    // Sockets, as the driver seam has them. Names are no files of the world.
    [[nodiscard]] result<int> open(address const* at);
    [[nodiscard]] result<std::array<int, 2>> open_pair();
    [[nodiscard]] result<void> set_peer(int descriptor, address const& to);
    void release_name(address const& bound) noexcept;
    [[nodiscard]] address local(int descriptor) const;
    [[nodiscard]] address remote(int descriptor) const;
    [[nodiscard]] bool in_pair(int descriptor) const;
    [[nodiscard]] bool has_name(address const& name) const { return named(name) != nullptr; }
    void close(int descriptor);

    [[nodiscard]] bool owns(int descriptor) const noexcept;
    void start(request& what, simulated_sink& by);
    void cancel(request& what);
    [[nodiscard]] std::size_t open_descriptors() const noexcept { return count_; }

private:
    struct message {
        address from;
        std::string payload;
        simulated_passed descriptors;
    };
    /// Invariant: `unread.size() + on_the_way <= most_unread`.
    struct socket_entry {
        address local;
        address peer_name;
        std::weak_ptr<socket_entry> peer;  // of a pair
        bool paired = false;
        bool closed = false;
        std::deque<message> unread;
        std::size_t on_the_way = 0;
        time_point last_arrival{};  // of what is on its way: order is kept
        simulated_wait receiving;
        std::deque<simulated_wait> senders;  // that wait for room here
    };
    using entry_ptr = std::shared_ptr<socket_entry>;

    [[nodiscard]] entry_ptr const& entry(int descriptor) const;
    [[nodiscard]] int enter(entry_ptr made);
    [[nodiscard]] entry_ptr named(address const& name) const;
    /// Where a send goes; null where there is nobody.
    [[nodiscard]] entry_ptr receiver_of(request const& what) const;
    void send(simulated_wait sender);
    [[nodiscard]] int put_on_way(request const& what, entry_ptr const& to);
    void arrived(entry_ptr const& at, message what);
    void progress(entry_ptr const& to);
    void let_senders(entry_ptr const& at);

    simulated_world& world_;
    std::vector<entry_ptr> sockets_;  // by descriptor, from first_descriptor
    std::size_t count_ = 0;
};

}  // namespace rill
