// What the drivers over a real kernel have in common: its clocks, its randomness, its socket calls.
#pragma once

#include "datagram_sockets.hpp"
#include "driver.hpp"
#include "local_names.hpp"
#include "sockets.hpp"

namespace rill {

/// The part of the seam that does not depend on how requests are driven.
class kernel_driver : public driver {
public:
    [[nodiscard]] time_point now() const noexcept final;
    [[nodiscard]] std::chrono::system_clock::time_point wall_now() const noexcept final;
    void random(mutable_bytes into) noexcept final;

    [[nodiscard]] result<int> listen(address const& at, listen_settings const& with) final {
        return sockets::listen(at, with);
    }
    [[nodiscard]] std::optional<int> accept_ready(int listener) noexcept final {
        return sockets::accept_ready(listener);
    }
    [[nodiscard]] result<int> open_stream(address::family kind) final {
        return sockets::open_stream(kind);
    }
    void configure(int descriptor, stream_settings const& with) noexcept final {
        sockets::configure(descriptor, with);
    }
    void shut_down(int descriptor, shutdown_side side) noexcept final {
        // The ring's own shutdown always takes a detour over a worker thread.
        sockets::shut_down(descriptor, side);
    }
    void reset_on_close(int descriptor) noexcept final { sockets::reset_on_close(descriptor); }
    [[nodiscard]] bool broken(int descriptor) noexcept final { return sockets::broken(descriptor); }
    [[nodiscard]] address local(int descriptor) final { return sockets::local(descriptor); }
    [[nodiscard]] address remote(int descriptor) final { return sockets::remote(descriptor); }

    [[nodiscard]] result<int> open_datagrams(address::family kind, address const* at,
                                             datagram_settings const& with) final {
        return sockets::open_datagrams(kind, at, with);
    }
    [[nodiscard]] result<void> set_peer(int descriptor, address const& to) final {
        return sockets::set_peer(descriptor, to);
    }
    [[nodiscard]] result<void> join(int descriptor, address const& group, std::uint32_t interface,
                                    bool leave) final {
        return sockets::join(descriptor, group, interface, leave);
    }
    [[nodiscard]] std::optional<send_failure> next_failure(int descriptor) noexcept final {
        return sockets::next_failure(descriptor);
    }
    [[nodiscard]] std::uint64_t dropped(int descriptor) noexcept final {
        return sockets::dropped(descriptor);
    }
    void release_name(address const& bound) noexcept final { local_names::release(bound); }
    [[nodiscard]] result<std::array<int, 2>> open_pair(socket_kind kind) final {
        return sockets::open_pair(kind);
    }
    [[nodiscard]] result<peer_identity> identity(int descriptor) noexcept final {
        return sockets::identity(descriptor);
    }
};

}  // namespace rill
