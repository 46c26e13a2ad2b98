// What the epoll driver knows of each descriptor: who waits on it and what it was last told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rill/rt/request.hpp"

namespace rill {

/// The descriptors of one core's driver, by number, and the requests that wait on each in the order
/// of their start.
///
/// Bounds: an entry (16 bytes) for each number up to the highest that was used, which the
/// process's limit of descriptors bounds; a place (16 bytes) for each request that waits. Both are
/// kept for reuse, so that nothing is allocated once a core has had its most.
class epoll_table {
public:
    static constexpr std::uint32_t none = 0xffff'ffff;

    /// How the kernel's set has a descriptor.
    enum class membership : std::uint8_t {
        none,
        polled,   // once, for what the polls that wait on it want; maybe not any more
        watched,  // with every event and edge-triggered, until it is closed
    };

    /// What a descriptor is, as far as it was asked.
    enum class kind : std::uint8_t {
        unknown,
        tcp,  // a read that brings less than was asked for has emptied it (epoll(7))
        other,
    };

    struct entry {
        std::uint32_t first = none;    // place of the request that has waited longest
        std::uint32_t generation = 0;  // changes when the number goes to another descriptor
        membership in_set = membership::none;
        bool tells_room = false;  // room to send is among the events
        bool input = false;       // something may be there to be read or accepted
        kind of = kind::unknown;
        bool out_of_the_ordinary = false;  // an end, an error or urgent data: read until told so
    };

    /// The entry of a number that has one.
    [[nodiscard]] entry* find(int descriptor) noexcept {
        auto const index = static_cast<std::size_t>(descriptor);
        return index < entries_.size() ? &entries_[index] : nullptr;
    }
    /// The entry of a number, made when needed; that invalidates other references. Throws
    /// std::bad_alloc.
    [[nodiscard]] entry& need(int descriptor);
    /// The number belongs to another descriptor, or to none, from now on.
    void forget(entry& which) noexcept;

    /// Puts `what` behind those that wait on its descriptor. Throws std::bad_alloc.
    void link(entry& on, request& what);
    /// Takes it from there; nothing where it does not wait.
    void unlink(request& what) noexcept;
    [[nodiscard]] bool linked(request const& what) noexcept;

    [[nodiscard]] request& what(std::uint32_t place) const noexcept { return *places_[place].what; }
    [[nodiscard]] std::uint32_t next(std::uint32_t place) const noexcept {
        return places_[place].next;
    }

private:
    struct waiter {
        request* what = nullptr;
        std::uint32_t next = none;
    };

    std::vector<entry> entries_;
    std::vector<waiter> places_;
    std::uint32_t free_place_ = none;
};

}  // namespace rill
