// The network of a simulation: listeners, connections and what is on the wire between them. It
// speaks TCP as a program sees it (RFC 9293): connect, bytes in order, windows, FIN and RST.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "driver.hpp"
#include "rill/base/buffer.hpp"
#include "simulated_sink.hpp"

namespace rill {

class simulated_world;

/// Sockets and the wire. Every effect on another socket passes the wire: `send_over` is the one
/// place between cause and effect, where delays and losses belong.
class simulated_network {
public:
    explicit simulated_network(simulated_world& in);
    simulated_network(simulated_network const&) = delete;
    simulated_network& operator=(simulated_network const&) = delete;
    ~simulated_network();

    // Sockets, as the driver seam has them.
    [[nodiscard]] result<int> listen(address const& at, listen_settings const& with);
    [[nodiscard]] std::optional<int> accept_ready(int listener);
    [[nodiscard]] result<int> open_stream();
    /// Two ends of a local connection.
    [[nodiscard]] result<std::array<int, 2>> open_pair();
    /// Whether the other end is a process of this host, over a local address.
    [[nodiscard]] bool is_local(int descriptor) const;
    [[nodiscard]] bool listens(address const& at) const;
    /// What is on its way is lost: the program has ended.
    void drop_wire() noexcept;
    void configure(int descriptor, stream_settings const& with);
    void shut_down(int descriptor, shutdown_side which);
    void close(int descriptor);
    void reset_on_close(int descriptor);
    [[nodiscard]] bool broken(int descriptor) const;
    [[nodiscard]] address local(int descriptor) const;
    [[nodiscard]] address remote(int descriptor) const;
    [[nodiscard]] std::size_t open_descriptors() const noexcept { return open_; }

    /// Begins a request; results go to `by`, at once or later.
    void start(request& what, simulated_sink& by);
    /// Ends a request that still waits, as the ring does: partial counts, else -ECANCELED. One
    /// that has ended already stays as it is.
    void cancel(request& what);
    /// Lets what has arrived by now take effect.
    void arrive();
    /// Goes on with receivers that had more than one turn may bring; false when there were none.
    bool go_on();
    /// When the next thing arrives; `never` when nothing is on the wire.
    [[nodiscard]] time_point next_arrival() const noexcept;

    // Faults of a plan. `where` is an address, one with port 0 for all ports of a host, or none for
    // everywhere.
    void reset_all(address const& where);
    void cut_off(address const& where) { cut_off_.push_back(where); }
    void reach_again(address const& where);
    void refuse(address const& where) { refused_.push_back(where); }
    void refuse_no_more(address const& where);
    void heal();
    /// Whether anything gets from one address to the other.
    [[nodiscard]] bool passes(address const& from, address const& to) const;

private:
    struct connection;
    struct side;
    struct listener;
    struct socket_entry;
    struct segment;
    using link = std::shared_ptr<connection>;
    // One end of a connection, held as long as anybody needs it.
    struct end {
        link of;
        int which = 0;
        [[nodiscard]] side* operator->() const noexcept;
        [[nodiscard]] explicit operator bool() const noexcept { return of != nullptr; }
        [[nodiscard]] end other() const { return {of, 1 - which}; }
    };
    enum class flag : std::uint8_t { data, fin, reset, syn, accepted, refused, lost };

    [[nodiscard]] socket_entry& entry(int descriptor);
    [[nodiscard]] socket_entry const* find(int descriptor) const noexcept;
    [[nodiscard]] std::optional<int> new_descriptor(bool by_chance = true);
    [[nodiscard]] address free_name(address const& at);
    [[nodiscard]] listener* listener_for(address const& to);
    [[nodiscard]] int accept_from(listener& from);

    void send_over(end const& to, flag what, bytes data = {});
    void put_on_wire(time_point arrival, segment&& what);
    [[nodiscard]] static bool covers(address const& where, address const& what);
    [[nodiscard]] bool reachable(end const& which) const;
    void hold(segment&& what);
    void let_through();
    void arrived(segment& what);
    void syn_arrived(end const& client);
    void fail(end const& at, int code);
    void fail_both(end const& at);
    void close_side(end const& at);
    void close_listener(listener& which);

    void start_receive(request& what, simulated_sink& by, end const& at);
    void start_connect(request& what, simulated_sink& by);
    void progress_accept(listener& at);
    void progress_receive(end const& at);
    [[nodiscard]] int receive_into(end const& at, std::uint32_t& buffer);
    [[nodiscard]] int message_into(end const& at, mutable_bytes into);
    [[nodiscard]] bytes part_to_read(end const& at, std::size_t room);
    void progress_send(end const& at);
    [[nodiscard]] bool send_pieces(end const& at);
    void progress_polls(int descriptor);
    [[nodiscard]] int poll_state(socket_entry const& at, verb what) const;
    [[nodiscard]] std::size_t room_towards(end const& to) const;

    simulated_world& world_;
    std::vector<std::unique_ptr<socket_entry>> sockets_;  // by descriptor, from first_descriptor
    std::size_t open_ = 0;
    std::map<std::pair<time_point, std::uint64_t>, segment> wire_;  // by arrival, then by sending
    std::uint64_t sent_ = 0;
    std::uint16_t next_port_;
    std::vector<end> going_on_;
    std::vector<address> cut_off_;
    std::vector<address> refused_;
    std::map<std::uint64_t, segment> held_;  // until a partition heals, in the order of sending
};

}  // namespace rill
