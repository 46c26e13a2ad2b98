// Registers a set of receive buffers with a ring. io_uring_register_buf_ring(3).
#include "uring_buffers.hpp"

#include <sys/mman.h>

#include <cerrno>

namespace rill {

uring_buffers::uring_buffers(std::uint32_t count, std::uint32_t copies, std::uint32_t bytes_each)
    : buffers_(count, copies, bytes_each) {}

uring_buffers::~uring_buffers() {
    if (names_ != nullptr) ::munmap(names_, bytes_);
}

int uring_buffers::attach(io_uring& to, std::uint16_t group) noexcept {
    std::uint32_t const count = buffers_.ring_count();
    // The ring of buffer names is shared with the kernel and starts on a page.
    bytes_ = count * sizeof(io_uring_buf);
    void* const memory =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return ENOMEM;
    names_ = static_cast<io_uring_buf_ring*>(memory);
    io_uring_buf_reg registration{};
    registration.ring_addr = reinterpret_cast<std::uintptr_t>(memory);
    registration.ring_entries = count;
    registration.bgid = group;
    if (int const code = io_uring_register_buf_ring(&to, &registration, 0); code != 0) return -code;
    io_uring_buf_ring_init(names_);
    mask_ = io_uring_buf_ring_mask(count);
    buffers_.attach(*this);
    return 0;
}

}  // namespace rill
