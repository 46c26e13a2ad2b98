// The driver over epoll: what those that wait on a descriptor do when the kernel tells of it.
#include <cerrno>

#include "datagram_layout.hpp"
#include "epoll_driver_impl.hpp"

namespace rill {

namespace {

// One stream's share of a turn: what is left then comes in the next one, after all others.
constexpr int most_buffers_per_turn = 32;
constexpr int most_accepted_per_turn = 64;

constexpr std::uint32_t failure = EPOLLERR | EPOLLHUP;

}  // namespace

/// Lets those that wait on a descriptor try. `events` is what was told of it; 0 where it is only
/// known that there is more.
void epoll_driver::offer(int descriptor, std::uint32_t events) noexcept {
    entry& on = *table_.find(descriptor);
    std::uint32_t const generation = on.generation;
    for (std::uint32_t at = on.first; at != epoll_table::none;) {
        request& what = table_.what(at);
        at = table_.next(at);
        if (!what.cancelling()) attempt(what, on, events);
        if (on.generation != generation) return;  // its last request has closed it
    }
    if (on.in_set == membership::polled && events != 0) rearm_polls(descriptor, on);
}

void epoll_driver::attempt(request& what, entry& on, std::uint32_t events) noexcept {
    bool const writable = (events & (EPOLLOUT | failure)) != 0;
    switch (what.what()) {
        case verb::receive_stream:
        case verb::receive_datagrams:
            return receive(what, on);
        case verb::accept_stream:
            return accept(what, on);
        case verb::send:
            if (writable) {
                int const value = calls_.send(what);
                if (value != -EAGAIN) finish(what, value);
            }
            return;
        case verb::send_message:
            if (writable) {
                int const value = calls_.send_message(what);
                if (value != -EAGAIN) finish(what, value);
            }
            return;
        case verb::connect:
            if (writable) finish(what, calls_.connected(what.descriptor()));
            return;
        case verb::send_file:
            if (writable) {
                table_.unlink(what);
                run_file(what);
            }
            return;
        default:
            if (auto const told = events & (epoll_set::events_of(what.what()) | failure);
                told != 0) {
                int const value = epoll_files::concerns(what.what()) ? calls_.transfer(what)
                                                                     : static_cast<int>(told);
                if (value != -EAGAIN) finish(what, value);
            }
            return;
    }
}

void epoll_driver::receive(request& what, entry& from) noexcept {
    bool const stream = what.what() == verb::receive_stream;
    epoll_buffers& into = what.large_buffers() ? *large_buffers_ : buffers_;
    for (int count = 0; from.input; ++count) {
        if (count == most_buffers_per_turn) {
            again_.push_back({what.descriptor(), from.generation});
            return;
        }
        if (into.empty() || calls_.forced_no_buffer()) return finish(what, -ENOBUFS);
        std::uint32_t const buffer = into.next();
        mutable_bytes const memory = into.memory();
        int const value = stream ? calls_.receive(what.descriptor(), memory)
                                 : calls_.receive_datagram(what.descriptor(), memory);
        if (value <= 0) {
            if (value != -EAGAIN) return finish(what, value);
            from.input = from.out_of_the_ordinary = false;
            return;
        }
        into.take();
        if (!stream && static_cast<std::size_t>(value) == datagram::payload_begin) {
            // Nothing in it: the end of a stream, or an empty datagram. As on a ring, the results
            // end with it, and who knows which it was starts again.
            return finish(what, value, buffer);
        }
        if (static_cast<std::size_t>(value) < memory.size() && !from.out_of_the_ordinary &&
            from.of == epoll_table::kind::tcp) {
            // What comes from now on is another edge.
            from.input = false;
        }
        if (stream && what.one_result()) return finish(what, value, buffer);
        answer_part(what, value, buffer);
        if (what.cancelling()) return;
    }
}

void epoll_driver::accept(request& what, entry& from) noexcept {
    for (int count = 0; from.input; ++count) {
        if (count == most_accepted_per_turn) {
            again_.push_back({what.descriptor(), from.generation});
            return;
        }
        int const value = calls_.accept(what.descriptor());
        if (value == -EAGAIN) {
            from.input = false;
            return;
        }
        // After a failure there may be more: whoever starts again tries again.
        if (value < 0) return finish(what, value);
        answer_part(what, value, request::no_buffer);
        if (what.cancelling()) return;
    }
}

void epoll_driver::rearm_polls(int descriptor, entry& on) noexcept {
    std::uint32_t const wanted = polled_events(on);
    if (wanted == 0) return;
    if (set_.poll(descriptor, on, wanted) == 0) return;
    // Told by the next turn, which tries once more.
    while (on.first != epoll_table::none) {
        request& what = table_.what(on.first);
        table_.unlink(what);
        if (!what.cancelling()) started_.push_back(&what);
    }
}

std::uint32_t epoll_driver::polled_events(entry const& on) const noexcept {
    std::uint32_t wanted = 0;
    for (std::uint32_t at = on.first; at != epoll_table::none; at = table_.next(at)) {
        wanted |= epoll_set::events_of(table_.what(at).what());
    }
    return wanted;
}

}  // namespace rill
