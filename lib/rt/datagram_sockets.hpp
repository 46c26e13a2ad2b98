// The calls on datagram and local sockets that drivers over a real kernel share. None blocks.
#pragma once

#include <sys/socket.h>

#include "driver.hpp"
#include "rill/rt/request.hpp"
#include "sockets.hpp"

namespace rill::sockets {

/// Flags of a receive that fills the layout of datagram_layout.hpp.
inline constexpr int datagram_flags = MSG_TRUNC | MSG_CMSG_CLOEXEC;

[[nodiscard]] result<int> open_datagrams(address::family kind, address const* at,
                                         datagram_settings const& with);
[[nodiscard]] result<void> set_peer(int descriptor, address const& to);
[[nodiscard]] result<void> join(int descriptor, address const& group, std::uint32_t interface,
                                bool leave);
[[nodiscard]] std::optional<send_failure> next_failure(int descriptor) noexcept;
[[nodiscard]] std::uint64_t dropped(int descriptor) noexcept;
[[nodiscard]] result<std::array<int, 2>> open_pair(socket_kind kind);
[[nodiscard]] result<peer_identity> identity(int descriptor) noexcept;

/// Fills what sendmsg(2) takes for a `send_message`. `target` must live until the call has copied
/// the address; control data lies in the request's extras.
void fill_message(msghdr& message, name& target, request const& what) noexcept;

}  // namespace rill::sockets
