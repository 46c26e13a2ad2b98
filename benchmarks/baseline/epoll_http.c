// A bare edge-triggered epoll HTTP server: one send for all blank lines of a read.
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "bare.h"
#include "epoll.h"

struct connection {
    uint32_t owed;     // answers not yet accepted by the kernel
    uint16_t sent;     // bytes of the first of them that were
    uint8_t matched;   // bytes of the next blank line seen so far
    uint8_t readable;  // reading stopped because answers are owed
};

static struct connection* connections;  // by descriptor

static void on_open(int fd) {
    memset(&connections[fd], 0, sizeof connections[fd]);
}
static void on_close(int fd) {
    (void)fd;
}

// Sends what is owed. Returns 0 when the connection is broken.
static int flush(int fd) {
    struct connection* self = &connections[fd];
    while (self->owed != 0) {
        uint32_t const batch =
            self->owed < BARE_ANSWERS_PER_SEND ? self->owed : BARE_ANSWERS_PER_SEND;
        size_t const size = (size_t)batch * BARE_ANSWER_SIZE - self->sent;
        ssize_t const accepted = send(fd, bare_answers + self->sent, size, MSG_NOSIGNAL);
        ++bare_counters.enters;
        if (accepted < 0) return errno == EAGAIN || errno == EINTR;
        size_t const done = (size_t)accepted + self->sent;
        self->owed -= (uint32_t)(done / BARE_ANSWER_SIZE);
        self->sent = (uint16_t)(done % BARE_ANSWER_SIZE);
    }
    return 1;
}

static int on_ready(int fd, uint32_t events) {
    struct connection* self = &connections[fd];
    char buffer[16384];
    if (self->owed != 0 && !flush(fd)) return 0;
    if (self->owed != 0) {
        if ((events & EPOLLIN) != 0) self->readable = 1;
        return 1;
    }
    if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) == 0 && !self->readable) return 1;
    self->readable = 0;
    for (;;) {
        ssize_t const size = recv(fd, buffer, sizeof buffer, 0);
        ++bare_counters.enters;
        if (size == 0) return 0;
        if (size < 0) return errno == EAGAIN || errno == EINTR;
        unsigned const count = bare_blank_lines(buffer, (size_t)size, &self->matched);
        self->owed += count;
        bare_counters.requests += count;
        if (!flush(fd)) return 0;
        if (self->owed != 0) {
            self->readable = 1;
            return 1;
        }
        // A short read has drained the socket (epoll(7)), unless its end waits to be read.
        if ((size_t)size < sizeof buffer && (events & (EPOLLRDHUP | EPOLLHUP)) == 0) return 1;
    }
}

int main(int argc, char** argv) {
    int const listener = bare_listen(argc, argv);
    connections = bare_zeroed(bare_descriptor_limit() * sizeof *connections);
    struct epoll_handlers const handlers = {on_open, on_ready, on_close};
    epoll_run(listener, &handlers);
    bare_report();
    return 0;
}
