// The descriptors of one core's epoll driver.
#include "epoll_table.hpp"

#include <algorithm>

namespace rill {

namespace {

constexpr std::size_t fewest_entries = 64;

}  // namespace

epoll_table::entry& epoll_table::need(int descriptor) {
    auto const index = static_cast<std::size_t>(descriptor);
    if (index >= entries_.size()) {
        entries_.resize(std::max({index + 1, entries_.size() * 2, fewest_entries}));
    }
    return entries_[index];
}

void epoll_table::forget(entry& which) noexcept {
    which = {.first = which.first, .generation = which.generation + 1};
}

void epoll_table::link(entry& on, request& what) {
    if (free_place_ == none) {
        places_.emplace_back();
        free_place_ = static_cast<std::uint32_t>(places_.size() - 1);
    }
    std::uint32_t const taken = free_place_;
    free_place_ = places_[taken].next;
    places_[taken] = {.what = &what};
    // Nearly always the only one; a stream that is read and written has two.
    std::uint32_t* at = &on.first;
    while (*at != none) at = &places_[*at].next;
    *at = taken;
}

void epoll_table::unlink(request& what) noexcept {
    entry* const on = find(what.descriptor());
    if (on == nullptr) return;
    for (std::uint32_t* at = &on->first; *at != none; at = &places_[*at].next) {
        std::uint32_t const found = *at;
        if (places_[found].what != &what) continue;
        *at = places_[found].next;
        places_[found] = {.what = nullptr, .next = free_place_};
        free_place_ = found;
        return;
    }
}

bool epoll_table::linked(request const& what) noexcept {
    entry const* const on = find(what.descriptor());
    if (on == nullptr) return false;
    for (std::uint32_t at = on->first; at != none; at = places_[at].next) {
        if (places_[at].what == &what) return true;
    }
    return false;
}

}  // namespace rill
