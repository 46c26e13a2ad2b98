// Reads and writes the layout of received datagrams. Control messages: cmsg(3), ip(7), udp(7),
// unix(7).
#include "datagram_layout.hpp"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "sockets.hpp"

namespace rill::datagram {

namespace {

static_assert(name_space >= sizeof(sockaddr_in6) && name_space >= 110, "110: sockaddr_un");
static_assert(control_begin % alignof(cmsghdr) == 0);
static_assert(control_space >= CMSG_SPACE(16 * sizeof(int)) + CMSG_SPACE(sizeof(ucred)));

header head_of(bytes buffer) noexcept {
    header head;
    std::memcpy(&head, buffer.data(), sizeof head);
    return head;
}

/// Calls `take(level, type, data)` for each control message.
template <class Take>
void for_each_control(bytes buffer, Take&& take) {
    bytes rest = buffer.without_first(control_begin)
                     .first(std::min<std::size_t>(head_of(buffer).control_bytes, control_space));
    while (rest.size() >= sizeof(cmsghdr)) {
        cmsghdr message;
        std::memcpy(&message, rest.data(), sizeof message);
        if (message.cmsg_len < CMSG_LEN(0) || message.cmsg_len > rest.size()) return;
        take(message.cmsg_level, message.cmsg_type,
             rest.first(message.cmsg_len).without_first(CMSG_LEN(0)));
        rest = rest.without_first(CMSG_ALIGN(message.cmsg_len));
    }
}

}  // namespace

view parse(mutable_bytes buffer, std::size_t used) noexcept {
    view found;
    if (used < payload_begin || buffer.size() < used) return found;
    header const head = head_of(buffer);
    found.payload = buffer.first(used).without_first(payload_begin);
    found.truncated = (head.flags & MSG_TRUNC) != 0 || head.payload_bytes > found.payload.size();
    found.descriptors_lost = (head.flags & MSG_CTRUNC) != 0;
    for_each_control(buffer, [&](int level, int type, bytes data) {
        if (level == SOL_SOCKET && type == SCM_RIGHTS) {
            std::size_t const count = std::min(data.size() / sizeof(int), found.descriptors.size());
            std::memcpy(found.descriptors.data(), data.data(), count * sizeof(int));
            found.descriptor_count = static_cast<std::uint32_t>(count);
        } else if (level == SOL_UDP && type == UDP_GRO && data.size() >= sizeof(int)) {
            int segment = 0;
            std::memcpy(&segment, data.data(), sizeof segment);
            found.segment_bytes = static_cast<std::uint16_t>(segment);
        }
    });
    return found;
}

address sender(bytes buffer) {
    sockets::name from;
    from.size = std::min<socklen_t>(head_of(buffer).name_bytes, name_space);
    std::memcpy(&from.storage, buffer.data() + sizeof(header), from.size);
    return from.value();
}

address receiver(bytes buffer) {
    address found;
    for_each_control(buffer, [&](int level, int type, bytes data) {
        if (level == IPPROTO_IP && type == IP_PKTINFO && data.size() >= sizeof(in_pktinfo)) {
            in_pktinfo told;
            std::memcpy(&told, data.data(), sizeof told);
            std::array<std::uint8_t, 4> ip{};
            std::memcpy(ip.data(), &told.ipi_addr, ip.size());
            found = address::v4(ip, 0);
        } else if (level == IPPROTO_IPV6 && type == IPV6_PKTINFO &&
                   data.size() >= sizeof(in6_pktinfo)) {
            in6_pktinfo told;
            std::memcpy(&told, data.data(), sizeof told);
            std::array<std::uint8_t, 16> ip{};
            std::memcpy(ip.data(), &told.ipi6_addr, ip.size());
            bool const link_local = ip[0] == 0xfe && (ip[1] & 0xc0) == 0x80;
            found = address::v6(ip, 0, link_local ? told.ipi6_ifindex : 0).unmapped();
        }
    });
    return found;
}

std::size_t put(mutable_bytes buffer, address const& from, bytes payload,
                std::span<int const> descriptors) noexcept {
    sockets::name name(from);
    header head{.name_bytes = name.size,
                .control_bytes = 0,
                .payload_bytes = static_cast<std::uint32_t>(payload.size()),
                .flags = 0};
    std::memcpy(buffer.data() + sizeof(header), &name.storage, name.size);
    if (!descriptors.empty()) {
        cmsghdr message{};
        message.cmsg_level = SOL_SOCKET;
        message.cmsg_type = SCM_RIGHTS;
        message.cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::byte* const at = buffer.data() + control_begin;
        std::memcpy(at, &message, sizeof message);
        std::memcpy(at + CMSG_LEN(0), descriptors.data(), descriptors.size_bytes());
        head.control_bytes = static_cast<std::uint32_t>(CMSG_SPACE(descriptors.size_bytes()));
    }
    std::size_t const taken = copy_bytes(buffer.without_first(payload_begin), payload);
    if (taken < payload.size()) head.flags |= MSG_TRUNC;
    std::memcpy(buffer.data(), &head, sizeof head);
    return payload_begin + taken;
}

}  // namespace rill::datagram
