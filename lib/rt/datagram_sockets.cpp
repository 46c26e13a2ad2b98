// Datagram and local sockets: socket(7), udp(7), ip(7), ipv6(7), unix(7).
#include "datagram_sockets.hpp"

#include <linux/errqueue.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "local_names.hpp"

namespace rill::sockets {

namespace {

/// Sets one option after the other and keeps the first refusal.
class option_setter {
public:
    explicit option_setter(int descriptor) noexcept : descriptor_(descriptor) {}
    void set(int level, int option, int value) noexcept {
        if (::setsockopt(descriptor_, level, option, &value, sizeof value) != 0 && failure_ == 0) {
            failure_ = errno;
        }
    }
    /// The option of IPv4 and the one of IPv6 that does the same. A socket of IPv6 that takes IPv4
    /// needs both.
    void set(address::family kind, int option, int option6, int value) noexcept {
        set(IPPROTO_IP, option, value);
        if (kind == address::family::ipv6) set(IPPROTO_IPV6, option6, value);
    }
    [[nodiscard]] int failure() const noexcept { return failure_; }

private:
    int descriptor_;
    int failure_ = 0;
};

void configure_multicast(option_setter& options, int descriptor, address::family kind,
                         datagram_settings const& with) noexcept {
    if (with.multicast_hops >= 0) {
        options.set(kind, IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS, with.multicast_hops);
    }
    if (with.multicast_loop >= 0) {
        options.set(kind, IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP, with.multicast_loop);
    }
    if (with.multicast_interface == 0) return;
    ip_mreqn by{};
    by.imr_ifindex = static_cast<int>(with.multicast_interface);
    ::setsockopt(descriptor, IPPROTO_IP, IP_MULTICAST_IF, &by, sizeof by);
    if (kind == address::family::ipv6) {
        options.set(IPPROTO_IPV6, IPV6_MULTICAST_IF, by.imr_ifindex);
    }
}

/// Returns 0 or an errno.
int configure(int descriptor, address::family kind, datagram_settings const& with) noexcept {
    option_setter options(descriptor);
    if (with.send_buffer_bytes >= 0) options.set(SOL_SOCKET, SO_SNDBUF, with.send_buffer_bytes);
    if (with.receive_buffer_bytes >= 0) {
        options.set(SOL_SOCKET, SO_RCVBUF, with.receive_buffer_bytes);
    }
    if (kind == address::family::local) {
        return options.failure();
    }
    if (with.reuse_address) options.set(SOL_SOCKET, SO_REUSEADDR, 1);
    if (with.reuse_port) options.set(SOL_SOCKET, SO_REUSEPORT, 1);
    if (with.broadcast) options.set(SOL_SOCKET, SO_BROADCAST, 1);
    if (kind == address::family::ipv6) {
        options.set(IPPROTO_IPV6, IPV6_V6ONLY, with.only_v6 ? 1 : 0);
    }
    if (with.tell_failures) options.set(kind, IP_RECVERR, IPV6_RECVERR, 1);
    if (with.dont_fragment) {
        options.set(kind, IP_MTU_DISCOVER, IPV6_MTU_DISCOVER, IP_PMTUDISC_DO);
    }
    if (with.merge) options.set(SOL_UDP, UDP_GRO, 1);
    if (with.tell_local) {
        options.set(kind == address::family::ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
                    kind == address::family::ipv6 ? IPV6_RECVPKTINFO : IP_PKTINFO, 1);
    }
    if (with.hops >= 0) options.set(kind, IP_TTL, IPV6_UNICAST_HOPS, with.hops);
    if (with.traffic_class >= 0) options.set(kind, IP_TOS, IPV6_TCLASS, with.traffic_class);
    configure_multicast(options, descriptor, kind, with);
    return options.failure();
}

}  // namespace

result<int> open_datagrams(address::family kind, address const* at, datagram_settings const& with) {
    int const descriptor = ::socket(family_of(kind), SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return system_error(errno);
    int why = configure(descriptor, kind, with);
    if (why == 0 && at != nullptr && kind == address::family::local) {
        why = local_names::bind(descriptor, *at, with.mode);
    } else if (why == 0 && at != nullptr) {
        name where(*at);
        if (::bind(descriptor, where.data(), where.size) != 0) why = errno;
    }
    if (why == 0) return descriptor;
    ::close(descriptor);
    return system_error(why);
}

result<void> set_peer(int descriptor, address const& to) {
    name where(to);
    if (to.kind() == address::family::none) {
        where.storage.ss_family = AF_UNSPEC;
        where.size = sizeof(sockaddr);
    }
    if (::connect(descriptor, where.data(), where.size) != 0) return system_error(errno);
    return {};
}

result<void> join(int descriptor, address const& group, std::uint32_t interface, bool leave) {
    name where(group);
    group_req wanted{};
    wanted.gr_interface = interface;
    wanted.gr_group = where.storage;
    int const level = group.kind() == address::family::ipv6 ? IPPROTO_IPV6 : IPPROTO_IP;
    if (::setsockopt(descriptor, level, leave ? MCAST_LEAVE_GROUP : MCAST_JOIN_GROUP, &wanted,
                     sizeof wanted) != 0) {
        return system_error(errno);
    }
    return {};
}

std::optional<send_failure> next_failure(int descriptor) noexcept {
    for (;;) {
        name to;
        alignas(cmsghdr) std::byte control[256];
        msghdr message{};
        message.msg_name = to.data();
        message.msg_namelen = sizeof to.storage;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        if (::recvmsg(descriptor, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return std::nullopt;
        to.size = message.msg_namelen;
        for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr;
             each = CMSG_NXTHDR(&message, each)) {
            bool const is_failure =
                (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_RECVERR) ||
                (each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_RECVERR);
            if (!is_failure) continue;
            sock_extended_err told;
            std::memcpy(&told, CMSG_DATA(each), sizeof told);
            // What this host refused by itself, the send was told.
            if (told.ee_origin == SO_EE_ORIGIN_ICMP || told.ee_origin == SO_EE_ORIGIN_ICMP6) {
                return send_failure{.to = to.value(), .code = static_cast<int>(told.ee_errno)};
            }
        }
    }
}

std::uint64_t dropped(int descriptor) noexcept {
    std::array<std::uint32_t, SK_MEMINFO_VARS> told{};
    socklen_t size = sizeof told;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, told.data(), &size) != 0) return 0;
    return told[SK_MEMINFO_DROPS];
}

result<std::array<int, 2>> open_pair(socket_kind kind) {
    std::array<int, 2> made{};
    int const type = kind == socket_kind::stream ? SOCK_STREAM : SOCK_DGRAM;
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, made.data()) != 0) return system_error(errno);
    return made;
}

