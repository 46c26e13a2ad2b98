// The driver seam: how a core reaches the outside world. Everything above speaks in requests.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "rill/base/address.hpp"
#include "rill/base/result.hpp"
#include "rill/base/time.hpp"
#include "rill/rt/request.hpp"

namespace rill {

class mailbox;
class receive_buffers;

/// What a listener wants of its socket.
struct listen_settings {
    int backlog = 4096;  // connections that wait to be accepted; the kernel caps it at somaxconn
    bool reuse_port = true;  // several listeners share the port (one per core, or per process)
    bool only_v6 = false;    // `[::]` takes no IPv4
};

/// What a stream wants of its socket. A negative number leaves the system's value.
struct stream_settings {
    bool no_delay = true;           // TCP_NODELAY
    int keep_alive_seconds = -1;    // idle time before the first TCP keep-alive probe; 0 is off
    int send_buffer_bytes = -1;     // SO_SNDBUF
    int receive_buffer_bytes = -1;  // SO_RCVBUF
};

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
    /// "uring", "simulated".
    [[nodiscard]] virtual char const* name() const noexcept = 0;

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

    // Counters, for benchmarks and the live page.
    struct counters {
        std::uint64_t enters = 0;       // transitions into the kernel by turns
        std::uint64_t completions = 0;  // results collected
    };
    [[nodiscard]] virtual counters totals() const noexcept = 0;
};

}  // namespace rill
