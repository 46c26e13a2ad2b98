// Signals: one handler for the process that marks a bit and delivers a message to each core that
// waits. The handler touches atomics and a core's mailbox only, which are async-signal-safe.
#include "rill/rt/signals.hpp"

#include <sched.h>

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <memory>
#include <mutex>

#include "core_set.hpp"
#include "mailbox.hpp"
#include "rill/base/error.hpp"
#include "rill/rt/core.hpp"

namespace rill {

namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a handler may take no lock");
static_assert(std::atomic<void*>::is_always_lock_free, "a handler may take no lock");

constexpr int signal_count = 64;

}  // namespace

namespace detail {

/// What one core has to do with signals, from its first watch to its last.
///
/// Invariant: linked into `first_inbox` while it has watches, and freed only when no handler runs
/// that may have seen it there and its message has come back.
class signal_inbox final : public message {
public:
    explicit signal_inbox(core& of) noexcept : box_(of.post_box()), siblings_(of.siblings()) {}

    /// From the handler.
    void notify(std::uint64_t bit) noexcept {
        if (siblings_ != nullptr) siblings_->signals_seen().fetch_or(bit);
        pending_.fetch_or(bit, std::memory_order_seq_cst);
        if (queued_.exchange(true, std::memory_order_seq_cst)) return;
        // A core that has gone waits for nothing any more.
        [[maybe_unused]] bool const delivered = box_->deliver(*this);
    }

    static signal_inbox& join(signal_watch& watch);
    void leave(signal_watch& watch) noexcept;

    std::atomic<signal_inbox*> next{nullptr};

private:
    void run() noexcept override {
        queued_.store(false, std::memory_order_seq_cst);
        std::uint64_t const bits = pending_.exchange(0, std::memory_order_seq_cst);
        if (first_ == nullptr) {
            delete this;  // the last watch went while the message was on its way
            return;
        }
        for (signal_watch* each = first_; each != nullptr; each = each->next_) {
            each->arrived(bits & each->which_);
        }
    }

    std::shared_ptr<mailbox> box_;
    core_set* siblings_;  // outlives the core
    std::atomic<std::uint64_t> pending_ = 0;
    std::atomic<bool> queued_ = false;
    signal_watch* first_ = nullptr;  // the core's own
};

}  // namespace detail

namespace {

using detail::signal_inbox;

// Read by the handler; changed under `registry().mutex` only.
std::atomic<signal_inbox*> first_inbox{nullptr};
std::atomic<std::uint32_t> handlers_running{0};

extern "C" void rill_signal_arrived(int number) {
    int const saved = errno;
    handlers_running.fetch_add(1, std::memory_order_seq_cst);
    for (signal_inbox* each = first_inbox.load(std::memory_order_seq_cst); each != nullptr;
         each = each->next.load(std::memory_order_seq_cst)) {
        each->notify(std::uint64_t{1} << (number - 1));
    }
    handlers_running.fetch_sub(1, std::memory_order_seq_cst);
    errno = saved;
}

/// Who is in the list and which dispositions were changed.
struct signal_registry {
    struct disposition {
        std::uint32_t watches = 0;
        struct sigaction before = {};
    };
    std::mutex mutex;
    std::array<disposition, signal_count> of;

    void install(std::uint64_t bits);
    void restore(std::uint64_t bits) noexcept;
};

// Never destroyed: cores may run in threads that outlive main.
signal_registry& registry() {
    static auto& instance = *new signal_registry;
    return instance;
}

bool tells_of_a_fault(int number) noexcept {
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL;
}

void signal_registry::install(std::uint64_t bits) {
    std::uint64_t done = 0;
    for (std::uint64_t left = bits; left != 0; left &= left - 1) {
        int const index = std::countr_zero(left);
        disposition& entry = of[static_cast<std::size_t>(index)];
        int failure = 0;
        if (entry.watches == 0) {
            struct sigaction action{};
            action.sa_handler = rill_signal_arrived;
            action.sa_flags = SA_RESTART;  // other threads' blocking calls go on
            ::sigfillset(&action.sa_mask);
            if (tells_of_a_fault(index + 1)) {
                failure = EINVAL;
            } else if (::sigaction(index + 1, &action, &entry.before) != 0) {
                failure = errno;
            }
        }
        if (failure != 0) {
            restore(done);
            throw error(system_error(failure), "wait_signal", std::to_string(index + 1),
                        "this signal cannot be waited for");
        }
        ++entry.watches;
        done |= left & (~left + 1);
    }
}

void signal_registry::restore(std::uint64_t bits) noexcept {
    for (; bits != 0; bits &= bits - 1) {
        int const index = std::countr_zero(bits);
        disposition& entry = of[static_cast<std::size_t>(index)];
        if (--entry.watches != 0) continue;
        // Somebody may have set a handler of their own meanwhile, which then stays.
        struct sigaction now{};
        ::sigaction(index + 1, nullptr, &now);
        if (now.sa_handler == rill_signal_arrived) ::sigaction(index + 1, &entry.before, nullptr);
    }
}

}  // namespace

