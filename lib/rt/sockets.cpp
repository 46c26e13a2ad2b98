// The socket calls that drivers over a real kernel share. None of them blocks.
#include "sockets.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "local_names.hpp"

namespace rill::sockets {

namespace {

void set(int descriptor, int level, int option, int value) noexcept {
    ::setsockopt(descriptor, level, option, &value, sizeof value);
}

}  // namespace

int family_of(address::family kind) noexcept {
    switch (kind) {
        case address::family::ipv4:
            return AF_INET;
        case address::family::ipv6:
            return AF_INET6;
        case address::family::local:
            return AF_UNIX;
        case address::family::none:
            break;
    }
    return AF_UNSPEC;
}

name::name(address const& from) noexcept {
    switch (from.kind()) {
        case address::family::ipv4: {
            auto& in = reinterpret_cast<sockaddr_in&>(storage);
            in.sin_family = AF_INET;
            in.sin_port = htons(from.port());
            std::memcpy(&in.sin_addr, from.ip().data(), sizeof in.sin_addr);
            size = sizeof in;
            break;
        }
        case address::family::ipv6: {
            auto& in6 = reinterpret_cast<sockaddr_in6&>(storage);
            in6.sin6_family = AF_INET6;
            in6.sin6_port = htons(from.port());
            in6.sin6_scope_id = from.scope();
            std::memcpy(&in6.sin6_addr, from.ip().data(), sizeof in6.sin6_addr);
            size = sizeof in6;
            break;
        }
        case address::family::local: {
            auto& un = reinterpret_cast<sockaddr_un&>(storage);
            un.sun_family = AF_UNIX;
            std::string const& path = from.path();
            std::memcpy(un.sun_path, path.data(), path.size());
            if (path.front() == '@') un.sun_path[0] = '\0';
            size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() +
                                          (path.front() == '@' ? 0 : 1));
            break;
        }
        case address::family::none:
            break;
    }
}

address name::value() const {
    if (size < sizeof(sa_family_t)) return {};
    switch (storage.ss_family) {
        case AF_INET: {
            auto const& in = reinterpret_cast<sockaddr_in const&>(storage);
            std::array<std::uint8_t, 4> ip{};
            std::memcpy(ip.data(), &in.sin_addr, ip.size());
            return address::v4(ip, ntohs(in.sin_port));
        }
        case AF_INET6: {
            auto const& in6 = reinterpret_cast<sockaddr_in6 const&>(storage);
            std::array<std::uint8_t, 16> ip{};
            std::memcpy(ip.data(), &in6.sin6_addr, ip.size());
            return address::v6(ip, ntohs(in6.sin6_port), in6.sin6_scope_id);
        }
        case AF_UNIX: {
            auto const& un = reinterpret_cast<sockaddr_un const&>(storage);
            std::size_t const length = size - offsetof(sockaddr_un, sun_path);
            if (length == 0) return {};
            std::string path(un.sun_path, length);
            if (path.front() == '\0') {
                path.front() = '@';
            } else {
                path.resize(std::strlen(path.c_str()));
            }
            auto made = address::unix_path(path);
            return made ? *made : address{};
        }
        default:
            return {};
    }
}

result<int> open_stream(address::family kind) {
    int const descriptor = ::socket(family_of(kind), SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return system_error(errno);
    return descriptor;
}

result<int> listen(address const& at, listen_settings const& with) {
    if (at.kind() == address::family::local) {
        bool const may_share = with.reuse_port && !with.must_be_first;
        return local_names::listen(at, with.backlog, with.mode, may_share);
    }
    auto const opened = open_stream(at.kind());
    if (!opened) return opened.error();
    int const descriptor = *opened;
    if (at.kind() == address::family::ipv6) {
        set(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, with.only_v6 ? 1 : 0);
    }
    set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1);
    if (with.reuse_port && !with.must_be_first) set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1);
    name where(at);
    bool done = ::bind(descriptor, where.data(), where.size) == 0;
    if (done && with.reuse_port && with.must_be_first) {
        // Bound alone, so that nobody is there; from here on others may share the port.
        set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1);
    }
    done = done && ::listen(descriptor, with.backlog) == 0;
    if (!done) {
        int const why = errno;
        ::close(descriptor);
        return system_error(why);
    }
    return descriptor;
}

std::optional<int> accept_ready(int listener) noexcept {
    // Listeners of a ring are blocking descriptors: the queue is asked before it is taken from.
    pollfd entry{.fd = listener, .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, 0) != 1) return std::nullopt;
    int const descriptor = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) return std::nullopt;
    return descriptor;
}

void configure(int descriptor, stream_settings const& with) noexcept {
    if (with.no_delay) set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
    if (with.keep_alive_seconds > 0) {
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
        set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, with.keep_alive_seconds);
        set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, with.keep_alive_seconds / 6));
        set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 6);
    }
    if (with.send_buffer_bytes >= 0) {
        set(descriptor, SOL_SOCKET, SO_SNDBUF, with.send_buffer_bytes);
    }
    if (with.receive_buffer_bytes >= 0) {
        set(descriptor, SOL_SOCKET, SO_RCVBUF, with.receive_buffer_bytes);
    }
}

void shut_down(int descriptor, shutdown_side side) noexcept {
    int const how = side == shutdown_side::read    ? SHUT_RD
                    : side == shutdown_side::write ? SHUT_WR
                                                   : SHUT_RDWR;
    ::shutdown(descriptor, how);
}

void reset_on_close(int descriptor) noexcept {
    linger const now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

bool broken(int descriptor) noexcept {
    pollfd entry{.fd = descriptor, .events = 0, .revents = 0};
    return ::poll(&entry, 1, 0) == 1 && (entry.revents & (POLLERR | POLLHUP)) != 0;
}

address local(int descriptor) {
    name where;
    where.size = sizeof where.storage;
    if (::getsockname(descriptor, where.data(), &where.size) != 0) return {};
    return where.value();
}

address remote(int descriptor) {
    name where;
    where.size = sizeof where.storage;
    if (::getpeername(descriptor, where.data(), &where.size) != 0) return {};
    return where.value();
}

}  // namespace rill::sockets
