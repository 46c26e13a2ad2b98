// The driver over epoll: its turn, and the life of its descriptors.
#include "epoll_driver.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "epoll_driver_impl.hpp"
#include "mailbox.hpp"

namespace rill {

namespace {

constexpr std::uint32_t input = EPOLLIN | EPOLLRDHUP | EPOLLPRI | EPOLLERR | EPOLLHUP;
constexpr std::uint32_t out_of_the_ordinary = EPOLLRDHUP | EPOLLPRI | EPOLLERR | EPOLLHUP;

}  // namespace

epoll_driver::epoll_driver(epoll_options const& options)
    : buffers_(options.receive_buffers, options.receive_copies, receive_buffers::block_bytes),
      set_(options.faults),
      calls_(options.faults),
      files_(*this) {
    wakers_[1] = files_.descriptor();
}

receive_buffers* epoll_driver::large_buffers() noexcept {
    if (large_buffers_ == nullptr) {
        try {
            large_buffers_ = std::make_unique<epoll_buffers>(receive_buffers::large_count,
                                                             receive_buffers::large_copies,
                                                             receive_buffers::large_block_bytes);
        } catch (std::bad_alloc const&) {
            return nullptr;
        }
    }
    return &large_buffers_->buffers();
}

void epoll_driver::attach(mailbox& box) noexcept {
    wakers_[0] = box.descriptor();
}

void epoll_driver::turn(time_point until) noexcept {
    buffers_.buffers().retry_waiters(until != time_point::min());
    if (large_buffers_ != nullptr) [[unlikely]]
        large_buffers_->buffers().retry_waiters(until != time_point::min());
    bool const can_be_woken = watch_wakers();
    std::uint64_t const before = completions_;
    begin_started();
    end_cancelled();
    go_on();
    files_.collect();
    bool const answered = completions_ != before;
    // What was answered is worked on before the kernel is asked again: most answers are those of
    // sends, and a look between them and the wait would find nothing. Never twice in a row.
    if (answered && looked_) {
        looked_ = false;
        return;
    }
    looked_ = true;
    bool const wait = !answered && !pending() && can_be_woken;
    look(wait ? std::min(until, next_try_) : time_point::min());
}

/// True when this core can be woken while it waits.
bool epoll_driver::watch_wakers() noexcept {
    for (int& descriptor : wakers_) {
        if (descriptor < 0) [[likely]]
            continue;
        try {
            // The counter is never read: each write to it is an edge.
            if (set_.watch(descriptor, table_.need(descriptor), false) == 0) descriptor = -1;
        } catch (std::bad_alloc const&) {
            return false;
        }
    }
    return wakers_[0] < 0 && wakers_[1] < 0;
}

void epoll_driver::begin_started() noexcept {
    if (next_try_ != never && now() >= next_try_) {
        next_try_ = never;
        started_.insert(started_.end(), later_.begin(), later_.end());
        later_.clear();
    }
    if (started_.empty()) return;
    taken_.swap(started_);
    for (request* const each : taken_) {
        if (each->cancelling()) continue;  // `end_cancelled` answers it
        try {
            begin(*each);
        } catch (std::bad_alloc const&) {
            finish(*each, -ENOMEM);
        }
    }
    taken_.clear();
}

void epoll_driver::end_cancelled() noexcept {
    if (cancelled_.empty()) return;
    taken_.swap(cancelled_);
    for (request* const each : taken_) {
        if (epoll_files::concerns(each->what()) &&
            files_.withdraw(*each) == epoll_files::place::with_a_thread) {
            continue;  // the thread still has its memory: `file_done` ends it
        }
        if (!later_.empty()) std::erase(later_, each);
        finish(*each, -ECANCELED);
    }
    taken_.clear();
}

void epoll_driver::go_on() noexcept {
    if (again_.empty()) return;
    taken_again_.swap(again_);
    for (place const& each : taken_again_) {
        if (table_.find(each.descriptor)->generation == each.generation) offer(each.descriptor, 0);
    }
    taken_again_.clear();
}

void epoll_driver::look(time_point until) noexcept {
    duration length = duration::zero();
    if (until == never) {
        length = duration(-1);
    } else if (until != time_point::min()) {
        length = std::max(until - now(), duration::zero());
    }
    if (length != duration::zero() && !files_.prepare_to_sleep()) length = duration::zero();
    auto const events = set_.wait(length);
    files_.awake();
    for (epoll_event const& each : events) {
        int const descriptor = epoll_set::descriptor_of(each);
        entry& on = *table_.find(descriptor);
        if (on.generation != epoll_set::generation_of(each)) continue;
        if ((each.events & input) != 0) on.input = true;
        if ((each.events & out_of_the_ordinary) != 0) on.out_of_the_ordinary = true;
        offer(descriptor, each.events);
    }
    files_.collect();
}

void epoll_driver::answer_part(request& what, int value, std::uint32_t buffer) noexcept {
    ++completions_;
    what.answer(value, buffer, true);
}

void epoll_driver::finish(request& what, int value, std::uint32_t buffer) noexcept {
    table_.unlink(what);
    --in_flight_;
    ++completions_;
    what.answer(value, buffer, false);
}

void epoll_driver::close(int descriptor) noexcept {
    if (entry* const of = table_.find(descriptor)) {
        RILL_ASSERT(of->first == epoll_table::none,
                    "close a descriptor when its requests have come back");
        if (of->in_set != membership::none) set_.remove(descriptor, *of);
        table_.forget(*of);
    }
    ::close(descriptor);
}

std::unique_ptr<driver> make_epoll_driver(epoll_options const& options) {
    return std::make_unique<epoll_driver>(options);
}

}  // namespace rill