signal_inbox& signal_inbox::join(signal_watch& watch) {
    signal_registry& all = registry();
    std::lock_guard const lock(all.mutex);
    core& here = core::current();
    signal_inbox*& of_core = here.signals();
    bool const is_new = of_core == nullptr;
    std::unique_ptr<signal_inbox> made;
    if (is_new) made = std::make_unique<signal_inbox>(here);
    all.install(watch.which_);
    if (is_new) {
        of_core = made.release();
        of_core->next.store(first_inbox.load(), std::memory_order_seq_cst);
        first_inbox.store(of_core, std::memory_order_seq_cst);
    }
    signal_inbox& inbox = *of_core;
    watch.next_ = inbox.first_;
    if (inbox.first_ != nullptr) inbox.first_->previous_ = &watch;
    inbox.first_ = &watch;

    // What came to another core before this one had begun to watch: a stop that arrives while cores
    // start would be missed by the late ones, which would then never end. Looked at after the inbox
    // is in the list: a signal of just now may be told twice, but is not lost.
    std::uint64_t const first_time = watch.which_ & ~here.signals_watched();
    here.signals_watched() |= watch.which_;
    if (here.siblings() != nullptr) {
        watch.collected_ |= first_time & here.siblings()->signals_seen().load();
    }
    return inbox;
}

void signal_inbox::leave(signal_watch& watch) noexcept {
    signal_registry& all = registry();
    std::lock_guard const lock(all.mutex);
    all.restore(watch.which_);
    if (watch.next_ != nullptr) watch.next_->previous_ = watch.previous_;
    (watch.previous_ != nullptr ? watch.previous_->next_ : first_) = watch.next_;
    if (first_ != nullptr) return;

    core::current().signals() = nullptr;
    std::atomic<signal_inbox*>* place = &first_inbox;
    while (place->load() != this) place = &place->load()->next;
    place->store(next.load(), std::memory_order_seq_cst);
    // A handler that began before may still hold it. On this thread it would have finished.
    while (handlers_running.load(std::memory_order_seq_cst) != 0) ::sched_yield();
    if (!queued_.load(std::memory_order_seq_cst)) delete this;
}

signal_watch::signal_watch(signal_set which)
    : which_(which.bits()), inbox_(&detail::signal_inbox::join(*this)) {}

signal_watch::~signal_watch() {
    RILL_ASSERT(waiter_ == nullptr, "a signal_watch outlives its waits");
    inbox_->leave(*this);
}

int signal_watch::take() noexcept {
    if (collected_ == 0) return 0;
    int const number = std::countr_zero(collected_) + 1;
    collected_ &= collected_ - 1;
    return number;
}

void signal_watch::arrived(std::uint64_t bits) noexcept {
    collected_ |= bits;
    if (waiter_ == nullptr || collected_ == 0) return;
    signal_operation& waiter = *waiter_;
    waiter_ = nullptr;
    waiter.given_ = take();
    waiter.set_result(waiter.given_);
    waiter.complete();
}

signal_operation::~signal_operation() {
    if (given_ != 0 && !own_) watch_->collected_ |= std::uint64_t{1} << (given_ - 1);
}

bool signal_operation::start() noexcept {
    if (watch_ == nullptr) {
        try {
            watch_ = &own_.emplace(which_);
        } catch (error const& failure) {
            set_result(failure.code());
            return false;
        } catch (...) {
            set_result(std::make_error_code(std::errc::not_enough_memory));
            return false;
        }
    }
    RILL_ASSERT(watch_->waiter_ == nullptr, "one wait on a signal_watch at a time");
    given_ = watch_->take();
    if (given_ != 0) {
        set_result(given_);
        return false;
    }
    watch_->waiter_ = this;
    return true;
}

void signal_operation::cancel(cancel_reason) noexcept {
    watch_->waiter_ = nullptr;
    set_result(errc::cancelled);
    complete();
}

}  // namespace rill
