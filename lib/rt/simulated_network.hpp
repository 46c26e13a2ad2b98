// The network of a simulation: listeners, connections and what is on the wire between them. It
// speaks TCP as a program sees it (RFC 9293): connect, bytes in order, windows, FIN and RST.
#pragma once

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
#include "simulated_driver.hpp"
#include "simulated_random.hpp"

namespace rill {

/// What the network asks of the driver that it works for.
class simulated_sink {
public:
    /// A result; given to the request later in this turn.
    virtual void complete(request& what, int value, std::uint32_t buffer, bool more) = 0;
    /// A free receive buffer, or `request::no_buffer`.
    [[nodiscard]] virtual std::uint32_t take_buffer() noexcept = 0;
    [[nodiscard]] virtual bool has_buffer() const noexcept = 0;
    [[nodiscard]] virtual mutable_bytes memory_of(std::uint32_t buffer) noexcept = 0;

protected:
    ~simulated_sink() = default;
};

/// Sockets and the wire. Every effect on another socket passes the wire: `send_over` is the one
/// place between cause and effect, where delays (and later, faults) belong.
class simulated_network {
public:
    simulated_network(simulated_options const& options, simulated_sink& sink);
    ~simulated_network();

    // Sockets, as the driver seam has them.
    [[nodiscard]] result<int> listen(address const& at, listen_settings const& with);
    [[nodiscard]] std::optional<int> accept_ready(int listener);
    [[nodiscard]] result<int> open_stream();
    void configure(int descriptor, stream_settings const& with);
    void shut_down(int descriptor, shutdown_side which);
    void close(int descriptor);
    void reset_on_close(int descriptor);
    [[nodiscard]] bool broken(int descriptor) const;
    [[nodiscard]] address local(int descriptor) const;
    [[nodiscard]] address remote(int descriptor) const;
    [[nodiscard]] std::size_t open_descriptors() const noexcept { return open_; }

    /// What is sent from now on is sent at `now`.
    void set_now(time_point now) noexcept { now_ = now; }
    /// Begins a request; results go to the sink, at once or later.
    void start(request& what);
    /// Ends a request that still waits, as the ring does: partial counts, else -ECANCELED. One
    /// that has ended already stays as it is.
    void cancel(request& what);
    /// Lets what has arrived by now take effect.
    void arrive();
    /// Goes on with receivers that had more than one turn may bring; false when there were none.
    bool go_on();
    /// When the next thing arrives; `never` when nothing is on the wire.
    [[nodiscard]] time_point next_arrival() const noexcept;

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
    enum class flag : std::uint8_t { data, fin, reset, syn, accepted, refused };

    [[nodiscard]] socket_entry& entry(int descriptor);
    [[nodiscard]] socket_entry const* find(int descriptor) const noexcept;
    [[nodiscard]] std::optional<int> new_descriptor();
    [[nodiscard]] listener* listener_for(address const& to);
    [[nodiscard]] int accept_from(listener& from);

    void send_over(end const& to, flag what, bytes data = {});
    void arrived(segment& what);
    void syn_arrived(end const& client);
    void fail(end const& at, int code);
    void close_side(end const& at);
    void close_listener(listener& which);

    void start_connect(request& what);
    void progress_accept(listener& at);
    void progress_receive(end const& at);
    void progress_send(end const& at);
    void progress_polls(int descriptor);
    [[nodiscard]] int poll_state(socket_entry const& at, verb what) const;
    [[nodiscard]] std::size_t room_towards(end const& to) const;

    simulated_options options_;
    simulated_sink& sink_;
    simulated_random random_;
    time_point now_{};
    std::vector<std::unique_ptr<socket_entry>> sockets_;  // by descriptor, from first_descriptor
    std::size_t open_ = 0;
    std::map<std::pair<time_point, std::uint64_t>, segment> wire_;  // by arrival, then by sending
    std::uint64_t sent_ = 0;
    std::uint16_t next_port_;
    std::vector<end> going_on_;
};

}  // namespace rill