result<peer_identity> identity(int descriptor) noexcept {
    ucred told{};
    socklen_t size = sizeof told;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &told, &size) != 0) {
        return system_error(errno);
    }
    if (told.uid == static_cast<uid_t>(-1)) return errc::unsupported;  // not a local socket
    return peer_identity{.process = told.pid, .user = told.uid, .group = told.gid};
}

void fill_message(msghdr& message, name& target, request const& what) noexcept {
    static_assert(sizeof(bytes) == sizeof(iovec), "pieces are handed to the kernel as they are");
    message = {};
    message.msg_iov = reinterpret_cast<iovec*>(const_cast<bytes*>(what.pieces()));
    message.msg_iovlen = what.piece_count();
    message_extras* const extras = what.extras();
    if (extras == nullptr) return;
    if (extras->target != nullptr) {
        target = name(*extras->target);
        message.msg_name = target.data();
        message.msg_namelen = target.size;
    }
    auto const add = [&](int level, int type, void const* data, std::size_t size) {
        static_assert(sizeof extras->room >= CMSG_SPACE(16 * sizeof(int)));
        cmsghdr head{};
        head.cmsg_level = level;
        head.cmsg_type = type;
        head.cmsg_len = CMSG_LEN(size);
        std::memcpy(extras->room, &head, sizeof head);
        std::memcpy(extras->room + CMSG_LEN(0), data, size);
        message.msg_control = extras->room;
        message.msg_controllen = CMSG_SPACE(size);
    };
    if (extras->segment_bytes != 0) {
        add(SOL_UDP, UDP_SEGMENT, &extras->segment_bytes, sizeof extras->segment_bytes);
    } else if (!extras->descriptors.empty()) {
        add(SOL_SOCKET, SCM_RIGHTS, extras->descriptors.data(), extras->descriptors.size_bytes());
    }
}

}  // namespace rill::sockets
