// The calls on sockets that the epoll driver tries.
#include "epoll_calls.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "datagram_layout.hpp"
#include "datagram_sockets.hpp"
#include "sockets.hpp"

namespace rill {

namespace {

constexpr std::size_t largest_transfer = std::size_t{1} << 30;
constexpr std::size_t most_pieces = 1024;  // UIO_MAXIOV

}  // namespace

epoll_calls::epoll_calls(epoll_faults const& faults) noexcept
    : most_sent_(faults.most_sent != 0 ? faults.most_sent : largest_transfer),
      call_fails_(faults.call_fails_every),
      no_buffer_(faults.no_buffer_every),
      no_descriptor_(faults.no_descriptor_every) {}

/// Makes a call until no signal interrupts it.
template <class Call>
int epoll_calls::made(Call const& call) noexcept {
    for (;;) {
        ++calls_;
        if (call_fails_()) [[unlikely]]
            continue;
        auto const value = call();
        if (value >= 0) [[likely]]
            return static_cast<int>(value);
        if (errno != EINTR) return -errno;
    }
}

int epoll_calls::receive(int descriptor, mutable_bytes into) noexcept {
    return made([&] { return ::recv(descriptor, into.data(), into.size(), MSG_DONTWAIT); });
}

int epoll_calls::receive_datagram(int descriptor, mutable_bytes into) noexcept {
    mutable_bytes const payload = into.without_first(datagram::payload_begin);
    iovec piece{payload.data(), payload.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_name = into.data() + sizeof(datagram::header);
    message.msg_namelen = datagram::name_space;
    message.msg_control = into.data() + datagram::control_begin;
    message.msg_controllen = datagram::control_space;
    int const size = made(
        [&] { return ::recvmsg(descriptor, &message, sockets::datagram_flags | MSG_DONTWAIT); });
    if (size < 0) return size;
    datagram::header const head{.name_bytes = message.msg_namelen,
                                .control_bytes = static_cast<std::uint32_t>(message.msg_controllen),
                                .payload_bytes = static_cast<std::uint32_t>(size),
                                .flags = static_cast<std::uint32_t>(message.msg_flags)};
    std::memcpy(into.data(), &head, sizeof head);
    return static_cast<int>(datagram::payload_begin +
                            std::min<std::size_t>(static_cast<std::size_t>(size), payload.size()));
}

int epoll_calls::send_message(request const& what) noexcept {
    msghdr message;
    sockets::name target;
    sockets::fill_message(message, target, what);
    message.msg_iovlen = std::min(message.msg_iovlen, most_pieces);
    return made(
        [&] { return ::sendmsg(what.descriptor(), &message, MSG_NOSIGNAL | MSG_DONTWAIT); });
}

int epoll_calls::send(request const& what) noexcept {
    constexpr int flags = MSG_NOSIGNAL | MSG_DONTWAIT;
    if (what.piece_count() == 1 || most_sent_ < largest_transfer) {
        bytes const piece = what.pieces()[0].first(most_sent_);
        return made([&] { return ::send(what.descriptor(), piece.data(), piece.size(), flags); });
    }
    static_assert(sizeof(bytes) == sizeof(iovec), "pieces are handed to the kernel as they are");
    msghdr message{};
    message.msg_iov = reinterpret_cast<iovec*>(const_cast<bytes*>(what.pieces()));
    message.msg_iovlen = std::min(what.piece_count(), most_pieces);
    return made([&] { return ::sendmsg(what.descriptor(), &message, flags); });
}

int epoll_calls::accept(int listener) noexcept {
    if (no_descriptor_()) [[unlikely]]
        return -EMFILE;
    return made(
        [&] { return ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
}

int epoll_calls::connect(request const& what) noexcept {
    if (int const code = do_not_block(what.descriptor()); code != 0) return -code;
    sockets::name to(what.target());
    ++calls_;
    if (::connect(what.descriptor(), to.data(), to.size) == 0) return 0;
    // An interrupted connect goes on by itself.
    return errno == EINTR ? -EINPROGRESS : -errno;
}

int epoll_calls::connected(int descriptor) noexcept {
    ++calls_;
    int code = 0;
    socklen_t size = sizeof code;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) != 0) return -errno;
    return -code;
}

int epoll_calls::transfer(request const& what) noexcept {
    if (what.what() == verb::write_file) {
        // A pipe that is ready takes as much without waiting, even where its descriptor may wait.
        bytes const piece = what.pieces()[0].first(PIPE_BUF);
        return made([&] { return ::write(what.descriptor(), piece.data(), piece.size()); });
    }
    mutable_bytes const into = what.into().first(largest_transfer);
    return made([&] { return ::read(what.descriptor(), into.data(), into.size()); });
}

bool epoll_calls::is_open(int descriptor) noexcept {
    ++calls_;
    return ::fcntl(descriptor, F_GETFD) >= 0;
}

int epoll_calls::do_not_block(int descriptor) noexcept {
    ++calls_;
    int on = 1;
    return ::ioctl(descriptor, FIONBIO, &on) == 0 ? 0 : errno;
}

epoll_table::kind epoll_calls::kind_of(int descriptor) noexcept {
    ++calls_;
    // Local sockets stop a read where the sender of the bytes changes.
    int protocol = 0;
    socklen_t size = sizeof protocol;
    int const code = ::getsockopt(descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol, &size);
    return code == 0 && protocol == IPPROTO_TCP ? epoll_table::kind::tcp : epoll_table::kind::other;
}

bool epoll_calls::has_room(int descriptor) noexcept {
    ++calls_;
    pollfd entry{.fd = descriptor, .events = POLLOUT, .revents = 0};
    return ::poll(&entry, 1, 0) != 0;
}

}  // namespace rill
