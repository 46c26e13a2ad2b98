// From a request to a submission entry.
#pragma once

#include <liburing.h>

#include <cstdint>

#include "rill/rt/request.hpp"
#include "sockets.hpp"

namespace rill {

/// The group of the core's receive buffers.
inline constexpr std::uint16_t receive_group = 0;
/// The group of its large ones.
inline constexpr std::uint16_t large_receive_group = 1;

/// Memory that a submission entry points at.
struct entry_arguments {
    msghdr message{};
    sockets::name target;
};

/// Fills `entry` with what asks the kernel for `what`. The arguments must stay until the entry is
/// submitted.
void prepare_request(io_uring_sqe& entry, request const& what, entry_arguments& arguments) noexcept;

}  // namespace rill
