// Replaces malloc and mmap by functions that count and then call the C library's own.
#include "support/memory_count.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

// The names under which glibc keeps its own functions for programs that replace the public ones.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);
}

namespace {

constinit std::atomic<std::size_t> requests{0};
constinit std::atomic<std::ptrdiff_t> held{0};

void* count(void* memory) noexcept {
    requests.fetch_add(1, std::memory_order_relaxed);
    if (memory != nullptr) held.fetch_add(1, std::memory_order_relaxed);
    return memory;
}

}  // namespace

std::size_t rill::test::memory_requests() noexcept {
    return requests.load(std::memory_order_relaxed);
}
std::ptrdiff_t rill::test::memory_held() noexcept {
    return held.load(std::memory_order_relaxed);
}

extern "C" {

void* malloc(std::size_t size) noexcept {
    return count(__libc_malloc(size));
}
void* calloc(std::size_t number, std::size_t size) noexcept {
    return count(__libc_calloc(number, size));
}
void* realloc(void* memory, std::size_t size) noexcept {
    requests.fetch_add(1, std::memory_order_relaxed);
    void* const moved = __libc_realloc(memory, size);
    if (memory == nullptr && moved != nullptr) held.fetch_add(1, std::memory_order_relaxed);
    return moved;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    return count(__libc_memalign(alignment, size));
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
    return count(__libc_memalign(alignment, size));
}
int posix_memalign(void** into, std::size_t alignment, std::size_t size) noexcept {
    *into = count(__libc_memalign(alignment, size));
    return *into == nullptr ? ENOMEM : 0;
}
void free(void* memory) noexcept {
    if (memory != nullptr) held.fetch_sub(1, std::memory_order_relaxed);
    __libc_free(memory);
}

void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
    auto const made = ::syscall(SYS_mmap, at, size, protection, flags, file, offset);
    return count(made == -1 ? MAP_FAILED : reinterpret_cast<void*>(made));
}
int munmap(void* at, std::size_t size) noexcept {
    held.fetch_sub(1, std::memory_order_relaxed);
    return static_cast<int>(::syscall(SYS_munmap, at, size));
}

}  // extern "C"
