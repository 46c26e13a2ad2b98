// per_core<T>: one T for each core, each on cache lines of its own.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "rill/base/assert.hpp"
#include "rill/rt/core.hpp"

namespace rill {

/// One `T` for each core of a `run_per_core`, made by the core itself when it first asks.
///
/// Each is made on its core's thread, so its memory is near that CPU, and shares no cache line with
/// another. It may be made before the cores are; a `T` whose core has ended lives on until `reset`
/// or the end of the per_core, so that totals can be read after the run.
///
/// Core  `local` and `reset` from any core; the rest where each says. Where a `T` holds what
/// belongs
///       to its core (a stream, an event), the core calls `reset` before it ends.
/// Cost  8 KiB for the table, one allocation for each `T`.
template <class T>
class per_core {
public:
    /// As many cores as a `run_per_core` can have.
    static constexpr std::uint32_t most_cores = 1024;

    /// Each `T` is value-initialised.
    per_core()
        requires std::default_initializable<T>
        : per_core([] { return T(); }) {}
    /// Each `T` is what `make()` gives, or `make(index)` where it takes one. `make` is called on
    /// the cores, from several at once.
    template <class Factory>
        requires std::is_invocable_r_v<T, Factory const&> ||
                 std::is_invocable_r_v<T, Factory const&, std::uint32_t>
    explicit per_core(Factory make) : make_(adapt(std::move(make))) {}
    per_core(per_core const&) = delete;
    per_core& operator=(per_core const&) = delete;
    /// No core may use it any more.
    ~per_core() {
        for (auto& place : *slots_) delete place.load(std::memory_order_acquire);
    }

    /// This core's `T`.
    [[nodiscard]] T& local() {
        std::uint32_t const index = core::current().index();
        slot* here = place_of(index).load(std::memory_order_relaxed);
        if (here == nullptr) [[unlikely]] {
            here = new slot(make_, index);
            // Two runs that share it would have two cores of one index.
            slot* none = nullptr;
            bool const alone = place_of(index).compare_exchange_strong(none, here);
            RILL_ASSERT(alone, "a per_core belongs to one run_per_core at a time");
        }
        return here->value;
    }

    /// The `T` of core `index`, or null where that core has not asked for it yet.
    /// Core: only that core itself, or any thread while no core uses its own (`T` atomic: any
    /// time).
    [[nodiscard]] T* find(std::uint32_t index) noexcept {
        slot* const there = place_of(index).load(std::memory_order_acquire);
        return there != nullptr ? &there->value : nullptr;
    }
    /// The `T` of core `index`, which must exist. Core: as for `find`.
    [[nodiscard]] T& on(std::uint32_t index) noexcept {
        T* const there = find(index);
        RILL_ASSERT(there != nullptr, "this core has not made its T: use find, or for_each");
        return *there;
    }
    /// Calls `visit(T&)` for each `T` that exists, by rising index. Core: as for `find`.
    template <class Visitor>
    void for_each(Visitor&& visit) {
        for (auto& place : *slots_) {
            if (slot* const there = place.load(std::memory_order_acquire)) visit(there->value);
        }
    }
    /// Destroys this core's `T`; the next `local` makes a new one.
    void reset() noexcept {
        delete place_of(core::current().index()).exchange(nullptr, std::memory_order_acq_rel);
    }

private:
    static constexpr std::size_t cache_line_bytes = 64;
    static constexpr std::size_t alignment = std::max(cache_line_bytes, alignof(T));
    using factory = std::function<T(std::uint32_t)>;

    // Aligned to a cache line, and therefore a whole number of them long.
    struct alignas(alignment) slot {
        slot(factory const& make, std::uint32_t index) : value(make(index)) {}
        T value;
    };

    template <class Factory>
    static factory adapt(Factory make) {
        if constexpr (std::is_invocable_r_v<T, Factory const&, std::uint32_t>) {
            return make;
        } else {
            return [make = std::move(make)](std::uint32_t) -> T { return make(); };
        }
    }
    std::atomic<slot*>& place_of(std::uint32_t index) noexcept {
        RILL_ASSERT(index < most_cores, "a run_per_core has at most 1024 cores");
        return (*slots_)[index];
    }

    factory make_;
    std::unique_ptr<std::array<std::atomic<slot*>, most_cores>> slots_ =
        std::make_unique<std::array<std::atomic<slot*>, most_cores>>();
};

}  // namespace rill
