// TCP: connected streams, listeners, and connecting. RFC 9293.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rill/base/address.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/coro/task.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/io/byte_stream.hpp"
#include "rill/io/remote.hpp"
#include "rill/io/stream_handle.hpp"

namespace rill {

class socket;
class core;
class resolver;

namespace tcp {

class listener;
class listener_state;

/// What a stream wants of its socket. Negative numbers leave the system's value.
struct stream_options {
    /// Send small writes at once (TCP_NODELAY).
    bool no_delay = true;
    /// Idle seconds before the first TCP keep-alive probe; a dead peer is noticed some twice that
    /// later. 0 is off.
    int keep_alive_seconds = 0;
    /// SO_SNDBUF in bytes; -1 leaves the kernel's tuning.
    int send_buffer_bytes = -1;
    /// SO_RCVBUF in bytes; -1 leaves the kernel's tuning.
    int receive_buffer_bytes = -1;
};
static_assert(std::is_trivially_destructible_v<stream_options>);

/// A connected TCP stream. Move-only; closes when it goes out of scope. `finish` sends FIN; `close`
/// with unread input makes the kernel send a reset, see `close_gracefully`.
///
/// Core  the core that made it.
class RILL_API stream : public stream_handle {
public:
    /// No connection.
    stream() noexcept = default;
    stream(stream&& other) noexcept = default;
    stream& operator=(stream&& other) noexcept;
    ~stream();

    /// Closes with a reset.
    void reset() noexcept;

    /// A copyable handle that sends and closes from any thread.
    [[nodiscard]] tcp::remote remote() const;

    /// The peer's address.
    [[nodiscard]] address remote_address() const { return bytes_of().remote_address(); }
    /// This side's address.
    [[nodiscard]] address local_address() const { return bytes_of().local_address(); }

    /// For the layers of rill: takes a connected descriptor over on this core.
    [[nodiscard]] static stream adopt(core& home, int descriptor, stream_options const& with);
    /// For the layers of rill: gives the descriptor of a stream that was never used back.
    [[nodiscard]] int take_descriptor() noexcept;

private:
    explicit stream(byte_stream* of) noexcept : stream_handle(of) {}
    [[nodiscard]] rill::socket& socket_of() const noexcept;
};

/// Ends the stream so that the peer gets all that was written: sends FIN, then reads and drops what
/// still comes, until the peer ends its side, `most_bytes` have come or `deadline` passes; then
/// closes. Closing with unread input would send a reset that destroys the tail at the peer.
[[nodiscard]] RILL_API task<> close_gracefully(stream& what, std::size_t most_bytes = 256 * 1024,
                                               duration longest = 2s);

/// Connects to an address. Errors: `error` with the address in it.
///
/// Cancel: a connection that was made at the moment of the cancellation is closed.
[[nodiscard]] RILL_API task<stream> connect(address to, stream_options with = {});

/// How a connection to a name is made.
struct connect_options {
    /// The whole of it, the look-up of the name included; 30 s. Zero: no bound but the kernel's,
    /// which is some two minutes for each address.
    duration longest = 30s;
    /// How long an attempt is alone before the next address is tried beside it; 250 ms (RFC 8305
    /// section 8), at least 10 ms.
    duration attempt_delay = 250ms;
    /// Who looks the name up; null is the resolver of this core.
    resolver* names = nullptr;
    /// For the stream that is made.
    stream_options stream = {};
};
static_assert(std::is_trivially_destructible_v<connect_options>);

/// Looks `host` up and connects to it by happy eyeballs (RFC 8305): its first 16 addresses, IPv6
/// and IPv4 by turns, are tried one after the other, the next as soon as one has failed or
/// `attempt_delay` has passed. The first that connects wins; the others are cancelled and closed.
///
/// Errors    those of `resolver::look_up`; what the last address failed by; `timed_out`. `error`
///           names every address that was tried, each with its cause.
/// Lifetime  `host` lives until the await ends.
/// Cancel    ends all attempts; a connection that was made at that moment is closed.
/// Spec      RFC 8305 but for section 3: getaddrinfo gives all addresses at once.
[[nodiscard]] RILL_API task<stream> connect(std::string_view host, std::uint16_t port,
                                            connect_options with = {});
/// The same from text: `example.org:80`, `127.0.0.1:80`, `[::1]:80`, `localhost:80`,
/// `unix:/path`, `unix:@name`.
[[nodiscard]] RILL_API task<stream> connect(std::string_view to, connect_options with = {});
/// The same with options of the stream alone.
[[nodiscard]] RILL_API task<stream> connect(std::string_view to, stream_options with);

/// What a listener wants.
struct listener_options {
    /// Connections that wait to be accepted; the kernel caps it at net.core.somaxconn.
    int backlog = 4096;
    /// Several listeners share the port: one per core, or one per process (SO_REUSEPORT). Those on
    /// one `unix:` address share its socket, within one process.
    bool reuse_port = true;
    /// With `reuse_port`: fails where somebody listens on the port already; listeners that come
    /// later may share it.
    bool must_be_first = false;
    /// `[::]:port` and `:port` take IPv4 too.
    bool dual_stack = true;
    /// Connections that `serve` handles at once; more wait, some hundreds of them accepted already
    /// and the rest in the backlog. 0 is no bound.
    std::uint32_t most_connections = 0;
    /// Permissions of the file of a `unix:/path`, as 0660; -1 for what umask leaves.
    int mode = -1;
    /// For each accepted stream.
    stream_options stream = {};
};
static_assert(std::is_trivially_destructible_v<listener_options>);

/// The wait of `listener::accept`.
class [[nodiscard]] RILL_API accept_operation final : public value_operation<stream> {
public:
    /// A wait on `from`.
    explicit accept_operation(listener& from) noexcept : from_(from) {}
    ~accept_operation();
    [[nodiscard]] char const* name() const noexcept override { return "accept"; }

private:
    friend class listener_state;
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;

