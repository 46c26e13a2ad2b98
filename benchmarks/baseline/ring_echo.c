// A bare io_uring echo server: multishot receive into a ring of buffers; the send goes out from the
// same buffer, which returns to the kernel when the send is done.
#include <errno.h>

#include "bare.h"
#include "ring.h"

enum { NONE = 0xffff };

// Buffers of one connection leave in order: the first of the list is being sent.
struct connection {
    uint16_t first;
    uint16_t last;
    uint8_t ended;   // the receive has finished for good
    uint8_t failed;  // a send failed: what is left is dropped
};

static struct bare_ring ring;
static struct connection* connections;  // by descriptor
static uint16_t next_buffer[RING_BUFFER_COUNT];
static uint16_t buffer_length[RING_BUFFER_COUNT];
static unsigned buffers_out;

static void send_first(int fd) {
    unsigned const id = connections[fd].first;
    struct io_uring_sqe* entry = ring_entry(&ring);
    io_uring_prep_send(entry, fd, ring_buffer(&ring, id), buffer_length[id], MSG_WAITALL);
    io_uring_sqe_set_data64(entry, tag(KIND_SEND, id, fd));
}

static void close_when_done(int fd) {
    struct connection const* self = &connections[fd];
    if (self->ended && self->first == NONE) ring_close(&ring, fd);
}

static void on_accept(struct io_uring_cqe const* cqe) {
    if ((cqe->flags & IORING_CQE_F_MORE) == 0) ring.accept_armed = 0;
    if (cqe->res >= 0) {
        connections[cqe->res] = (struct connection){.first = NONE, .last = NONE};
        ring_arm_receive(&ring, cqe->res);
    }
    if (!ring.accept_armed && cqe->res != -EMFILE && cqe->res != -ENFILE) ring_arm_accept(&ring);
}

static void on_receive(struct io_uring_cqe const* cqe) {
    int const fd = tag_fd(cqe->user_data);
    struct connection* self = &connections[fd];
    int const more = (cqe->flags & IORING_CQE_F_MORE) != 0;
    if (cqe->res > 0) {
        uint16_t const id = (uint16_t)(cqe->flags >> IORING_CQE_BUFFER_SHIFT);
        buffer_length[id] = (uint16_t)cqe->res;
        next_buffer[id] = NONE;
        ++buffers_out;
        if (self->first == NONE) {
            self->first = id;
            self->last = id;
            send_first(fd);
        } else {
            next_buffer[self->last] = id;
            self->last = id;
        }
        if (!more) ring_arm_receive(&ring, fd);
    } else if (cqe->res == -ENOBUFS) {
        ring_starve(&ring, fd);
    } else if (!more) {
        self->ended = 1;
        close_when_done(fd);
    }
}

static void on_send(struct io_uring_cqe const* cqe) {
    int const fd = tag_fd(cqe->user_data);
    struct connection* self = &connections[fd];
    unsigned const id = tag_number(cqe->user_data);
    ++bare_counters.requests;
    self->first = next_buffer[id];
    if (self->first == NONE) self->last = NONE;
    ring_return(&ring, id);
    --buffers_out;
    if (cqe->res != buffer_length[id]) {
        self->failed = 1;
        shutdown(fd, SHUT_RDWR);  // ends the armed receive
    }
    while (self->failed && self->first != NONE) {
        unsigned const dropped = self->first;
        self->first = next_buffer[dropped];
        ring_return(&ring, dropped);
        --buffers_out;
    }
    if (self->first != NONE) send_first(fd);
    close_when_done(fd);
}

int main(int argc, char** argv) {
    int const listener = bare_listen(argc, argv);
    connections = bare_zeroed(bare_descriptor_limit() * sizeof *connections);
    ring_open(&ring, listener);
    while (!bare_stop) {
        ring_turn(&ring);
        struct io_uring_cqe* cqe;
        unsigned head;
        unsigned seen = 0;
        io_uring_for_each_cqe(&ring.ring, head, cqe) {
            ++seen;
            switch (tag_kind(cqe->user_data)) {
                case KIND_ACCEPT:
                    on_accept(cqe);
                    break;
                case KIND_RECEIVE:
                    on_receive(cqe);
                    break;
                case KIND_SEND:
                    on_send(cqe);
                    break;
                default:
                    break;
            }
        }
        io_uring_cq_advance(&ring.ring, seen);
        if (buffers_out < RING_BUFFER_COUNT) ring_feed_starved(&ring);
    }
    bare_report();
    return 0;
}
