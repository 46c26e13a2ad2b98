// From a request to a submission entry.
#include "uring_prepare.hpp"

#include <poll.h>
#include <sys/socket.h>

#include "datagram_layout.hpp"
#include "datagram_sockets.hpp"
#include "file_calls.hpp"

namespace rill {

namespace {

constexpr std::size_t largest_transfer = std::size_t{1} << 30;

void prepare_send(io_uring_sqe& entry, request const& what, msghdr& message) noexcept {
    static_assert(sizeof(bytes) == sizeof(iovec), "pieces are handed to the kernel as they are");
    // WAITALL lets the kernel go on after a short send, without another turn of the loop.
    constexpr int flags = MSG_NOSIGNAL | MSG_WAITALL;
    if (what.piece_count() == 1) {
        bytes const piece = what.pieces()[0].first(largest_transfer);
        io_uring_prep_send(&entry, what.descriptor(), piece.data(), piece.size(), flags);
        return;
    }
    message = {};
    message.msg_iov = reinterpret_cast<iovec*>(const_cast<bytes*>(what.pieces()));
    message.msg_iovlen = what.piece_count();
    io_uring_prep_sendmsg(&entry, what.descriptor(), &message, flags);
}

void prepare_receive(io_uring_sqe& entry, request const& what) noexcept {
    if (what.one_result()) [[unlikely]] {
        io_uring_prep_recv(&entry, what.descriptor(), nullptr, 0, 0);
    } else {
        io_uring_prep_recv_multishot(&entry, what.descriptor(), nullptr, 0, 0);
    }
    entry.flags |= IOSQE_BUFFER_SELECT;
    entry.buf_group = receive_group;
}

void prepare_datagrams(io_uring_sqe& entry, request const& what, msghdr& message) noexcept {
    static_assert(sizeof(datagram::header) == sizeof(io_uring_recvmsg_out));
    // Of the message only the sizes are looked at: all goes into the buffer.
    message = {};
    message.msg_namelen = datagram::name_space;
    message.msg_controllen = datagram::control_space;
    io_uring_prep_recvmsg_multishot(&entry, what.descriptor(), &message, sockets::datagram_flags);
    entry.flags |= IOSQE_BUFFER_SELECT;
    entry.buf_group = what.large_buffers() ? large_receive_group : receive_group;
}

}  // namespace

void prepare_request(io_uring_sqe& entry, request const& what,
                     entry_arguments& arguments) noexcept {
    int const descriptor = what.descriptor();
    switch (what.what()) {
        case verb::receive_stream:
            prepare_receive(entry, what);
            break;
        case verb::receive_datagrams:
            prepare_datagrams(entry, what, arguments.message);
            break;
        case verb::send_message:
            sockets::fill_message(arguments.message, arguments.target, what);
            io_uring_prep_sendmsg(&entry, descriptor, &arguments.message, MSG_NOSIGNAL);
            break;
        case verb::accept_stream:
            io_uring_prep_multishot_accept(&entry, descriptor, nullptr, nullptr, SOCK_CLOEXEC);
            break;
        case verb::send:
            prepare_send(entry, what, arguments.message);
            break;
        case verb::connect:
            arguments.target = sockets::name(what.target());
            io_uring_prep_connect(&entry, descriptor, arguments.target.data(),
                                  arguments.target.size);
            break;
        case verb::readable:
            io_uring_prep_poll_add(&entry, descriptor, POLLIN);
            break;
        case verb::writable:
            io_uring_prep_poll_add(&entry, descriptor, POLLOUT);
            break;
        case verb::hangup:
            io_uring_prep_poll_add(&entry, descriptor, POLLRDHUP);
            break;
        case verb::read_file: {
            mutable_bytes const into = what.into().first(largest_transfer);
            io_uring_prep_read(&entry, descriptor, into.data(), static_cast<unsigned>(into.size()),
                               what.offset());
            break;
        }
        case verb::write_file: {
            bytes const from = what.pieces()[0].first(largest_transfer);
            io_uring_prep_write(&entry, descriptor, from.data(), static_cast<unsigned>(from.size()),
                                what.offset());
            break;
        }
        case verb::open_beneath:
            // The kernel only reads it.
            io_uring_prep_openat2(&entry, descriptor, what.path(),
                                  const_cast<open_how*>(&file_calls::beneath()));
            break;
        case verb::send_file:
            break;  // a pump does it, in several entries
    }
}

}  // namespace rill
