// The driver over epoll: the beginning of a request, which is nearly always also its end.
#include <algorithm>
#include <cerrno>
#include <new>

#include "epoll_driver_impl.hpp"

namespace rill {

namespace {

// A local socket whose queue is full tells only those of room that are connected to it.
constexpr duration pause_for_room = 1ms;

}  // namespace

void epoll_driver::begin(request& what) {
    // The table grows for descriptors that exist, not for any number that is named.
    if (table_.find(what.descriptor()) == nullptr && !calls_.is_open(what.descriptor())) {
        return finish(what, -EBADF);
    }
    switch (what.what()) {
        case verb::receive_stream:
        case verb::accept_stream:
        case verb::receive_datagrams:
            return begin_stream(what);
        case verb::send:
            return begin_send(what);
        case verb::connect:
            return begin_connect(what);
        case verb::readable:
        case verb::writable:
        case verb::hangup:
            return begin_poll(what);
        case verb::send_file:
            return begin_send_file(what);
        case verb::read_file:
        case verb::write_file:
        case verb::open_beneath:
            return run_file(what);
        case verb::send_message:
            return begin_message(what);
    }
}

/// Puts `what` among those that wait on its descriptor, of which every event is then told, room to
/// send among them where that is waited for. False where it has ended instead.
bool epoll_driver::linked_and_watched(request& what, bool for_room) {
    entry& on = table_.need(what.descriptor());
    if (on.in_set != membership::watched || (for_room && !on.tells_room)) {
        // TCP tells of room only where a send found none. To ask for it at once saves an epoll_ctl
        // later; other sockets would wake the core for each send that has gone out.
        bool const with_room = for_room || on.of == epoll_table::kind::tcp;
        int const code = set_.watch(what.descriptor(), on, with_room);
        if (code != 0) {
            // Not a socket at all: what a call on it would say.
            finish(what, code == -EPERM ? -ENOTSOCK : code);
            return false;
        }
    }
    table_.link(on, what);
    return true;
}

void epoll_driver::begin_stream(request& what) {
    entry& on = table_.need(what.descriptor());
    if (what.what() == verb::receive_stream) {
        if (on.of == epoll_table::kind::unknown) on.of = calls_.kind_of(what.descriptor());
    } else if (what.what() == verb::accept_stream && on.in_set != membership::watched) {
        if (int const code = calls_.do_not_block(what.descriptor()); code != 0) {
            return finish(what, -code);
        }
    }
    if (linked_and_watched(what, false)) attempt(what, on, 0);
}

void epoll_driver::begin_send(request& what) {
    int const value = calls_.send(what);
    if (value != -EAGAIN) return finish(what, value);
    static_cast<void>(linked_and_watched(what, true));
}

void epoll_driver::begin_message(request& what) {
    int value = calls_.send_message(what);
    if (value == -EAGAIN) {
        if (!linked_and_watched(what, true)) return;
        if (!calls_.has_room(what.descriptor())) return;
        // The socket has room: it came this moment, or it is the receiver that has none.
        table_.unlink(what);
        value = calls_.send_message(what);
        if (value == -EAGAIN) return try_later(what);
    }
    finish(what, value);
}

void epoll_driver::try_later(request& what) {
    later_.push_back(&what);
    next_try_ = std::min(next_try_, later(now(), pause_for_room));
}

void epoll_driver::begin_connect(request& what) {
    int const value = calls_.connect(what);
    if (value == -EINPROGRESS) {
        // Not before: a socket that is not connecting counts as hung up.
        static_cast<void>(linked_and_watched(what, true));
    } else if (value == -EAGAIN) {
        try_later(what);
    } else {
        finish(what, value);
    }
}

void epoll_driver::begin_poll(request& what) {
    int const descriptor = what.descriptor();
    entry& on = table_.need(descriptor);
    table_.link(on, what);
    // Asked anew each time, so that the kernel tells what is so already.
    int const code =
        on.in_set == membership::watched
            ? set_.watch(descriptor, on, on.tells_room || what.what() == verb::writable)
            : set_.poll(descriptor, on, polled_events(on));
    if (code == -EPERM) {
        // A regular file can always be read and written, and cannot hang up.
        std::uint32_t const ready = epoll_set::events_of(what.what()) & (EPOLLIN | EPOLLOUT);
        finish(what, ready != 0 ? static_cast<int>(ready) : -EINVAL);
    } else if (code != 0) {
        finish(what, code);
    }
}

void epoll_driver::begin_send_file(request& what) {
    if (int const code = calls_.do_not_block(what.descriptor()); code != 0) {
        return finish(what, -code);
    }
    wait_for_room(what);
}

/// Lets `what` go on as soon as its socket has room.
void epoll_driver::wait_for_room(request& what) {
    // In this order: room that comes after the look at it is told of.
    if (!linked_and_watched(what, true) || !calls_.has_room(what.descriptor())) return;
    table_.unlink(what);
    run_file(what);
}

void epoll_driver::run_file(request& what) noexcept {
    if (auto const value = files_.start(what)) file_done(what, *value);
}

void epoll_driver::file_done(request& what, int value) noexcept {
    if (what.cancelling()) {
        std::erase(cancelled_, &what);
        bool const waits = value == -EAGAIN || value == -ESPIPE;
        return finish(what, waits ? -ECANCELED : value);
    }
    try {
        if (value == -EAGAIN && what.what() == verb::send_file) return wait_for_room(what);
        // No file but a pipe or a terminal, which has no offsets and can be waited for.
        if (value == -ESPIPE) return begin_poll(what);
    } catch (std::bad_alloc const&) {
        value = -ENOMEM;
    }
    finish(what, value);
}

}  // namespace rill