    listener& from_;
    accept_operation* next_ = nullptr;
    accept_operation* previous_ = nullptr;
};

/// Accepts connections on one address.
///
/// Core  the core that made it; it must be made inside `run` or `run_per_core`.
class RILL_API listener {
public:
    /// Listens on an address such as `:8080` (all addresses, both families), `127.0.0.1:0`,
    /// `unix:/path` or `unix:@name`. Throws `error` with the address and the cause. The file of a
    /// path is removed when the last listener of this process on it closes; one that a process
    /// left behind, where nobody answers any more, is replaced.
    explicit listener(std::string_view at, listener_options with = {});
    /// The same for an address.
    explicit listener(address const& at, listener_options with = {});
    listener(listener&& other) noexcept;
    listener& operator=(listener&& other) = delete;
    ~listener();

    /// Waits for a connection.
    ///
    /// Errors  `closed`. Out of descriptors is none: it waits until there are some.
    /// Cancel  a connection that had been accepted is given to the next accept.
    [[nodiscard]] accept_operation accept() noexcept { return accept_operation(*this); }

    /// Handles every connection in a task of its own: `handler(stream)` gives a task. Runs until
    /// closed, and waits for its connections then; cancelled, it cancels them and waits.
    ///
    /// What a handler throws ends its connection only, and is logged.
    template <class Handler>
    [[nodiscard]] task<> serve(Handler handler);

    /// Stops accepting. Connections that the kernel has already given us are accepted first; waits
    /// then end with `closed`.
    void close() noexcept;

    /// Where it listens; the real port where 0 was asked for.
    [[nodiscard]] address local_address() const;

private:
    friend class accept_operation;
    [[nodiscard]] std::uint32_t most_connections() const noexcept;
    listener_state* state_;
};

namespace detail {

/// Logs what ended a connection, unless it is what peers do every day.
RILL_API void log_handler_failure(char const* what, std::exception_ptr failure) noexcept;

/// The connections that one `serve` handles now, against their bound.
class serve_bound {
public:
    /// `most` 0 is no bound.
    explicit serve_bound(std::uint32_t most) noexcept : most_(most) {}
    serve_bound(serve_bound const&) = delete;
    serve_bound& operator=(serve_bound const&) = delete;

    /// One connection, as long as it lives.
    class slot {
    public:
        /// Counts one more.
        explicit slot(serve_bound& of) noexcept : of_(&of) { ++of.count_; }
        slot(slot&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
        slot& operator=(slot&&) = delete;
        ~slot() {
            if (of_ != nullptr) of_->ended();
        }

    private:
        serve_bound* of_;
    };

    /// The wait for a free place.
    class [[nodiscard]] wait_operation final : public operation {
    public:
        using value_type = void;
        /// Waits for a place in `of`.
        explicit wait_operation(serve_bound& of) noexcept : of_(of) {}
        void await_resume() const noexcept {}
        /// False: there is nothing to fail.
        [[nodiscard]] bool failed() const noexcept { return false; }
        [[nodiscard]] char const* name() const noexcept override { return "connection bound"; }

    private:
        friend class serve_bound;
        bool start() noexcept override {
            if (of_.most_ == 0 || of_.count_ < of_.most_) return false;
            of_.waiting_ = this;
            return true;
        }
        void cancel(cancel_reason) noexcept override {
            of_.waiting_ = nullptr;
            complete();
        }
        serve_bound& of_;
    };

    /// Waits until there is a place.
    wait_operation place() noexcept { return wait_operation(*this); }

private:
    void ended() noexcept {
        --count_;
        if (auto* const who = std::exchange(waiting_, nullptr)) who->complete();
    }

    std::uint32_t most_;
    std::uint32_t count_ = 0;
    wait_operation* waiting_ = nullptr;
};

/// Runs the handler of one connection; `Place` is held as long as that takes.
template <class Handler, class Place>
task<> run_handler(Handler& handler, stream peer, Place) {
    std::exception_ptr failure;
    try {
        co_await handler(std::move(peer));
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) log_handler_failure("connection handler", std::move(failure));
}

}  // namespace detail

template <class Handler>
task<> listener::serve(Handler handler) {
    detail::serve_bound bound(most_connections());
    auto accepting = [this, &handler, &bound](task_group& group) -> task<> {
        for (;;) {
            co_await bound.place();
            auto accepted = co_await as_result(accept());
            if (!accepted) break;
            group.spawn(detail::run_handler<Handler, detail::serve_bound::slot>, std::ref(handler),
                        *std::move(accepted), detail::serve_bound::slot(bound));
        }
    };
    co_await with_task_group(accepting);
}

}  // namespace tcp

}  // namespace rill
