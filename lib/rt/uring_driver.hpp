// The driver over io_uring.
#pragma once

#include <cstdint>
#include <memory>

#include "driver.hpp"

namespace rill {

/// What a test makes the ring do that a kernel does only in bad times. Zero: never.
struct uring_faults {
    std::uint32_t refuse_flags = 0;       // setup flags answered with EINVAL
    int refuse_setup = 0;                 // errno of every setup
    std::uint32_t no_entry_every = 0;     // each nth submission finds the queue full
    std::uint32_t enter_fails_every = 0;  // each nth enter fails with `enter_errno`
    int enter_errno = 0;
    std::uint32_t end_stream_every =
        0;  // each nth arming of a stream of results ends at once, without error
    std::uint32_t no_buffer_every = 0;      // each nth arming of a receive ends with ENOBUFS
    std::uint32_t no_descriptor_every = 0;  // each nth arming of an accept ends with EMFILE
};

/// How the ring is made.
struct uring_options {
    std::uint32_t entries = 1024;
    std::uint32_t completion_entries = 0;  // 0: four times the submission entries
    std::uint32_t receive_buffers = 1024;
    std::uint32_t receive_copies = 4096;
    uring_faults faults = {};
};

/// Makes the ring on this thread. Throws `error` that says what refused it and what to change.
[[nodiscard]] std::unique_ptr<driver> make_uring_driver(uring_options const& options);

}  // namespace rill
