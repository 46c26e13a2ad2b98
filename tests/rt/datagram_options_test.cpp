// The options of datagram sockets reach the kernel: ip(7), ipv6(7), udp(7).
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "rt/datagram_sockets.hpp"

namespace rill {

namespace {

/// An open datagram socket, and what the kernel says of it.
class opened {
public:
    opened(char const* at, datagram_settings const& with) {
        address const where = *address::parse(at);
        descriptor_ = *sockets::open_datagrams(where.kind(), &where, with);
    }
    opened(opened const&) = delete;
    opened& operator=(opened const&) = delete;
    ~opened() { ::close(descriptor_); }
    [[nodiscard]] int of(int level, int option) const {
        int value = -1;
        socklen_t size = sizeof value;
        REQUIRE(::getsockopt(descriptor_, level, option, &value, &size) == 0);
        return value;
    }

private:
    int descriptor_;
};

}  // namespace

TEST_CASE("what is asked of a datagram socket is what the kernel has") {
    datagram_settings const all{.reuse_address = true,
                                .reuse_port = true,
                                .broadcast = true,
                                .dont_fragment = true,
                                .merge = true,
                                .tell_local = true,
                                .hops = 7,
                                .traffic_class = 0x10,
                                .multicast_hops = 3,
                                .multicast_loop = 0,
                                .multicast_interface = 1,
                                .send_buffer_bytes = 20'000,
                                .receive_buffer_bytes = 30'000};
    opened const v4("127.0.0.1:0", all);
    CHECK(v4.of(SOL_SOCKET, SO_REUSEADDR) == 1);
    CHECK(v4.of(SOL_SOCKET, SO_REUSEPORT) == 1);
    CHECK(v4.of(SOL_SOCKET, SO_BROADCAST) == 1);
    CHECK(v4.of(SOL_SOCKET, SO_SNDBUF) == 40'000);  // the kernel doubles them: socket(7)
    CHECK(v4.of(SOL_SOCKET, SO_RCVBUF) == 60'000);
    CHECK(v4.of(IPPROTO_IP, IP_RECVERR) == 1);
    CHECK(v4.of(IPPROTO_IP, IP_MTU_DISCOVER) == IP_PMTUDISC_DO);
    CHECK(v4.of(IPPROTO_IP, IP_PKTINFO) == 1);
    CHECK(v4.of(IPPROTO_IP, IP_TTL) == 7);
    CHECK(v4.of(IPPROTO_IP, IP_TOS) == 0x10);
    CHECK(v4.of(IPPROTO_IP, IP_MULTICAST_TTL) == 3);
    CHECK(v4.of(IPPROTO_IP, IP_MULTICAST_LOOP) == 0);
    CHECK(v4.of(SOL_UDP, UDP_GRO) == 1);
    opened const v6("[::1]:0", all);
    CHECK(v6.of(IPPROTO_IPV6, IPV6_RECVERR) == 1);
    CHECK(v6.of(IPPROTO_IPV6, IPV6_MTU_DISCOVER) == IPV6_PMTUDISC_DO);
    CHECK(v6.of(IPPROTO_IPV6, IPV6_RECVPKTINFO) == 1);
    CHECK(v6.of(IPPROTO_IPV6, IPV6_UNICAST_HOPS) == 7);
    CHECK(v6.of(IPPROTO_IPV6, IPV6_TCLASS) == 0x10);
    CHECK(v6.of(IPPROTO_IPV6, IPV6_MULTICAST_HOPS) == 3);
    CHECK(v6.of(IPPROTO_IPV6, IPV6_MULTICAST_LOOP) == 0);
    CHECK(v6.of(IPPROTO_IPV6, IPV6_MULTICAST_IF) == 1);
    // An IPv6 socket that takes IPv4 sends IPv4 in the same way.
    opened const both(":0", all);
    CHECK(both.of(IPPROTO_IPV6, IPV6_V6ONLY) == 0);
    CHECK(both.of(IPPROTO_IP, IP_TTL) == 7);
    CHECK(both.of(IPPROTO_IP, IP_RECVERR) == 1);
}

TEST_CASE("what is not asked for is as the system has it") {
    opened const plain("127.0.0.1:0", {.tell_failures = false});
    CHECK(plain.of(SOL_SOCKET, SO_REUSEADDR) == 0);
    CHECK(plain.of(SOL_SOCKET, SO_REUSEPORT) == 0);
    CHECK(plain.of(SOL_SOCKET, SO_BROADCAST) == 0);
    CHECK(plain.of(IPPROTO_IP, IP_RECVERR) == 0);
    CHECK(plain.of(IPPROTO_IP, IP_PKTINFO) == 0);
    CHECK(plain.of(IPPROTO_IP, IP_MULTICAST_TTL) == 1);
    CHECK(plain.of(SOL_UDP, UDP_GRO) == 0);
    opened const only("[::]:0", {.only_v6 = true});
    CHECK(only.of(IPPROTO_IPV6, IPV6_V6ONLY) == 1);
    // An option that the kernel refuses is told, and leaves no descriptor behind.
    address const any = *address::parse("127.0.0.1:0");
    auto const refused = sockets::open_datagrams(any.kind(), &any, {.hops = 4000});
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == system_error(EINVAL));
}

}  // namespace rill
