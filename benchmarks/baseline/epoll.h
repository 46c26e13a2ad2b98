// The loop of the bare edge-triggered epoll servers (epoll(7)): accepts, dispatches, closes.
#ifndef BARE_EPOLL_H
#define BARE_EPOLL_H

#include <stdint.h>

// Called when `fd` was accepted, and with its events; `on_ready` returns 0 to close it.
struct epoll_handlers {
    void (*on_open)(int fd);
    int (*on_ready)(int fd, uint32_t events);
    void (*on_close)(int fd);
};

// Runs until bare_stop is set.
void epoll_run(int listener, struct epoll_handlers const* handlers);

#endif
