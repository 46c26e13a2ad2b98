// One acceptor for all cores, which hands each connection to the least busy core.
#include "rill/io/shared_listener.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "rill/coro/event.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/run.hpp"
#include "rt/driver.hpp"
#include "rt/mailbox.hpp"

namespace rill::tcp {

namespace detail {

/// What the cores share. A seat's queue and event belong to its core; the rest to all.
class hand_out {
public:
    struct seat {
        std::atomic<std::uint32_t> open = 0;
        std::atomic<bool> taken = false;  // the core serves
        std::shared_ptr<mailbox> box;     // set before `taken`
        std::deque<int> waiting;
        event arrived;
    };

    hand_out(std::string_view at, listener_options const& with) : address_text(at), options(with) {
        // As many as there can be: cores are not known before they run.
        seats.resize(most_cores);
    }

    seat& at(std::uint32_t core) {
        std::lock_guard const lock(mutex);
        auto& found = seats[core];
        if (!found) found = std::make_unique<seat>();
        if (core >= used) used = core + 1;
        return *found;
    }
    seat* find(std::uint32_t core) {
        std::lock_guard const lock(mutex);
        return seats[core].get();
    }

    static constexpr std::uint32_t most_cores = 1024;

    std::string const address_text;
    listener_options const options;
    std::mutex mutex;
    std::condition_variable listening;
    address bound;
    std::exception_ptr failure;
    std::vector<std::unique_ptr<seat>> seats;
    std::uint32_t used = 0;
};

counted_place::~counted_place() {
    if (of_ == nullptr) return;
    if (auto* const seat = of_->find(core_)) seat->open.fetch_sub(1, std::memory_order_relaxed);
}

namespace {

/// A connection on its way to its core. Owns itself.
class handed_connection final : public message {
public:
    handed_connection(std::shared_ptr<hand_out> of, std::uint32_t core, int descriptor)
        : of_(std::move(of)), core_(core), descriptor_(descriptor) {}

private:
    void run() noexcept override {
        auto& seat = *of_->find(core_);
        if (seat.taken.load(std::memory_order_relaxed)) {
            seat.waiting.push_back(descriptor_);
            seat.arrived.set();
        } else {
            core::current().io().close(descriptor_);
            seat.open.fetch_sub(1, std::memory_order_relaxed);
        }
        delete this;
    }

    std::shared_ptr<hand_out> of_;
    std::uint32_t core_;
    int descriptor_;
};

}  // namespace

}  // namespace detail

shared_listener::shared_listener(std::string_view at, listener_options const& options)
    : state_(std::make_shared<detail::hand_out>(at, options)) {
    auto const parsed = address::parse(at);
    if (!parsed) {
        throw error(parsed.error(), "listen on", at,
                    "write it as :8080, 127.0.0.1:80, [::1]:80 or unix:/path");
    }
}

shared_listener::~shared_listener() = default;

address shared_listener::local_address() const {
    std::unique_lock lock(state_->mutex);
    state_->listening.wait(
        lock, [this] { return state_->bound.kind() != address::family::none || state_->failure; });
    if (state_->failure) std::rethrow_exception(state_->failure);
    return state_->bound;
}

void shared_listener::enter_core() {
    core& home = core::current();
    auto& seat = state_->at(home.index());
    RILL_ASSERT(!seat.taken, "serve a shared_listener once on each core");
    seat.box = home.post_box();
    seat.taken.store(true, std::memory_order_release);
}

void shared_listener::leave_core() noexcept {
    core& home = core::current();
    auto& seat = *state_->find(home.index());
    seat.taken.store(false, std::memory_order_release);
    for (int const descriptor : seat.waiting) {
        home.io().close(descriptor);
        seat.open.fetch_sub(1, std::memory_order_relaxed);
    }
    seat.waiting.clear();
}

detail::counted_place shared_listener::place() const noexcept {
    return {state_, core::current().index()};
}

task<stream> shared_listener::next() {
    core& home = core::current();
    auto& seat = *state_->find(home.index());
    while (seat.waiting.empty()) {
        seat.arrived.reset();
        co_await seat.arrived.wait();
    }
    int const descriptor = seat.waiting.front();
    seat.waiting.pop_front();
    co_return stream::adopt(home, descriptor, state_->options.stream);
}

task<> shared_listener::accept_and_hand_out() {
    if (core::current().index() != 0) co_return;
    std::optional<listener> from;
    try {
        from.emplace(state_->address_text, state_->options);
    } catch (...) {
        std::lock_guard const lock(state_->mutex);
        state_->failure = std::current_exception();
    }
    state_->listening.notify_all();
    if (!from) std::rethrow_exception(state_->failure);
    {
        std::lock_guard const lock(state_->mutex);
        state_->bound = from->local_address();
    }
    state_->listening.notify_all();
    for (;;) {
        stream peer = co_await from->accept();
        std::uint32_t best = 0;
        std::uint32_t fewest = UINT32_MAX;
        for (std::uint32_t i = 0; i < core_count(); ++i) {
            auto* const seat = state_->find(i);
            if (seat == nullptr || !seat->taken.load(std::memory_order_acquire)) continue;
            std::uint32_t const open = seat->open.load(std::memory_order_relaxed);
            if (open < fewest) {
                fewest = open;
                best = i;
            }
        }
        auto& seat = *state_->find(best);
        seat.open.fetch_add(1, std::memory_order_relaxed);
        int const descriptor = peer.take_descriptor();
        auto* const handed = new detail::handed_connection(state_, best, descriptor);
        if (seat.box->deliver(*handed)) continue;
        delete handed;
        seat.open.fetch_sub(1, std::memory_order_relaxed);
        core::current().io().close(descriptor);
    }
}

}  // namespace rill::tcp
