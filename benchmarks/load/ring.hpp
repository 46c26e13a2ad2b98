// The load generator's ring: multishot receive into a ring of buffers, batched sends. It shares no
// code with the servers that it measures.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <liburing.h>

#include "clocks.hpp"

namespace load {

/// One completion of a receive, or a send that failed.
struct event {
    std::size_t connection = 0;
    int result = 0;                ///< bytes, 0 at the end of the stream, or -errno
    std::span<char const> data{};  ///< valid until the handler returns
    bool armed = false;            ///< the receive goes on
};

class ring {
public:
    /// `answer_bytes` is what one answer has, about: it is to fit one buffer where it can.
    explicit ring(std::size_t answer_bytes = 0);
    ring(ring const&) = delete;
    ring& operator=(ring const&) = delete;
    ~ring();

    void receive(std::size_t connection, int fd);

    /// `data` lives until the answer has come; only a failure makes a completion.
    void send(std::size_t connection, int fd, std::span<char const> data);

    /// Submits, waits for a completion or for `limit`, hands out all that are there.
    template <class Handler>
    void turn(nanoseconds limit, Handler&& handler) {
        wait(limit);
        drain(handler);
    }

    /// Submits what is queued and hands out completions that are there, without waiting.
    template <class Handler>
    void poll(Handler&& handler) {
        poll_kernel();
        drain(handler);
    }

private:
    static constexpr std::size_t memory_size = std::size_t{8} << 20;
    static constexpr unsigned small_size = 4096;
    static constexpr unsigned large_size = 16384;
    static constexpr unsigned largest_size = 131072;
    static constexpr std::uint64_t send_bit = std::uint64_t{1} << 63;

    void wait(nanoseconds limit);
    void poll_kernel();
    [[nodiscard]] io_uring_sqe* entry();
    void give_back(unsigned id);

    [[nodiscard]] char* buffer(unsigned id) {
        return memory_.data() + std::size_t{id} * buffer_size_;
    }

    template <class Handler>
    void drain(Handler& handler) {
        io_uring_cqe* cqe = nullptr;
        unsigned head = 0;
        unsigned seen = 0;
        io_uring_for_each_cqe(&ring_, head, cqe) {
            ++seen;
            event occurred{.connection = static_cast<std::size_t>(cqe->user_data & ~send_bit),
                           .result = cqe->res};
            if ((cqe->user_data & send_bit) != 0) {
                occurred.armed = true;
                handler(occurred);
                continue;
            }
            occurred.armed = (cqe->flags & IORING_CQE_F_MORE) != 0;
            if (cqe->res <= 0) {
                handler(occurred);
                continue;
            }
            auto const id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
            occurred.data = {buffer(id), static_cast<std::size_t>(cqe->res)};
            handler(occurred);
            give_back(id);
        }
        io_uring_cq_advance(&ring_, seen);
    }

    io_uring ring_{};
    io_uring_buf_ring* entries_ = nullptr;
    unsigned buffer_size_;
    unsigned buffer_count_;
    std::vector<char> memory_;
};

}  // namespace load
