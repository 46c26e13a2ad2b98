// The load generator's ring; see ring.hpp.
#include "ring.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <sys/socket.h>

#include "failure.hpp"

namespace load {
namespace {

void require(int result, char const* what) {
    if (result < 0) throw failure(std::string(what) + ": " + std::strerror(-result));
}

constexpr std::size_t entries_bytes(unsigned count) {
    return count * sizeof(io_uring_buf);
}

}  // namespace

ring::ring(std::size_t answer_bytes)
    : buffer_size_(answer_bytes > large_size       ? largest_size
                   : answer_bytes > small_size / 2 ? large_size
                                                   : small_size),
      buffer_count_(static_cast<unsigned>(memory_size / buffer_size_)),
      memory_(memory_size) {
    io_uring_params params{};
    params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                   IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE |
                   IORING_SETUP_CLAMP;
    params.cq_entries = 8192;
    require(io_uring_queue_init_params(2048, &ring_, &params), "io_uring_setup");
    require(io_uring_register_ring_fd(&ring_), "io_uring_register_ring_fd");
    void* entries = mmap(nullptr, entries_bytes(buffer_count_), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (entries == MAP_FAILED) throw failure("no memory for the buffer ring");
    entries_ = static_cast<io_uring_buf_ring*>(entries);
    io_uring_buf_reg registration{};
    registration.ring_addr = reinterpret_cast<std::uintptr_t>(entries);
    registration.ring_entries = buffer_count_;
    require(io_uring_register_buf_ring(&ring_, &registration, 0), "io_uring_register_buf_ring");
    io_uring_buf_ring_init(entries_);
    for (unsigned id = 0; id < buffer_count_; ++id) give_back(id);
}

ring::~ring() {
    io_uring_queue_exit(&ring_);
    if (entries_ != nullptr) munmap(entries_, entries_bytes(buffer_count_));
}

void ring::give_back(unsigned id) {
    io_uring_buf_ring_add(entries_, buffer(id), buffer_size_, static_cast<unsigned short>(id),
                          static_cast<int>(buffer_count_) - 1, 0);
    io_uring_buf_ring_advance(entries_, 1);
}

io_uring_sqe* ring::entry() {
    auto* result = io_uring_get_sqe(&ring_);
    while (result == nullptr) {
        require(io_uring_submit(&ring_), "io_uring_submit");
        result = io_uring_get_sqe(&ring_);
    }
    return result;
}

void ring::receive(std::size_t connection, int fd) {
    auto* const sqe = entry();
    io_uring_prep_recv_multishot(sqe, fd, nullptr, 0, 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = 0;
    sqe->user_data = connection;
}

void ring::send(std::size_t connection, int fd, std::span<char const> data) {
    auto* const sqe = entry();
    io_uring_prep_send(sqe, fd, data.data(), data.size(), MSG_WAITALL | MSG_NOSIGNAL);
    sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
    sqe->user_data = connection | send_bit;
}

void ring::wait(nanoseconds limit) {
    __kernel_timespec timeout{};
    timeout.tv_sec = static_cast<long long>(limit / 1'000'000'000U);
    timeout.tv_nsec = static_cast<long long>(limit % 1'000'000'000U);
    io_uring_cqe* cqe = nullptr;
    auto const result = io_uring_submit_and_wait_timeout(&ring_, &cqe, 1, &timeout, nullptr);
    if (result != -ETIME && result != -EINTR) require(result, "io_uring_enter");
}

void ring::poll_kernel() {
    if (io_uring_sq_ready(&ring_) != 0) require(io_uring_submit(&ring_), "io_uring_submit");
    // Enters the kernel only where it has set the flag that says there is work to run.
    io_uring_cqe* cqe = nullptr;
    auto const result = io_uring_peek_cqe(&ring_, &cqe);
    if (result != -EAGAIN) require(result, "io_uring_enter");
}

}  // namespace load
