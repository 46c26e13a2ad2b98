// A pipe in a simulated world.
#include "simulated_pipe.hpp"

#include <limits.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "simulated_world.hpp"

namespace rill {

namespace {

constexpr std::size_t capacity = 64 * 1024;

}  // namespace

int simulated_pipe::read(mutable_bytes into) {
    if (content_.empty()) return written_by_somebody_ ? -EAGAIN : 0;
    if (world_.faults().roll(&simulation::faults::short_reads)) {
        into = into.first(world_.faults().part_of(std::min(into.size(), content_.size())));
    }
    std::size_t const count = copy_bytes(into, bytes(content_));
    content_.erase(0, count);
    progress();
    return static_cast<int>(count);
}

int simulated_pipe::write(bytes from) {
    if (!read_by_somebody_) return -EPIPE;
    if (from.empty()) return 0;
    std::size_t const room = capacity - content_.size();
    // So many bytes come all at once or not at all.
    bool const whole = from.size() <= PIPE_BUF;
    if (room == 0 || (whole && room < from.size())) return -EAGAIN;
    bytes part = from.first(room);
    if (!whole && world_.faults().roll(&simulation::faults::short_writes)) {
        part = part.first(world_.faults().part_of(part.size()));
    }
    content_ += part.text();
    progress();
    return static_cast<int>(part.size());
}

int simulated_pipe::state(verb what, bool to_read) const noexcept {
    if (to_read) {
        int const end = written_by_somebody_ ? 0 : POLLHUP;
        return end | (what == verb::readable && !content_.empty() ? POLLIN : 0);
    }
    int const broken = read_by_somebody_ ? 0 : POLLERR;
    bool const has_room = capacity - content_.size() >= PIPE_BUF;
    return broken | (what == verb::writable && has_room ? POLLOUT : 0);
}

void simulated_pipe::wait(simulated_wait const& by, bool to_read) {
    polls_.push_back({by, to_read});
    progress();
}

void simulated_pipe::cancel(request const& what) {
    auto const found = std::find_if(polls_.begin(), polls_.end(),
                                    [&](poll const& each) { return each.by.is(what); });
    if (found == polls_.end()) return;  // it has ended meanwhile: that result wins
    found->by.complete(-ECANCELED);
    polls_.erase(found);
}

void simulated_pipe::progress() {
    std::erase_if(polls_, [this](poll& each) {
        int const now = state(each.by.what().what(), each.to_read);
        if (now != 0) each.by.complete(now);
        return now != 0;
    });
}

void simulated_pipe::end_reading() {
    read_by_somebody_ = false;
    progress();
}

void simulated_pipe::end_writing() {
    written_by_somebody_ = false;
    progress();
}

}  // namespace rill
