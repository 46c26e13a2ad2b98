// The loop of the bare edge-triggered epoll servers; see epoll.h.
#include "epoll.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bare.h"

enum { EVENTS_PER_TURN = 512 };

static int listener_paused;

static void watch(int queue, int operation, int fd, uint32_t events) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = events;
    event.data.fd = fd;
    if (epoll_ctl(queue, operation, fd, &event) != 0) bare_die("epoll_ctl");
}

static void accept_all(int queue, int listener, struct epoll_handlers const* handlers) {
    for (;;) {
        int const fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE) {
                // The queue stays full and would report the listener for ever.
                watch(queue, EPOLL_CTL_MOD, listener, 0);
                listener_paused = 1;
            }
            if (errno == EINTR || errno == ECONNABORTED) continue;
            return;
        }
        handlers->on_open(fd);
        watch(queue, EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
    }
}

static void close_connection(int queue, int listener, int fd,
                             struct epoll_handlers const* handlers) {
    handlers->on_close(fd);
    close(fd);
    if (listener_paused) {
        listener_paused = 0;
        watch(queue, EPOLL_CTL_MOD, listener, EPOLLIN);
    }
}

void epoll_run(int listener, struct epoll_handlers const* handlers) {
    int const queue = epoll_create1(EPOLL_CLOEXEC);
    if (queue < 0) bare_die("epoll_create1");
    watch(queue, EPOLL_CTL_ADD, listener, EPOLLIN);
    struct epoll_event events[EVENTS_PER_TURN];
    while (!bare_stop) {
        int const count = epoll_wait(queue, events, EVENTS_PER_TURN, -1);
        ++bare_counters.turns;
        ++bare_counters.enters;
        for (int i = 0; i < count; ++i) {
            int const fd = events[i].data.fd;
            if (fd == listener) {
                accept_all(queue, listener, handlers);
            } else if (!handlers->on_ready(fd, events[i].events)) {
                close_connection(queue, listener, fd, handlers);
            }
        }
    }
    close(queue);
}
