// A connected stream socket over the driver seam.
#include "io/socket.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

namespace rill {

socket::socket(core& home, int descriptor) noexcept
    : home_(home),
      buffers_(home.buffers()),
      descriptor_(descriptor),
      receiving_(*this),
      sending_(*this) {}

socket::~socket() {
    RILL_ASSERT(closed_ && first_unread_ == receive_buffers::none,
                "release a socket, not delete it");
}

address socket::remote_address() const {
    return home_.io().remote(descriptor_).unmapped();
}
address socket::local_address() const {
    return home_.io().local(descriptor_).unmapped();
}

// Receiving.

void socket::arm() noexcept {
    if (end_ || closed_ || receiving_.in_flight()) return;
    // While buffers are scarce one at a time: a stream of results brings what a whole turn
    // delivers.
    receiving_.one_buffer(buffers_.scarce());
    home_.io().start(receiving_);
}

std::optional<result<lease>> socket::begin_receive(input_waiter& who) noexcept {
    RILL_ASSERT(reader_ == nullptr, "one reader of a stream at a time");
    if (closed_) return errc::closed;
    if (first_unread_ != receive_buffers::none) return dequeue();
    if (end_) {
        if (end_ == errc::end_of_stream) return lease();
        return end_;
    }
    reader_ = &who;
    arm();
    return std::nullopt;
}

bool socket::stop_receive(input_waiter& who) noexcept {
    if (reader_ != &who) return false;
    reader_ = nullptr;
    return true;
}

void socket::enqueue(std::uint32_t buffer) noexcept {
    if (first_unread_ == receive_buffers::none) {
        first_unread_ = buffer;
    } else if (joins_last(buffer)) {
        return;
    } else {
        buffers_.at(last_unread_).next = buffer;
    }
    last_unread_ = buffer;
    ++unread_count_;
}

/// Copies a piece behind the last unread one where it fits there, and gives its buffer back.
bool socket::joins_last(std::uint32_t buffer) noexcept {
    auto& last = buffers_.at(last_unread_);
    auto const piece = buffers_.at(buffer);
    std::uint32_t const end = last.begin + last.size;
    if (piece.size > buffers_.bytes_each() - end) return false;
    std::memcpy(buffers_.block(last_unread_) + end, buffers_.block(buffer) + piece.begin,
                piece.size);
    last.size += piece.size;
    buffers_.give_back(buffer);
    return true;
}

lease socket::dequeue() noexcept {
    std::uint32_t const buffer = first_unread_;
    auto const slot = buffers_.at(buffer);
    first_unread_ = slot.next;
    --unread_count_;
    if (unread_count_ <= most_unread() / 2) arm();
    return {buffers_, buffer, {buffers_.block(buffer) + slot.begin, slot.size}};
}

void socket::put_back(lease input) noexcept {
    if (closed_) return;  // nobody will read it: the lease gives its buffer back
    std::uint32_t const buffer = input.index();
    mutable_bytes const view = input.detach();
    auto& slot = buffers_.at(buffer);
    slot.begin = static_cast<std::uint32_t>(view.data() - buffers_.block(buffer));
    slot.size = static_cast<std::uint32_t>(view.size());
    slot.next = first_unread_;
    if (first_unread_ == receive_buffers::none) last_unread_ = buffer;
    first_unread_ = buffer;
    ++unread_count_;
}

void socket::received(int value, std::uint32_t buffer, bool more) noexcept {
    if (value > 0) {
        std::uint32_t const use = buffers_.filled(buffer, static_cast<std::uint32_t>(value));
        if (closed_) {
            buffers_.give_back(use);
        } else {
            enqueue(use);
        }
    } else if (buffer != request::no_buffer) {
        buffers_.give_back(buffers_.filled(buffer, 0));
    }
    if (closed_) {
        if (!more) let_go();
        return;
    }
    if (value == 0) {
        // The kernel tells of a reset once: where a send has heard of it, receiving sees an end.
        // A cut stream must not pass for a whole one.
        bool const reset = broken_ ? broken_.category() == std::system_category()
                                   : !writes_.empty() && home_.io().broken(descriptor_);
        ended(reset ? system_error(ECONNRESET) : make_error_code(errc::end_of_stream));
    } else if (value == -ENOBUFS) {
        // Not an error of the connection: all buffers of the core are out, or were when it tried.
        // It goes on when one comes back.
        if (buffers_.exhausted()) {
            buffers_.wait(*this);
        } else {
            arm();
        }
        return;
    } else if (value < 0 && value != -ECANCELED) {
        ended(system_error(-value));
    }
    if (!more && unread_count_ < most_unread()) {
        arm();
    } else if (more && unread_count_ >= most_unread()) {
        home_.io().cancel(receiving_);
    }
    if (!more) watch_while_paused();
    if (reader_ == nullptr) return;
    if (first_unread_ != receive_buffers::none) {
        std::exchange(reader_, nullptr)->arrived(dequeue());
    } else if (end_) {
        std::exchange(reader_, nullptr)
            ->arrived(end_ == errc::end_of_stream ? result<lease>(lease()) : result<lease>(end_));
    }
}

void socket::buffer_returned() noexcept {
    arm();
}

void socket::ended(std::error_code why) noexcept {
    if (!end_) end_ = why;
    if (why != errc::end_of_stream && !broken_) broken_ = why;
    if (broken_ && link_) link_->cut();
    if (auto* const who = std::exchange(end_watcher_, nullptr)) {
        who->cancel(cancel_reason::client_gone);
    }
}

void socket::watch_end(chain* who) noexcept {
    end_watcher_ = who;
    if (who == nullptr) return;
    if (end_ || closed_) {
        std::exchange(end_watcher_, nullptr)->cancel(cancel_reason::client_gone);
        return;
    }
    if (unread_count_ < most_unread()) {
        arm();
    } else {
        watch_while_paused();
    }
}

void socket::watch_while_paused() noexcept {
    if (end_watcher_ == nullptr || receiving_.in_flight() || busy(hangup_) || end_) return;
    home_.io().start(needed(hangup_));
}

void socket::hung_up(int value) noexcept {
    if (closed_) {
        let_go();
        return;
    }
    if (value <= 0) return;
    if (auto* const who = std::exchange(end_watcher_, nullptr)) {
        who->cancel(cancel_reason::client_gone);
    }
}

// Sending.

std::optional<result<void>> socket::begin_write(pending_write& what) noexcept {
    if (closed_) return result<void>(errc::closed);
    if (broken_) return result<void>(broken_);
    if (finishing_) return result<void>(errc::closed);
    if (what.all_written()) return result<void>();
    if (writes_.push(what)) send_first();
    return std::nullopt;
}

void socket::send_first() noexcept {
    if (writes_.first()->file().descriptor >= 0) {
        auto& sending = needed(sending_file_);
        sending.set(writes_.first()->file());
        home_.io().start(sending);
        return;
    }
    auto const pieces = writes_.first()->remaining(cut_piece_);
    sending_.set_pieces(pieces.data(), pieces.size());
    home_.io().start(sending_);
}

void socket::sent(int value) noexcept {
    pending_write& first = *writes_.first();
    if (value > 0) first.advance(static_cast<std::size_t>(value));
    if (first.all_written()) {
        finish_first({});
    } else if (closed_) {
        finish_first(errc::closed);
    } else if (value < 0 && value != -ECANCELED) {
        if (!broken_) broken_ = system_error(-value);
        finish_first(broken_);
    } else if (first.stopped_by) {
        if (first.begun() && !broken_) broken_ = errc::write_broken;
        finish_first(first.stopped_by);
    } else if (value == 0) {
        broken_ = system_error(EPIPE);
        finish_first(broken_);
    }
    while (!writes_.empty() && (broken_ || closed_)) {
        finish_first(closed_ ? make_error_code(errc::closed) : broken_);
    }
    if (!writes_.empty()) {
        send_first();
    } else if (closed_) {
        let_go();
    } else if (finishing_) {
        home_.io().shut_down(descriptor_, shutdown_side::write);
    }
}

void socket::finish_first(result<void> outcome) noexcept {
    pending_write& first = *writes_.first();
    writes_.remove(first);
    first.written(outcome);
}

void socket::stop_write(pending_write& what, std::error_code why) noexcept {
    if (&what != writes_.first()) {
        writes_.remove(what);
        what.written(why);
        return;
    }
    if (!what.stopped_by) what.stopped_by = why;
    home_.io().cancel(sending_);
    if (sending_file_ != nullptr) home_.io().cancel(*sending_file_);
}

void socket::finish() noexcept {
    if (closed_ || finishing_) return;
    finishing_ = true;
    if (writes_.empty()) home_.io().shut_down(descriptor_, shutdown_side::write);
}

// Closing.

std::shared_ptr<remote_link> socket::link() {
    if (!link_) {
        link_ = std::make_shared<remote_link>(*this, home_);
        if (closed_ || broken_) link_->cut();
    }
    return link_;
}

void socket::close() noexcept {
    if (closed_) return;
    closed_ = true;
    if (link_) link_->cut();
    buffers_.stop_waiting(*this);
    while (first_unread_ != receive_buffers::none) {
        std::uint32_t const buffer = first_unread_;
        first_unread_ = buffers_.at(buffer).next;
        buffers_.give_back(buffer);
    }
    unread_count_ = 0;
    if (!end_) end_ = errc::closed;
    if (auto* const who = std::exchange(end_watcher_, nullptr)) {
        who->cancel(cancel_reason::client_gone);
    }
    if (auto* const reader = std::exchange(reader_, nullptr)) reader->arrived(errc::closed);
    // Requests in flight hold the socket open in the kernel: they are ended first, and the
    // descriptor is closed when the last of them has come back.
    home_.io().cancel(receiving_);
    if (hangup_ != nullptr) home_.io().cancel(*hangup_);
    while (writes_.last() != writes_.first()) {
        pending_write& last = *writes_.last();
        writes_.remove(last);
        last.written(errc::closed);
    }
    home_.io().cancel(sending_);
    if (sending_file_ != nullptr) home_.io().cancel(*sending_file_);
    let_go();
}

int socket::detach() noexcept {
    RILL_ASSERT(!receiving_.in_flight() && writes_.empty() && unread_count_ == 0,
                "only an untouched socket gives its descriptor back");
    int const descriptor = std::exchange(descriptor_, -1);
    closed_ = true;
    delete this;
    return descriptor;
}

void socket::release() noexcept {
    released_ = true;
    if (closed_) {
        let_go();
    } else {
        close();
    }
}

void socket::let_go() noexcept {
    if (receiving_.in_flight() || busy(hangup_) || sending_.in_flight() || busy(sending_file_)) {
        return;
    }
    if (descriptor_ >= 0) home_.io().close(std::exchange(descriptor_, -1));
    if (released_) delete this;
}

}  // namespace rill
