// One epoll instance.
#include "epoll_set.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>

#include "rill/base/error.hpp"
#include "rill/base/log.hpp"

namespace rill {

namespace {

constexpr std::uint32_t every_event = EPOLLIN | EPOLLRDHUP | EPOLLPRI | EPOLLET;

#ifdef SYS_epoll_pwait2
constexpr long number_of_wait = SYS_epoll_pwait2;
#else
constexpr long number_of_wait = 441;  // since Linux 5.11, on all architectures
#endif

}  // namespace

epoll_set::epoll_set(epoll_faults const& faults)
    : set_(faults.refuse_setup != 0 ? -1 : ::epoll_create1(EPOLL_CLOEXEC)),
      faults_(faults),
      wait_fails_(faults.wait_fails_every),
      control_fails_(faults.control_fails_every) {
    if (set_ < 0) {
        throw error(system_error(faults.refuse_setup != 0 ? faults.refuse_setup : errno),
                    "epoll_create1", "this core's driver",
                    "raise the limit of open descriptors (ulimit -n)");
    }
}

epoll_set::~epoll_set() {
    ::close(set_);
}

int epoll_set::control(int operation, int descriptor, epoll_event& event) noexcept {
    ++calls_;
    if (operation != EPOLL_CTL_DEL && control_fails_()) [[unlikely]]
        return -faults_.control_errno;
    return ::epoll_ctl(set_, operation, descriptor, &event) == 0 ? 0 : -errno;
}

int epoll_set::put(int descriptor, epoll_table::entry& which, std::uint32_t events) noexcept {
    epoll_event event{};
    event.events = events;
    event.data.u64 = std::uint64_t{which.generation} << 32 | static_cast<std::uint32_t>(descriptor);
    bool const there = which.in_set != epoll_table::membership::none;
    int code = control(there ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, event);
    // Others may have closed a descriptor that was polled for them, and opened one of this number.
    if (code == -ENOENT && there) code = control(EPOLL_CTL_ADD, descriptor, event);
    if (code == -EEXIST && !there) code = control(EPOLL_CTL_MOD, descriptor, event);
    if (code == -ENOSPC) {
        RILL_LOG_EVERY(1s, warn, "cannot watch a descriptor", {"error", system_error(ENOSPC)},
                       {"advice", "raise sysctl fs.epoll.max_user_watches"});
        code = -ENOMEM;
    }
    return code;
}

std::uint32_t epoll_set::events_of(verb what) noexcept {
    switch (what) {
        case verb::readable:
        case verb::read_file:
            return EPOLLIN;
        case verb::writable:
        case verb::write_file:
            return EPOLLOUT;
        case verb::hangup:
            return EPOLLRDHUP;
        default:
            return 0;
    }
}

int epoll_set::watch(int descriptor, epoll_table::entry& which, bool room) noexcept {
    int const code = put(descriptor, which, room ? every_event | EPOLLOUT : every_event);
    if (code == 0) {
        which.in_set = epoll_table::membership::watched;
        which.tells_room = room;
    }
    return code;
}

int epoll_set::poll(int descriptor, epoll_table::entry& which, std::uint32_t events) noexcept {
    int const code = put(descriptor, which, events | EPOLLONESHOT);
    if (code == 0) which.in_set = epoll_table::membership::polled;
    return code;
}

void epoll_set::remove(int descriptor, epoll_table::entry& which) noexcept {
    epoll_event none{};
    // Not left to the close: another process may hold the same socket, and its events would go on.
    control(EPOLL_CTL_DEL, descriptor, none);
    which.in_set = epoll_table::membership::none;
}

int epoll_set::wait_exactly(duration length) noexcept {
    timespec timeout{};
    auto const whole = std::chrono::duration_cast<std::chrono::seconds>(length);
    timeout.tv_sec = whole.count();
    timeout.tv_nsec = (length - whole).count();
    if (faults_.refuse_exact_wait != 0) {
        errno = faults_.refuse_exact_wait;
        return -1;
    }
    return static_cast<int>(
        ::syscall(number_of_wait, set_, events_.data(), most_events, &timeout, nullptr, 0));
}

std::span<epoll_event const> epoll_set::wait(duration length) noexcept {
    ++calls_;
    if (wait_fails_()) [[unlikely]]
        return {};
    if (length > duration::zero() && exact_) {
        int const count = wait_exactly(length);
        if (count >= 0) return {events_.data(), static_cast<std::size_t>(count)};
        if (errno == EINTR) return {};
        exact_ = false;  // before Linux 5.11, or refused by a seccomp profile older than it
    }
    int timeout = -1;
    if (length >= duration::zero()) {
        // Never too early, at the price of up to a millisecond.
        auto const whole = std::chrono::ceil<std::chrono::milliseconds>(length).count();
        timeout = static_cast<int>(std::min<std::int64_t>(whole, std::numeric_limits<int>::max()));
    }
    int const count = ::epoll_wait(set_, events_.data(), most_events, timeout);
    return {events_.data(), static_cast<std::size_t>(std::max(count, 0))};
}

}  // namespace rill
