// How a received datagram lies in a buffer of the core, for all drivers: a header, the sender's
// address and the control data, each in a fixed place, then the bytes. It is the layout of
// io_uring's multishot recvmsg (io_uring_prep_recvmsg_multishot(3)), so that the ring writes it by
// itself; addresses and control data are in the kernel's form (sockaddr, cmsghdr).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rill/base/address.hpp"
#include "rill/base/bytes.hpp"

namespace rill::datagram {

/// The first bytes of the buffer.
struct header {
    std::uint32_t name_bytes = 0;     // of the sender's address; 0: it has none
    std::uint32_t control_bytes = 0;  // of control data
    std::uint32_t payload_bytes = 0;  // of the datagram as it was sent, even where it was cut
    std::uint32_t flags = 0;          // MSG_TRUNC, MSG_CTRUNC
};

inline constexpr std::size_t name_space = 112;     // holds any sockaddr of an address
inline constexpr std::size_t control_space = 128;  // holds 16 descriptors and credentials
inline constexpr std::size_t control_begin = sizeof(header) + name_space;
inline constexpr std::size_t payload_begin = control_begin + control_space;
static_assert(payload_begin == 256);

/// What lies in a buffer.
///
/// Invariant: all views are inside the buffer, whatever the header says.
struct view {
    mutable_bytes payload;
    bool truncated = false;           // the datagram was larger than the buffer
    bool descriptors_lost = false;    // more came than are taken
    std::uint16_t segment_bytes = 0;  // where datagrams were merged: the size of each but the last
    std::uint32_t descriptor_count = 0;
    std::array<int, 16> descriptors;  // the first `descriptor_count`; owned by nobody yet
};

/// Reads a buffer in which a driver has filled `used` bytes.
[[nodiscard]] view parse(mutable_bytes buffer, std::size_t used) noexcept;
/// The sender; of kind `none` where it has no address.
[[nodiscard]] address sender(bytes buffer);
/// To which local address it was sent, without the port; of kind `none` where it was not told.
[[nodiscard]] address receiver(bytes buffer);

/// For drivers that have no kernel: writes what `parse` reads. Returns the bytes used of the
/// buffer; what does not fit is cut and flagged.
std::size_t put(mutable_bytes buffer, address const& from, bytes payload,
                std::span<int const> descriptors = {}) noexcept;

}  // namespace rill::datagram
