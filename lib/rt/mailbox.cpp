// A lock-free stack that the core takes whole and turns around.
#include "mailbox.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include "rill/base/error.hpp"

namespace rill {

namespace {

class closed_mark final : public message {
    void run() noexcept override {}
};
// Stands on the stack when the core takes no more messages.
closed_mark closed;

}  // namespace

mailbox::mailbox() : descriptor_(::eventfd(0, EFD_CLOEXEC)) {
    if (descriptor_ < 0) {
        throw error(system_error(errno), "eventfd", "a core's mailbox",
                    "raise the limit of open descriptors (ulimit -n)");
    }
}

mailbox::~mailbox() {
    ::close(descriptor_);
}

bool mailbox::deliver(message& what) noexcept {
    message* newest = newest_.load(std::memory_order_acquire);
    do {
        if (newest == &closed) return false;
        what.next_message_ = newest;
    } while (!newest_.compare_exchange_weak(newest, &what, std::memory_order_seq_cst,
                                            std::memory_order_acquire));
    // The core stores `sleeping_` before it looks at the stack, we push before we look at
    // `sleeping_`: one of the two sees the other.
    wake();
    return true;
}

void mailbox::wake() noexcept {
    if (!sleeping_.load(std::memory_order_seq_cst)) return;
    if (!sleeping_.exchange(false, std::memory_order_seq_cst)) return;
    int const saved = errno;
    std::uint64_t const one = 1;
    // Cannot fail: the counter is far from its limit and the descriptor is ours.
    [[maybe_unused]] auto const written = ::write(descriptor_, &one, sizeof one);
    errno = saved;
}

bool mailbox::prepare_to_sleep() noexcept {
    sleeping_.store(true, std::memory_order_seq_cst);
    if (newest_.load(std::memory_order_seq_cst) == nullptr) return true;
    awake();
    return false;
}

void mailbox::drain(executor& home) noexcept {
    if (empty()) return;
    post_all(newest_.exchange(nullptr, std::memory_order_acquire), home);
}

void mailbox::close(executor& home) noexcept {
    post_all(newest_.exchange(&closed, std::memory_order_acq_rel), home);
}

void mailbox::post_all(message* newest, executor& home) noexcept {
    message* oldest = nullptr;
    while (newest != nullptr) {
        message* const next = newest->next_message_;
        newest->next_message_ = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest != nullptr) {
        message* const next = oldest->next_message_;
        home.post(*oldest);
        oldest = next;
    }
}

}  // namespace rill
