// A bare edge-triggered epoll echo server. What the kernel does not take at once waits in a block
// of its own, and reading pauses until it is gone.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "bare.h"
#include "epoll.h"

struct connection {
    char* waiting;  // null when nothing is
    uint32_t begin;
    uint32_t end;
    uint8_t readable;  // reading stopped because bytes are waiting
};

static struct connection* connections;  // by descriptor

static void on_open(int fd) {
    memset(&connections[fd], 0, sizeof connections[fd]);
}

static void on_close(int fd) {
    free(connections[fd].waiting);
    connections[fd].waiting = NULL;
}

// Returns the bytes that were accepted, or -1 when the connection is broken.
static ssize_t send_some(int fd, char const* data, size_t size) {
    ssize_t const accepted = send(fd, data, size, MSG_NOSIGNAL);
    ++bare_counters.enters;
    if (accepted >= 0) return accepted;
    return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

static int flush(int fd) {
    struct connection* self = &connections[fd];
    if (self->waiting == NULL) return 1;
    ssize_t const accepted =
        send_some(fd, self->waiting + self->begin, (size_t)(self->end - self->begin));
    if (accepted < 0) return 0;
    self->begin += (uint32_t)accepted;
    if (self->begin == self->end) on_close(fd);
    return 1;
}

static int echo(int fd, char const* data, size_t size) {
    struct connection* self = &connections[fd];
    ssize_t const accepted = send_some(fd, data, size);
    if (accepted < 0) return 0;
    ++bare_counters.requests;
    if ((size_t)accepted == size) return 1;
    size_t const rest = size - (size_t)accepted;
    self->waiting = malloc(rest);
    if (self->waiting == NULL) return 0;
    memcpy(self->waiting, data + accepted, rest);
    self->begin = 0;
    self->end = (uint32_t)rest;
    self->readable = 1;
    return 1;
}

static int on_ready(int fd, uint32_t events) {
    struct connection* self = &connections[fd];
    char buffer[16384];
    if (!flush(fd)) return 0;
    if (self->waiting != NULL) {
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
        if (!echo(fd, buffer, (size_t)size)) return 0;
        if (self->waiting != NULL) return 1;
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
