// What a socket and its remote handles share.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "rill/rt/core.hpp"
#include "rt/mailbox.hpp"

namespace rill {

class socket;

/// The way from a handle to its socket. `target` belongs to the socket's core; the rest to all.
class remote_link {
public:
    explicit remote_link(socket& of, core const& home) noexcept
        : target(&of), box(home.post_box()) {}
    remote_link(remote_link const&) = delete;
    remote_link& operator=(remote_link const&) = delete;

    /// The socket's core: no further sends arrive.
    void cut() noexcept {
        target = nullptr;
        gone.store(true, std::memory_order_release);
    }

    socket* target;
    std::shared_ptr<mailbox> const box;
    std::atomic<bool> gone = false;
    std::atomic<std::size_t> queued_bytes = 0;
};

}  // namespace rill
