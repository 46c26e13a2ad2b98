// The driver over epoll, for where io_uring is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "driver.hpp"

namespace rill {

/// What a test makes the kernel do that it does only in bad times. Zero: never.
struct epoll_faults {
    int refuse_setup = 0;                   // errno of epoll_create1
    int refuse_exact_wait = 0;              // errno of epoll_pwait2
    std::uint32_t wait_fails_every = 0;     // each nth wait is interrupted (EINTR)
    std::uint32_t control_fails_every = 0;  // each nth epoll_ctl fails with `control_errno`
    int control_errno = 0;
    std::uint32_t call_fails_every = 0;     // each nth call on a socket is interrupted; 2 or more
    std::uint32_t no_buffer_every = 0;      // each nth receive finds no buffer (ENOBUFS)
    std::uint32_t no_descriptor_every = 0;  // each nth accept says EMFILE
    std::size_t most_sent = 0;              // bytes of one send
};

/// How the driver is made.
struct epoll_options {
    std::uint32_t receive_buffers = 1024;
    std::uint32_t receive_copies = 4096;
    epoll_faults faults = {};
};

/// Makes the driver. Throws `error` where there is no descriptor for it.
[[nodiscard]] std::unique_ptr<driver> make_epoll_driver(epoll_options const& options);

}  // namespace rill
