// The receive buffers of one core.
#include "receive_buffers.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace rill {

void receive_buffers::memory_deleter::operator()(std::byte* memory) const noexcept {
    ::munmap(memory, size);
}

receive_buffers::receive_buffers(std::uint32_t ring_count, std::uint32_t copy_limit,
                                 std::uint32_t bytes_each)
    : ring_count_(ring_count),
      copy_limit_(copy_limit),
      bytes_each_(bytes_each),
      memory_(nullptr, {std::size_t{ring_count} * bytes_each}) {
    void* const memory = ::mmap(nullptr, memory_.get_deleter().size, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_.reset(static_cast<std::byte*>(memory));
    slots_.resize(std::size_t{ring_count} + copy_limit);
    copies_.reserve(copy_limit);
}

receive_buffers::~receive_buffers() = default;

void receive_buffers::attach(provider& to) noexcept {
    provider_ = &to;
    for (std::uint32_t i = 0; i < ring_count_; ++i) to.provide(i);
}

std::uint32_t receive_buffers::take_copy() noexcept {
    if (free_copy_ != none) {
        std::uint32_t const index = free_copy_;
        free_copy_ = slots_[index].next;
        return index;
    }
    if (copies_.size() == copy_limit_) return none;
    auto* const memory = new (std::nothrow) std::byte[bytes_each_];
    if (memory == nullptr) return none;
    copies_.emplace_back(memory);
    return ring_count_ + static_cast<std::uint32_t>(copies_.size()) - 1;
}

std::uint32_t receive_buffers::filled(std::uint32_t index, std::uint32_t size) noexcept {
    ++ring_held_;
    std::uint32_t use = index;
    if (ring_held_ > ring_count_ / 2) [[unlikely]] {
        std::uint32_t const copy = take_copy();
        if (copy != none) {
            std::memcpy(block(copy), block(index), size);
            ++copies_held_;
            --ring_held_;
            if (provider_ != nullptr) provider_->provide(index);
            use = copy;
        }
    }
    slots_[use] = {.next = none, .begin = 0, .size = size};
    return use;
}

void receive_buffers::give_back(std::uint32_t index) noexcept {
    if (index < ring_count_) [[likely]] {
        --ring_held_;
        if (provider_ != nullptr) provider_->provide(index);
    } else {
        --copies_held_;
        slots_[index].next = free_copy_;
        free_copy_ = index;
    }
    if (first_waiter_ != nullptr) [[unlikely]] {
        buffer_waiter& who = *first_waiter_;
        stop_waiting(who);
        who.buffer_returned();
    }
}

void receive_buffers::retry_waiters(bool about_to_wait) noexcept {
    if (first_waiter_ == nullptr || exhausted()) [[likely]]
        return;
    // The waiters of now: who finds no buffer again waits behind them.
    buffer_waiter* const last = last_waiter_;
    std::uint32_t left = ring_count_ - ring_held_;
    while (first_waiter_ != nullptr && (left != 0 || about_to_wait)) {
        buffer_waiter& who = *first_waiter_;
        if (left != 0) --left;
        stop_waiting(who);
        who.buffer_returned();
        if (&who == last) return;
    }
}

void receive_buffers::wait(buffer_waiter& who) noexcept {
    if (who.waiting_) return;
    who.waiting_ = true;
    who.next_ = nullptr;
    who.previous_ = last_waiter_;
    (last_waiter_ != nullptr ? last_waiter_->next_ : first_waiter_) = &who;
    last_waiter_ = &who;
}

void receive_buffers::stop_waiting(buffer_waiter& who) noexcept {
    if (!who.waiting_) return;
    who.waiting_ = false;
    (who.previous_ != nullptr ? who.previous_->next_ : first_waiter_) = who.next_;
    (who.next_ != nullptr ? who.next_->previous_ : last_waiter_) = who.previous_;
}

}  // namespace rill
