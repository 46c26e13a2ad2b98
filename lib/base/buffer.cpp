// The slow half of buffer: where its storage comes from and when it moves.
#include "rill/base/buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <new>

namespace rill {

namespace {

constexpr std::size_t first_capacity = 256;

}  // namespace

buffer& buffer::operator=(buffer&& other) noexcept {
    if (this != &other) {
        free_storage();
        storage_ = std::exchange(other.storage_, nullptr);
        begin_ = std::exchange(other.begin_, 0);
        end_ = std::exchange(other.end_, 0);
        limit_ = std::exchange(other.limit_, 0);
        capacity_ = std::exchange(other.capacity_, 0);
        maximum_ = other.maximum_;
    }
    return *this;
}

bool buffer::make_room(std::size_t count) {
    std::size_t const held = size();
    if (count > maximum_ - held) return false;
    // Moving to the front costs at most four bytes moved for each byte consumed. At the largest
    // capacity this branch is always taken: what is missing at the end was consumed in front.
    if (held + count <= capacity_ && begin_ >= held / 4) {
        std::memmove(storage_, storage_ + begin_, held);
    } else {
        std::size_t const most = maximum_ + maximum_ / 4;
        std::size_t const wanted = std::max({held + count, capacity_ * 2, first_capacity});
        std::size_t const grown = std::min(wanted, most);
        auto* const storage = static_cast<std::byte*>(std::malloc(grown));
        if (storage == nullptr) throw std::bad_alloc();
        if (held != 0) std::memcpy(storage, storage_ + begin_, held);
        free_storage();
        storage_ = storage;
        capacity_ = grown;
    }
    begin_ = 0;
    end_ = held;
    update_limit();
    return true;
}

bool buffer::make_room_for(bytes what) {
    std::less<> const before;
    bool const inside = !before(what.data(), storage_) && before(what.data(), storage_ + capacity_);
    RILL_ASSERT(!inside, "a buffer's own bytes move while it grows; copy them first");
    return make_room(what.size());
}

void buffer::free_storage() noexcept {
    std::free(storage_);
}

}  // namespace rill
