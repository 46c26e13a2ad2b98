// The ring of the bare io_uring servers: the flags, the registered descriptor and the one ring of
// receive buffers that docs and measurements found best (io_uring_setup(2), io_uring_register(2)).
//
#ifndef BARE_RING_H
#define BARE_RING_H

#include <liburing.h>
#include <stdint.h>

enum {
    RING_SUBMISSIONS = 2048,
    RING_COMPLETIONS = 8192,
    RING_BUFFER_SIZE = 4096,
    RING_BUFFER_COUNT = 1024,  // a power of two
    RING_BUFFER_GROUP = 0,
};

// What a completion belongs to: the kind in the top byte, then a number, then the descriptor.
enum { KIND_ACCEPT = 1, KIND_RECEIVE = 2, KIND_SEND = 3, KIND_CLOSE = 4 };

static inline uint64_t tag(unsigned kind, unsigned number, int fd) {
    return (uint64_t)kind << 56 | (uint64_t)(number & 0xffffffu) << 32 | (uint32_t)fd;
}
static inline unsigned tag_kind(uint64_t data) {
    return (unsigned)(data >> 56);
}
static inline unsigned tag_number(uint64_t data) {
    return (unsigned)(data >> 32) & 0xffffffu;
}
static inline int tag_fd(uint64_t data) {
    return (int)(uint32_t)data;
}

struct bare_ring {
    struct io_uring ring;
    struct io_uring_buf_ring* buffers;
    char* memory;
    int listener;
    int accept_armed;
    // Connections whose receive found no buffer, to arm again when buffers are back.
    int* starved;
    unsigned starved_count;
};

void ring_open(struct bare_ring* self, int listener);
void ring_arm_accept(struct bare_ring* self);
void ring_arm_receive(struct bare_ring* self, int fd);
void ring_starve(struct bare_ring* self, int fd);
void ring_feed_starved(struct bare_ring* self);
// Closes through the ring; to be called when no receive and no send of `fd` is running.
void ring_close(struct bare_ring* self, int fd);
// A free submission entry; submits what is there when none is left.
struct io_uring_sqe* ring_entry(struct bare_ring* self);
// Submits all and waits for one completion. Counts the turn.
void ring_turn(struct bare_ring* self);

static inline char* ring_buffer(struct bare_ring* self, unsigned id) {
    return self->memory + (size_t)id * RING_BUFFER_SIZE;
}
// Gives buffer `id` back to the kernel.
static inline void ring_return(struct bare_ring* self, unsigned id) {
    io_uring_buf_ring_add(self->buffers, ring_buffer(self, id), RING_BUFFER_SIZE,
                          (unsigned short)id, RING_BUFFER_COUNT - 1, 0);
    io_uring_buf_ring_advance(self->buffers, 1);
}

#endif
