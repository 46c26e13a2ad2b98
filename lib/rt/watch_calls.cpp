// The calls of inotify(7).
#include "watch_calls.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "simulated_calls.hpp"

namespace rill::watch_calls {

namespace {

constexpr std::uint32_t wanted = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_MODIFY |
                                 IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

std::optional<kind> kind_of(std::uint32_t mask) noexcept {
    if ((mask & IN_Q_OVERFLOW) != 0) return kind::overflow;
    if ((mask & IN_IGNORED) != 0) return kind::gone;
    if ((mask & (IN_CREATE | IN_MOVED_TO)) != 0) return kind::created;
    if ((mask & (IN_DELETE | IN_MOVED_FROM)) != 0) return kind::removed;
    if ((mask & IN_CLOSE_WRITE) != 0) return kind::written;
    if ((mask & IN_MODIFY) != 0) return kind::modified;
    if ((mask & IN_ATTRIB) != 0) return kind::status;
    // Of what is watched itself: a removal ends with IN_IGNORED, and a move is one from here.
    if ((mask & IN_MOVE_SELF) != 0) return kind::removed;
    return std::nullopt;
}

result<int> number(int value) noexcept {
    if (value < 0) return system_error(-value);
    return value;
}

}  // namespace

result<int> open() noexcept {
    if (auto* const files = simulated_calls::of_thread()) return number(files->open_watches());
    int const made = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (made < 0) return system_error(errno);
    return made;
}

result<int> add(path_calls::owned const& queue, std::string const& path) noexcept {
    if (auto* const files = simulated_calls::of_thread()) {
        return number(files->watch(queue.get(), path));
    }
    int const watch = ::inotify_add_watch(queue.get(), path.c_str(), wanted);
    if (watch < 0) return system_error(errno);
    return watch;
}

bool remove(int queue, int watch) noexcept {
    if (auto* const files = simulated_calls::of_thread()) {
        return files->unwatch(queue, watch);
    }
    return ::inotify_rm_watch(queue, watch) == 0;
}

std::vector<event> read(int queue) {
    if (auto* const files = simulated_calls::of_thread()) return files->read_watches(queue);
    alignas(inotify_event) std::array<char, 4096> memory;
    ssize_t const size = ::read(queue, memory.data(), memory.size());
    std::vector<event> events;
    for (std::size_t at = 0; size > 0 && at < static_cast<std::size_t>(size);) {
        inotify_event head{};
        std::memcpy(&head, memory.data() + at, sizeof head);
        if (auto const what = kind_of(head.mask)) {
            event one{.what = *what, .watch = head.wd};
            // The name is filled up with NULs.
            if (head.len != 0) one.name = memory.data() + at + sizeof head;
            one.directory = (head.mask & IN_ISDIR) != 0;
            events.push_back(std::move(one));
        }
        at += sizeof head + head.len;
    }
    return events;
}

}  // namespace rill::watch_calls
