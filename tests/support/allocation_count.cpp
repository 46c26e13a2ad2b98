// Replaces operator new by one that counts; under TSan, which brings its own, it is asked to tell.
#include "support/allocation_count.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define RILL_UNDER_TSAN 1
#endif
#endif
#ifdef RILL_UNDER_TSAN
#include <sanitizer/allocator_interface.h>
#endif

namespace {

std::atomic<std::size_t> count{0};

#ifdef RILL_UNDER_TSAN

void note(void const volatile*, std::size_t) {
    count.fetch_add(1, std::memory_order_relaxed);
}
void ignore(void const volatile*) {}
[[maybe_unused]] int const installed = __sanitizer_install_malloc_and_free_hooks(note, ignore);

#else

void* counted_or_null(std::size_t size) noexcept {
    count.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(size == 0 ? 1 : size);
}
void* counted(std::size_t size) {
    if (void* const memory = counted_or_null(size)) return memory;
    throw std::bad_alloc();
}

#endif

}  // namespace

std::size_t rill::test::allocation_count() noexcept {
    return count.load(std::memory_order_relaxed);
}

#ifndef RILL_UNDER_TSAN

void* operator new(std::size_t size) {
    return counted(size);
}
void* operator new[](std::size_t size) {
    return counted(size);
}
// All forms or none: a sanitizer's own form would not match the delete below.
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
    return counted_or_null(size);
}
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept {
    return counted_or_null(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

#endif
