// TCP echo with libev as its users write it: one watcher for each connection, plain recv and send;
// what the kernel does not take waits for a write watcher.
#include <arpa/inet.h>
#include <errno.h>
#include <ev.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct client {
    ev_io watcher;  // first: libev hands out its address
    char* waiting;
    size_t begin;
    size_t end;
};

static void drop(struct ev_loop* loop, struct client* self) {
    ev_io_stop(loop, &self->watcher);
    close(self->watcher.fd);
    free(self->waiting);
    free(self);
}

static void watch(struct ev_loop* loop, struct client* self, int events) {
    ev_io_stop(loop, &self->watcher);
    ev_io_set(&self->watcher, self->watcher.fd, events);
    ev_io_start(loop, &self->watcher);
}

static int is_temporary(void) {
    return errno == EAGAIN || errno == EINTR;
}

static void write_waiting(struct ev_loop* loop, struct client* self) {
    ssize_t const done =
        send(self->watcher.fd, self->waiting + self->begin, self->end - self->begin, MSG_NOSIGNAL);
    if (done < 0) {
        if (!is_temporary()) drop(loop, self);
        return;
    }
    self->begin += (size_t)done;
    if (self->begin != self->end) return;
    free(self->waiting);
    self->waiting = NULL;
    watch(loop, self, EV_READ);
}

static void on_ready(struct ev_loop* loop, ev_io* watcher, int events) {
    struct client* self = (struct client*)watcher;
    if ((events & EV_WRITE) != 0) {
        write_waiting(loop, self);
        return;
    }
    char buffer[16384];
    ssize_t const size = recv(watcher->fd, buffer, sizeof buffer, 0);
    if (size == 0 || (size < 0 && !is_temporary())) {
        drop(loop, self);
        return;
    }
    if (size < 0) return;
    ssize_t done = send(watcher->fd, buffer, (size_t)size, MSG_NOSIGNAL);
    if (done < 0) {
        if (!is_temporary()) {
            drop(loop, self);
            return;
        }
        done = 0;
    }
    if (done == size) return;
    self->begin = 0;
    self->end = (size_t)(size - done);
    self->waiting = malloc(self->end);
    if (self->waiting == NULL) abort();
    memcpy(self->waiting, buffer + done, self->end);
    watch(loop, self, EV_WRITE);
}

static void on_accept(struct ev_loop* loop, ev_io* watcher, int events) {
    (void)events;
    for (;;) {
        int const fd = accept4(watcher->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        int const on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct client* self = calloc(1, sizeof *self);
        if (self == NULL) abort();
        ev_io_init(&self->watcher, on_ready, fd, EV_READ);
        ev_io_start(loop, &self->watcher);
    }
}

int main(int argc, char** argv) {
    char host[64];
    unsigned port = 0;
    if (argc != 2 || sscanf(argv[1], "%63[^:]:%u", host, &port) != 2) {
        fprintf(stderr, "usage: %s ADDRESS:PORT\n", argv[0]);
        return 2;
    }
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    int const on = 1;
    int const fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1 ||
        bind(fd, (struct sockaddr const*)&address, sizeof address) != 0 || listen(fd, 65535) != 0) {
        perror("libev echo");
        return 1;
    }
    struct ev_loop* loop = ev_default_loop(0);
    ev_io acceptor;
    ev_io_init(&acceptor, on_accept, fd, EV_READ);
    ev_io_start(loop, &acceptor);
    ev_run(loop, 0);
    return 0;
}
