// Preloaded into a server: counts allocations into a file that another process reads at any moment.
//
// MALLOC_COUNT_FILE names the file; it is mapped shared and holds four 64-bit counters: allocations
// (malloc, calloc, realloc, aligned_alloc, memalign, posix_memalign), frees of something, mmaps,
// munmaps. Calls that bypass the C library's names (raw system calls) are not seen.
// Meson sets it, and the headers would then turn the name mmap into mmap64.
#undef _FILE_OFFSET_BITS

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);

struct counters {
    _Atomic uint64_t allocations;
    _Atomic uint64_t frees;
    _Atomic uint64_t maps;
    _Atomic uint64_t unmaps;
};

static struct counters before_start;
static struct counters* counters = &before_start;

static void* raw_map(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
    return (void*)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

__attribute__((constructor)) static void open_counters(void) {
    char const* name = getenv("MALLOC_COUNT_FILE");
    if (name == NULL) return;
    int const fd = open(name, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void* memory =
        raw_map(NULL, sizeof(struct counters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory != MAP_FAILED) counters = memory;
}

static void add(_Atomic uint64_t* counter) {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

#define EXPORT __attribute__((visibility("default")))

EXPORT void* malloc(size_t size) {
    add(&counters->allocations);
    return __libc_malloc(size);
}

EXPORT void* calloc(size_t count, size_t size) {
    add(&counters->allocations);
    return __libc_calloc(count, size);
}

EXPORT void* realloc(void* memory, size_t size) {
    add(&counters->allocations);
    return __libc_realloc(memory, size);
}

EXPORT void* memalign(size_t alignment, size_t size) {
    add(&counters->allocations);
    return __libc_memalign(alignment, size);
}

EXPORT void* aligned_alloc(size_t alignment, size_t size) {
    add(&counters->allocations);
    return __libc_memalign(alignment, size);
}

EXPORT int posix_memalign(void** result, size_t alignment, size_t size) {
    add(&counters->allocations);
    void* memory = __libc_memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}

EXPORT void free(void* memory) {
    if (memory != NULL) add(&counters->frees);
    __libc_free(memory);
}

EXPORT void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
    add(&counters->maps);
    return raw_map(at, size, protection, flags, fd, offset);
}

EXPORT void* mmap64(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
    add(&counters->maps);
    return raw_map(at, size, protection, flags, fd, offset);
}

EXPORT int munmap(void* at, size_t size) {
    add(&counters->unmaps);
    return (int)syscall(SYS_munmap, at, size);
}
