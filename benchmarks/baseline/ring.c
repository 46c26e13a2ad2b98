// The ring of the bare io_uring servers; see ring.h.
#include "ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "bare.h"

static void open_queues(struct bare_ring* self) {
    struct io_uring_params params;
    memset(&params, 0, sizeof params);
    params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                   IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE |
                   IORING_SETUP_CLAMP;
    params.cq_entries = RING_COMPLETIONS;
    int const result = io_uring_queue_init_params(RING_SUBMISSIONS, &self->ring, &params);
    if (result < 0) {
        errno = -result;
        bare_die("io_uring_setup (needs Linux 6.1 and io_uring allowed)");
    }
    // 0.06 of the CPU of an echo is the look-up of an unregistered ring descriptor. Valgrind does
    // not know the call, and the server works without it.
    if (io_uring_register_ring_fd(&self->ring) < 0)
        fprintf(stderr, "bare server: the ring descriptor could not be registered\n");
}

static void open_buffers(struct bare_ring* self) {
    size_t const entries = RING_BUFFER_COUNT * sizeof(struct io_uring_buf);
    self->buffers = bare_zeroed(entries);
    self->memory = bare_zeroed((size_t)RING_BUFFER_COUNT * RING_BUFFER_SIZE);
    struct io_uring_buf_reg registration;
    memset(&registration, 0, sizeof registration);
    registration.ring_addr = (uint64_t)(uintptr_t)self->buffers;
    registration.ring_entries = RING_BUFFER_COUNT;
    registration.bgid = RING_BUFFER_GROUP;
    int const result = io_uring_register_buf_ring(&self->ring, &registration, 0);
    if (result < 0) {
        errno = -result;
        bare_die("io_uring_register_buf_ring");
    }
    io_uring_buf_ring_init(self->buffers);
    for (unsigned id = 0; id < RING_BUFFER_COUNT; ++id) ring_return(self, id);
}

void ring_open(struct bare_ring* self, int listener) {
    memset(self, 0, sizeof *self);
    self->listener = listener;
    self->starved = bare_zeroed(bare_descriptor_limit() * sizeof(int));
    open_queues(self);
    open_buffers(self);
    ring_arm_accept(self);
}

struct io_uring_sqe* ring_entry(struct bare_ring* self) {
    struct io_uring_sqe* entry = io_uring_get_sqe(&self->ring);
    while (entry == NULL) {
        ++bare_counters.enters;
        io_uring_submit(&self->ring);
        entry = io_uring_get_sqe(&self->ring);
    }
    return entry;
}

void ring_arm_accept(struct bare_ring* self) {
    struct io_uring_sqe* entry = ring_entry(self);
    io_uring_prep_multishot_accept(entry, self->listener, NULL, NULL, SOCK_CLOEXEC);
    io_uring_sqe_set_data64(entry, tag(KIND_ACCEPT, 0, self->listener));
    self->accept_armed = 1;
}

void ring_arm_receive(struct bare_ring* self, int fd) {
    struct io_uring_sqe* entry = ring_entry(self);
    io_uring_prep_recv_multishot(entry, fd, NULL, 0, 0);
    entry->flags |= IOSQE_BUFFER_SELECT;
    entry->buf_group = RING_BUFFER_GROUP;
    io_uring_sqe_set_data64(entry, tag(KIND_RECEIVE, 0, fd));
}

void ring_starve(struct bare_ring* self, int fd) {
    self->starved[self->starved_count++] = fd;
}

void ring_feed_starved(struct bare_ring* self) {
    while (self->starved_count != 0) ring_arm_receive(self, self->starved[--self->starved_count]);
}

void ring_close(struct bare_ring* self, int fd) {
    struct io_uring_sqe* entry = ring_entry(self);
    io_uring_prep_close(entry, fd);
    io_uring_sqe_set_data64(entry, tag(KIND_CLOSE, 0, fd));
    // Accepting stops when descriptors run out; one is about to be free.
    if (!self->accept_armed) ring_arm_accept(self);
}

void ring_turn(struct bare_ring* self) {
    ++bare_counters.turns;
    ++bare_counters.enters;
    int const result = io_uring_submit_and_wait(&self->ring, 1);
    if (result < 0 && result != -EINTR && result != -EBUSY && result != -EAGAIN) {
        errno = -result;
        bare_die("io_uring_enter");
    }
}
