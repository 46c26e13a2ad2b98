// The driver seam: how a core reaches the outside world. Everything above speaks in requests.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "names.hpp"
#include "rill/base/address.hpp"
#include "rill/base/result.hpp"
#include "rill/base/time.hpp"
#include "rill/rt/request.hpp"

namespace rill {

class mailbox;
class receive_buffers;

namespace detail {
class blocking_job;
}  // namespace detail

/// What a listener wants of its socket.
struct listen_settings {
    int backlog = 4096;  // connections that wait to be accepted; the kernel caps it at somaxconn
    bool reuse_port = true;      // several listeners share the port (one per core, or per process)
    bool must_be_first = false;  // with reuse_port: fails where another listener has the port
    bool only_v6 = false;        // `[::]` takes no IPv4
    int mode = -1;  // permissions of the file of a local address; -1: what umask leaves
};

/// What a stream wants of its socket. A negative number leaves the system's value.
struct stream_settings {
    bool no_delay = true;           // TCP_NODELAY
    int keep_alive_seconds = -1;    // idle time before the first TCP keep-alive probe; 0 is off
    int send_buffer_bytes = -1;     // SO_SNDBUF
    int receive_buffer_bytes = -1;  // SO_RCVBUF
};

/// What a datagram socket wants. A negative number leaves the system's value.
struct datagram_settings {
    bool reuse_address = false;  // SO_REUSEADDR: several receivers of one multicast group
    bool reuse_port = false;     // SO_REUSEPORT: several sockets share the work of one address
    bool only_v6 = false;        // `[::]` takes no IPv4
    bool broadcast = false;      // SO_BROADCAST
    bool tell_failures = true;   // IP_RECVERR: what ICMP says comes out of `next_failure`
    bool dont_fragment = false;  // IP_MTU_DISCOVER: larger than the path takes is EMSGSIZE
    bool merge = false;          // UDP_GRO: datagrams of one sender may come merged
    bool tell_local = false;     // IP_PKTINFO: to which of the local addresses it was sent
    int hops = -1;               // IP_TTL, IPV6_UNICAST_HOPS
    int traffic_class = -1;      // IP_TOS, IPV6_TCLASS
    int multicast_hops = -1;     // IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS
    int multicast_loop = -1;     // 0: what this host sends to a group does not come back to it
    std::uint32_t multicast_interface = 0;  // index of the interface that groups are reached by
    int send_buffer_bytes = -1;             // SO_SNDBUF
    int receive_buffer_bytes = -1;          // SO_RCVBUF
    int mode = -1;                          // permissions of the file of a local address
};

/// What the network said of a datagram that was sent (ICMP).
struct send_failure {
    address to;    // where the datagram was sent
    int code = 0;  // errno
};

/// Who is at the other end of a local socket, as of its connect or listen.
struct peer_identity {
    std::int64_t process = 0;
    std::uint32_t user = 0;
    std::uint32_t group = 0;
};

enum class socket_kind : std::uint8_t { stream, datagram };

enum class shutdown_side : std::uint8_t { read, write, both };

/// Drives requests for one core, on the core's own thread.
class driver {
public:
    virtual ~driver() = default;

    /// Lets `box` end the waiting of `turn`. Called once, before the first turn.
    virtual void attach(mailbox& box) noexcept = 0;

    /// Begins `what`; its completions come out of `turn`, never out of this call.
    virtual void start(request& what) noexcept = 0;
    /// Asks for an early last completion of a request in flight. Asking twice is asking once.
    virtual void cancel(request& what) noexcept = 0;
    /// Submits all that was started and collects completions. With none at hand it waits for the
    /// first one, but not beyond `until`; a time that has passed means not at all.
    virtual void turn(time_point until) noexcept = 0;
    /// Requests that have not had their last completion, those of the driver itself not counted.
    [[nodiscard]] virtual std::size_t in_flight() const noexcept = 0;

    [[nodiscard]] virtual time_point now() const noexcept = 0;
    /// The time of day; virtual in a simulation. Drives no timer.
    [[nodiscard]] virtual std::chrono::system_clock::time_point wall_now() const noexcept = 0;
    /// Fills `into` with unpredictable bytes (predictable ones in a simulation).
    virtual void random(mutable_bytes into) noexcept = 0;
    [[nodiscard]] virtual receive_buffers& buffers() noexcept = 0;
    /// True where descriptors are the kernel's, so that processes and the descriptors of other
    /// libraries can be waited for.
    [[nodiscard]] virtual bool over_kernel() const noexcept { return true; }
    /// "uring", "epoll", "simulated".
    [[nodiscard]] virtual char const* name() const noexcept = 0;

