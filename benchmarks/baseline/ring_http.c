// A bare io_uring HTTP server: multishot receive into a ring of buffers, one batched ring send for
// all blank lines of a read, no completion for a send that worked (the answer is a constant).
// A peer that pipelines and does not read can get torn answers: nothing here waits for a send.
#include <errno.h>

#include "bare.h"
#include "ring.h"

static struct bare_ring ring;
static uint8_t* matched;  // by descriptor: bytes of the next blank line seen so far

static void send_answers(int fd, unsigned count) {
    while (count != 0) {
        unsigned const batch = count < BARE_ANSWERS_PER_SEND ? count : BARE_ANSWERS_PER_SEND;
        struct io_uring_sqe* entry = ring_entry(&ring);
        io_uring_prep_send(entry, fd, bare_answers, (size_t)batch * BARE_ANSWER_SIZE, MSG_WAITALL);
        entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
        io_uring_sqe_set_data64(entry, tag(KIND_SEND, 0, fd));
        count -= batch;
    }
}

static void on_accept(struct io_uring_cqe const* cqe) {
    if ((cqe->flags & IORING_CQE_F_MORE) == 0) ring.accept_armed = 0;
    if (cqe->res >= 0) {
        matched[cqe->res] = 0;
        ring_arm_receive(&ring, cqe->res);
    }
    // Out of descriptors: ring_close arms it again.
    if (!ring.accept_armed && cqe->res != -EMFILE && cqe->res != -ENFILE) ring_arm_accept(&ring);
}

static void on_receive(struct io_uring_cqe const* cqe) {
    int const fd = tag_fd(cqe->user_data);
    if (cqe->res > 0) {
        unsigned const id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
        unsigned const count =
            bare_blank_lines(ring_buffer(&ring, id), (size_t)cqe->res, &matched[fd]);
        ring_return(&ring, id);
        bare_counters.requests += count;
        send_answers(fd, count);
        if ((cqe->flags & IORING_CQE_F_MORE) == 0) ring_arm_receive(&ring, fd);
    } else if (cqe->res == -ENOBUFS) {
        ring_starve(&ring, fd);
    } else if ((cqe->flags & IORING_CQE_F_MORE) == 0) {
        ring_close(&ring, fd);
    }
}

int main(int argc, char** argv) {
    int const listener = bare_listen(argc, argv);
    matched = bare_zeroed(bare_descriptor_limit());
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
                default:
                    break;  // a failed send: the receive sees it too; a close
            }
        }
        io_uring_cq_advance(&ring.ring, seen);
        ring_feed_starved(&ring);
    }
    bare_report();
    return 0;
}
