// The pool of coroutine frames: per thread, by size class. Tasks never change threads, so a frame
// comes back to the thread that took it.
#include "rill/rt/frame_pool.hpp"

#include <array>
#include <cstdlib>
#include <new>

#include "rill/coro/chain.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RILL_POOL_FRAMES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define RILL_POOL_FRAMES 0
#endif
#endif
#ifndef RILL_POOL_FRAMES
#define RILL_POOL_FRAMES 1
#endif

namespace rill {

namespace {

// malloc gives multiples of sixteen bytes, of which eight are its own: frames are rounded up to
// what it would give anyway. An idle connection is three of them.
constexpr std::size_t class_step = 16;
constexpr std::size_t class_first = 8;
constexpr std::size_t class_count = 256;                   // frames up to 4 KiB are pooled
constexpr std::size_t kept_bytes_per_class = 1024 * 1024;  // free frames beyond this go back

constexpr std::size_t class_of(std::size_t size) noexcept {
    return (size + class_step - class_first - 1) / class_step;
}
constexpr std::size_t bytes_of(std::size_t index) noexcept {
    return index * class_step + class_first;
}
static_assert(class_of(8) == 0 && class_of(9) == 1 && bytes_of(class_of(24)) == 24);

class frame_pool {
public:
    frame_pool() = default;
    frame_pool(frame_pool const&) = delete;
    frame_pool& operator=(frame_pool const&) = delete;
    ~frame_pool() {
        for (auto& list : free_) {
            while (list.first != nullptr) {
                auto* const node = list.first;
                list.first = node->next;
                std::free(node);
            }
        }
        closed_ = true;
    }

    void* allocate(std::size_t size) {
        std::size_t const index = class_of(size);
        if (index < class_count) [[likely]] {
            auto& list = free_[index];
            if (list.first != nullptr) [[likely]] {
                auto* const node = list.first;
                list.first = node->next;
                --list.count;
                return node;
            }
            size = bytes_of(index);
        }
        ++statistics_.taken_from_heap;
        void* const memory = std::malloc(size);
        if (memory == nullptr) throw std::bad_alloc();
        return memory;
    }

    void release(void* memory, std::size_t size) noexcept {
        std::size_t const index = class_of(size);
        if (index < class_count && !closed_) [[likely]] {
            auto& list = free_[index];
            if (list.count * bytes_of(index) < kept_bytes_per_class) [[likely]] {
                auto* const node = static_cast<free_node*>(memory);
                node->next = list.first;
                list.first = node;
                ++list.count;
                return;
            }
        }
        ++statistics_.given_to_heap;
        std::free(memory);
    }

    [[nodiscard]] frame_pool_statistics const& statistics() const noexcept { return statistics_; }

private:
    struct free_node {
        free_node* next;
    };
    struct free_list {
        free_node* first = nullptr;
        std::size_t count = 0;
    };

    std::array<free_list, class_count> free_{};
    frame_pool_statistics statistics_{};
    bool closed_ = false;
};

thread_local frame_pool pool;

}  // namespace

frame_pool_statistics frame_pool_totals() noexcept {
    return pool.statistics();
}

namespace detail {

#if RILL_POOL_FRAMES
void* allocate_frame(std::size_t size) {
    return pool.allocate(size);
}
void free_frame(void* frame, std::size_t size) noexcept {
    pool.release(frame, size);
}
#else
// Under sanitizers every frame is its own allocation: reuse would hide a use after free.
void* allocate_frame(std::size_t size) {
    return ::operator new(size);
}
void free_frame(void* frame, std::size_t size) noexcept {
    ::operator delete(frame, size);
}
#endif

}  // namespace detail

}  // namespace rill
