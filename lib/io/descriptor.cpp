// A descriptor as a byte stream.
#include "io/descriptor.hpp"

#include <cerrno>
#include <string>
#include <utility>

#include "rill/base/error.hpp"
#include "rill/io/descriptor_stream.hpp"

namespace rill {

descriptor_state::descriptor_state(core& home, int of, bool owned,
                                   pipe_calls::nature const& kind) noexcept
    : home_(home),
      descriptor_(of),
      owned_(owned),
      file_(kind.file),
      nonblocking_(kind.nonblocking),
      write_only_(kind.write_only),
      input_(*this, kind.file ? verb::read_file : verb::readable, &descriptor_state::input_ready),
      output_(*this, kind.file ? verb::write_file : verb::writable, &descriptor_state::room_ready),
      hangup_(*this, verb::hangup, &descriptor_state::hung_up) {}

descriptor_state::~descriptor_state() {
    RILL_ASSERT(closed_ && leases_ == 0, "release a descriptor, not delete it");
}

// Receiving. Nothing is read ahead: what nobody asked for stays in the kernel.

std::optional<result<lease>> descriptor_state::begin_receive(input_waiter& who) noexcept {
    RILL_ASSERT(reader_ == nullptr, "one reader of a stream at a time");
    if (closed_) return errc::closed;
    if (unread_) return std::move(unread_);
    if (end_) {
        if (end_ == errc::end_of_stream) return lease();
        return end_;
    }
    filling_ = input_.in_flight() ? filling_ : free_block();
    if (nonblocking_ && !file_ && !input_.in_flight() && filling_ != most_leases) {
        auto const count =
            pipe_calls::read_some(descriptor_, {blocks_[filling_].memory.get(), block_bytes});
        if (count.error() != std::errc::resource_unavailable_try_again) return take(count);
    }
    reader_ = &who;
    wait_for_input();
    return std::nullopt;
}

bool descriptor_state::stop_receive(input_waiter& who) noexcept {
    if (reader_ != &who) return false;
    reader_ = nullptr;
    // A read of a file that is on its way keeps what it brings for the next reader.
    if (!file_) home_.io().cancel(input_);
    return true;
}

void descriptor_state::put_back(lease input) noexcept {
    if (!closed_) unread_ = std::move(input);
}

void descriptor_state::give_back(std::uint32_t index) noexcept {
    blocks_[index].out = false;
    --leases_;
    if (closed_) {
        let_go();
    } else if (reader_ != nullptr) {
        wait_for_input();
    }
}

std::uint32_t descriptor_state::free_block() noexcept {
    std::uint32_t index = 0;
    while (index != most_leases && blocks_[index].out) ++index;
    if (index != most_leases && blocks_[index].memory == nullptr) {
        blocks_[index].memory = std::make_unique<std::byte[]>(block_bytes);
    }
    return index;
}

void descriptor_state::wait_for_input() noexcept {
    if (input_.in_flight()) return;
    filling_ = free_block();
    if (filling_ == most_leases) return;
    if (file_) {
        input_.set_into({blocks_[filling_].memory.get(), block_bytes});
        input_.set_offset(request::here);
    }
    home_.io().start(input_);
}

void descriptor_state::input_ready(int value) noexcept {
    if (closed_) return let_go();
    if (file_) {
        if (value < 0) return input_came(system_error(-value));
        return input_came(static_cast<std::size_t>(value));
    }
    if (reader_ == nullptr) return;
    if (value == -ECANCELED) return wait_for_input();  // another reader came meanwhile
    if (value < 0) return input_came(system_error(-value));
    input_came(pipe_calls::read_some(descriptor_, {blocks_[filling_].memory.get(), block_bytes}));
}

void descriptor_state::input_came(result<std::size_t> count) noexcept {
    if (count.error() == std::errc::resource_unavailable_try_again) return wait_for_input();
    auto input = take(count);
    if (reader_ != nullptr) {
        std::exchange(reader_, nullptr)->arrived(std::move(input));
    } else if (input) {
        unread_ = *std::move(input);
    }
}

/// What a read into the block `filling_` has brought.
result<lease> descriptor_state::take(result<std::size_t> count) noexcept {
    if (count && *count != 0) {
        blocks_[filling_].out = true;
        ++leases_;
        return lease(*this, filling_, {blocks_[filling_].memory.get(), *count});
    }
    // A terminal whose other side has gone answers EIO: that is its end (tty_ioctl(4)).
    bool const clean = count || (!file_ && count.error() == std::errc::io_error);
    ended(clean ? make_error_code(errc::end_of_stream) : count.error());
    if (end_ == errc::end_of_stream) return lease();
    return end_;
}

void descriptor_state::ended(std::error_code why) noexcept {
    if (!end_) end_ = why;
    if (auto* const who = std::exchange(end_watcher_, nullptr)) {
        who->cancel(cancel_reason::client_gone);
    }
}

void descriptor_state::watch_end(chain* who) noexcept {
    end_watcher_ = who;
    if (who == nullptr) return;
    if (end_ || closed_) {
        std::exchange(end_watcher_, nullptr)->cancel(cancel_reason::client_gone);
    } else if (!file_ && !hangup_.in_flight()) {
        home_.io().start(hangup_);
    }
}

void descriptor_state::hung_up(int value) noexcept {
    if (closed_) return let_go();
    if (value <= 0) return;
    if (auto* const who = std::exchange(end_watcher_, nullptr)) {
        who->cancel(cancel_reason::client_gone);
    }
}

// Writing.

std::optional<result<void>> descriptor_state::begin_write(pending_write& what) noexcept {
    if (closed_ || finishing_) return result<void>(errc::closed);
    if (broken_) return result<void>(broken_);
    if (what.all_written()) return result<void>();
    if (writes_.push(what)) wait_for_room();
    return std::nullopt;
}

void descriptor_state::wait_for_room() noexcept {
    if (file_) {
        writing_ = writes_.first()->remaining(cut_piece_).front();
        output_.set_pieces(&writing_, 1);
        output_.set_offset(request::here);
    }
    home_.io().start(output_);
}

void descriptor_state::room_ready(int value) noexcept {
    if (value < 0) return wrote(system_error(-value));
    if (file_) {
        // A file that takes nothing, and says no reason, must not be asked again and again.
        if (value == 0) return wrote(system_error(EIO));
        return wrote(static_cast<std::size_t>(value));
    }
    // All that there is room for, so that a long write costs one wait for each filled pipe.
    result<std::size_t> outcome = std::size_t{0};
    while (!writes_.first()->all_written() && !writes_.first()->stopped_by && !closed_) {
        bytes const piece = writes_.first()->remaining(cut_piece_).front();
        outcome = pipe_calls::write_some(descriptor_, piece, nonblocking_);
        if (!outcome) break;
        writes_.first()->advance(*outcome);
        outcome = std::size_t{0};
        if (!nonblocking_) break;  // one piece for each time that it was found ready
    }
    wrote(outcome);
}

/// The first write has come `count` bytes further, or failed.
void descriptor_state::wrote(result<std::size_t> count) noexcept {
    pending_write& first = *writes_.first();
    if (count) first.advance(*count);
    bool const again = count.error() == std::errc::resource_unavailable_try_again ||
                       count.error() == std::errc::operation_canceled;
    if (first.all_written()) {
        finish_first({});
    } else if (closed_) {
        finish_first(errc::closed);
    } else if (!count && !again) {
        broken_ = count.error();
        finish_first(broken_);
    } else if (first.stopped_by) {
        if (first.begun()) broken_ = errc::write_broken;
        finish_first(first.stopped_by);
    }
    while (!writes_.empty() && (broken_ || closed_)) {
        finish_first(closed_ ? make_error_code(errc::closed) : broken_);
    }
    if (!writes_.empty()) {
        wait_for_room();
    } else if (closed_) {
        let_go();
    } else if (finishing_) {
        close_descriptor();
    }
}

void descriptor_state::finish_first(result<void> outcome) noexcept {
    pending_write& first = *writes_.first();
    writes_.remove(first);
    first.written(outcome);
}

void descriptor_state::stop_write(pending_write& what, std::error_code why) noexcept {
    if (&what != writes_.first()) {
        writes_.remove(what);
        what.written(why);
        return;
    }
    if (!what.stopped_by) what.stopped_by = why;
    home_.io().cancel(output_);
}

void descriptor_state::finish() noexcept {
    if (closed_ || finishing_) return;
    finishing_ = true;
    if (writes_.empty()) close_descriptor();
}

// Closing.

/// After `finish`: who reads at the other end sees the end now.
void descriptor_state::close_descriptor() noexcept {
    if (owned_ && write_only_) close();
}

void descriptor_state::close() noexcept {
    if (closed_) return;
    closed_ = true;
    lease const dropped = std::move(unread_);  // the last thing to go: this may end with it
    if (!end_) end_ = errc::closed;
    if (auto* const who = std::exchange(end_watcher_, nullptr)) {
        who->cancel(cancel_reason::client_gone);
    }
    if (auto* const reader = std::exchange(reader_, nullptr)) reader->arrived(errc::closed);
    while (writes_.last() != writes_.first()) {
        pending_write& last = *writes_.last();
        writes_.remove(last);
        last.written(errc::closed);
    }
    home_.io().cancel(input_);
    home_.io().cancel(output_);
    home_.io().cancel(hangup_);
    let_go();
}

void descriptor_state::release() noexcept {
    released_ = true;
    if (closed_) {
        let_go();
    } else {
        close();
    }
}

void descriptor_state::let_go() noexcept {
    if (input_.in_flight() || output_.in_flight() || hangup_.in_flight()) return;
    int const open = std::exchange(descriptor_, -1);
    if (open >= 0 && owned_) home_.io().close(open);
    if (released_ && leases_ == 0) delete this;
}

// Handles.

namespace {

descriptor_state* make(int of, bool owned) {
    auto const kind = pipe_calls::nature_of(of);
    if (kind.error() == errc::unsupported) {
        throw error(kind.error(), "use descriptor", std::to_string(of),
                    "it is outside of this simulation");
    }
    if (!kind) throw error(kind.error(), "use descriptor", std::to_string(of));
    return new descriptor_state(core::current(), of, owned, *kind);
}

}  // namespace

descriptor_stream::~descriptor_stream() {
    if (stream_ != nullptr) static_cast<descriptor_state*>(stream_)->release();
}

descriptor_stream descriptor_stream::own(int of) {
    return descriptor_stream(make(of, true));
}

descriptor_stream descriptor_stream::borrow(int of) {
    return descriptor_stream(make(of, false));
}

int descriptor_stream::native() const noexcept {
    return stream_ != nullptr ? static_cast<descriptor_state const*>(stream_)->native() : -1;
}

pipe_ends make_pipe() {
    auto const made = pipe_calls::open_pipe();
    if (!made) throw error(made.error(), "make a pipe");
    return {.reader = descriptor_stream::own(made->reader),
            .writer = descriptor_stream::own(made->writer)};
}

descriptor_stream standard_input() {
    return descriptor_stream::borrow(0);
}

descriptor_stream standard_output() {
    return descriptor_stream::borrow(1);
}

descriptor_stream standard_error() {
    return descriptor_stream::borrow(2);
}

}  // namespace rill