    /// Has `job` run beside the cores: on the pool's threads, or in a simulation as an event of its
    /// own. Returns 0, or the errno of the thread that could not be made; the job is then still the
    /// caller's.
    [[nodiscard]] virtual int begin_blocking(detail::blocking_job& job) noexcept;
    /// Takes back a job that has not begun. False when it has.
    [[nodiscard]] virtual bool withdraw_blocking(detail::blocking_job& job) noexcept;

    // Sockets. These do not block.
    [[nodiscard]] virtual result<int> listen(address const& at, listen_settings const& with) = 0;
    /// A connection that waits in the listener's queue; nothing when there is none.
    [[nodiscard]] virtual std::optional<int> accept_ready(int listener) noexcept = 0;
    [[nodiscard]] virtual result<int> open_stream(address::family kind) = 0;
    virtual void configure(int descriptor, stream_settings const& with) noexcept = 0;
    virtual void shut_down(int descriptor, shutdown_side side) noexcept = 0;
    virtual void close(int descriptor) noexcept = 0;
    /// Makes the next close a reset (RFC 9293 section 3.5.2).
    virtual void reset_on_close(int descriptor) noexcept = 0;
    /// True when a stream that was not shut down on this side can send no more: it was reset.
    [[nodiscard]] virtual bool broken(int descriptor) noexcept = 0;
    [[nodiscard]] virtual address local(int descriptor) = 0;
    [[nodiscard]] virtual address remote(int descriptor) = 0;

    // Datagram sockets and local ones. None of these blocks. A driver that cannot says so.
    /// A datagram socket of a family, bound where `at` is not null.
    [[nodiscard]] virtual result<int> open_datagrams(address::family, address const* /*at*/,
                                                     datagram_settings const&) {
        return errc::unsupported;
    }
    /// Sets the only peer of a datagram socket; of kind `none` it has all again.
    [[nodiscard]] virtual result<void> set_peer(int /*descriptor*/, address const& /*to*/) {
        return errc::unsupported;
    }
    /// Joins or leaves a multicast group on an interface; 0 lets the system choose.
    [[nodiscard]] virtual result<void> join(int /*descriptor*/, address const& /*group*/,
                                            std::uint32_t /*interface*/, bool /*leave*/) {
        return errc::unsupported;
    }
    /// The next of what ICMP told, oldest first.
    [[nodiscard]] virtual std::optional<send_failure> next_failure(int /*descriptor*/) noexcept {
        return std::nullopt;
    }
    /// Datagrams that were dropped because nobody took the earlier ones.
    [[nodiscard]] virtual std::uint64_t dropped(int /*descriptor*/) noexcept { return 0; }
    /// The owner of a listener or a datagram socket that is bound to a local address lets go of the
    /// name: its file is removed, where no other listener of this process shares it. Once for each.
    virtual void release_name(address const& /*bound*/) noexcept {}
    /// Two connected local sockets.
    [[nodiscard]] virtual result<std::array<int, 2>> open_pair(socket_kind) {
        return errc::unsupported;
    }
    /// Who is at the other end of a connected local socket.
    [[nodiscard]] virtual result<peer_identity> identity(int /*descriptor*/) noexcept {
        return errc::unsupported;
    }
    /// The buffers of requests that want large ones, made at the first call; null where there are
    /// none.
    [[nodiscard]] virtual receive_buffers* large_buffers() noexcept { return nullptr; }

    // Names. Unless a driver has a world of its own, the system's getaddrinfo answers, on a thread
    // of the blocking pool.
    /// Asks for the addresses of a host. `answered` comes once, out of a turn.
    virtual void look_up(name_query& what) noexcept;
    /// No answer to `what` is wanted any more, and none comes. The work for it may go on.
    virtual void forget(name_query& what) noexcept;

    // Counters, for benchmarks and the live page.
    struct counters {
        std::uint64_t enters = 0;       // transitions into the kernel by turns
        std::uint64_t completions = 0;  // results collected
    };
    [[nodiscard]] virtual counters totals() const noexcept = 0;
};

}  // namespace rill
