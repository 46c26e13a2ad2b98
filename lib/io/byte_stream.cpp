// The waits of a byte stream: where a deadline, a cancellation and the stream's answer meet.
#include "rill/io/byte_stream.hpp"

#include <algorithm>

#include "rill/rt/core.hpp"

namespace rill {

namespace {

constexpr std::size_t most_pieces = 1024;  // IOV_MAX of the kernel

timer_wheel& timers_of(operation const& what) noexcept {
    return core::of(*what.waiting_chain()).timers();
}

}  // namespace

pending_write::pending_write(std::span<bytes const> pieces) noexcept
    : pieces_(pieces.data()), count_(pieces.size()) {
    RILL_ASSERT(pieces.size() <= most_pieces, "write at most 1024 pieces in one call");
    advance(0);
}

std::span<bytes const> pending_write::remaining(bytes& rest) const noexcept {
    if (skip_ == 0) return {pieces_ + index_, count_ - index_};
    rest = pieces_[index_].without_first(skip_);
    return {&rest, 1};
}

void pending_write::advance(std::size_t count) noexcept {
    if (count != 0) begun_ = true;
    if (file_.descriptor >= 0) {
        file_.offset += count;
        file_.size -= count;
        return;
    }
    skip_ += count;
    while (index_ != count_ && skip_ >= pieces_[index_].size()) {
        skip_ -= pieces_[index_].size();
        ++index_;
    }
}

receive_operation::receive_operation(byte_stream& from, time_point deadline) noexcept
    : from_(from), deadline_(deadline) {}

void receive_operation::give_back(byte_stream& to, lease input) noexcept {
    to.put_back(std::move(input));
}

receive_operation::~receive_operation() {
    // Input that nobody took (a losing branch, a cancelled line) is the next receiver's.
    auto& unread = stored();
    if (unread && unread->has_value() && **unread) from_.put_back(*std::move(*unread));
}

bool receive_operation::start() noexcept {
    if (auto now = from_.begin_receive(*this)) {
        set_result(*std::move(now));
        return false;
    }
    if (deadline_ != never) from_.set_read_deadline(*this, timers_of(*this), deadline_);
    return true;
}

void receive_operation::expired() noexcept {
    if (from_.stop_receive(*this)) arrived(errc::timed_out);
}

void receive_operation::cancel(cancel_reason) noexcept {
    if (from_.stop_receive(*this)) arrived(errc::cancelled);
}

void receive_operation::arrived(result<lease> input) noexcept {
    if (deadline_ != never) from_.clear_read_deadline();
    set_result(std::move(input));
    complete();
}

void receive_operation::throw_error(std::error_code code) const {
    throw error(code, "receive from", from_.remote_address().text());
}

void byte_stream::deadline_passed(std::size_t which) noexcept {
    duration const more = excuse(which == write_deadline);
    if (more > duration::zero()) {
        core& home = core::current();
        set_deadline(which, home.timers(), later(home.now(), more));
        return;
    }
    if (which == read_deadline) {
        timed_reader_->expired();
    } else {
        stop_write(*timed_writer_, errc::timed_out);
    }
}

read_operation::read_operation(byte_stream& from, mutable_bytes into, time_point deadline) noexcept
    : from_(from), into_(into), deadline_(deadline) {
    RILL_ASSERT(!into.empty(), "read into at least one byte: 0 means the end of the stream");
}

read_operation::~read_operation() {
    if (input_) from_.put_back(std::move(input_));
}

bool read_operation::start() noexcept {
    if (auto now = from_.begin_receive(*this)) {
        keep(*std::move(now));
        return false;
    }
    if (deadline_ != never) from_.set_read_deadline(*this, timers_of(*this), deadline_);
    return true;
}

void read_operation::expired() noexcept {
    if (from_.stop_receive(*this)) arrived(errc::timed_out);
}

void read_operation::cancel(cancel_reason) noexcept {
    if (from_.stop_receive(*this)) arrived(errc::cancelled);
}

void read_operation::keep(result<lease> input) noexcept {
    if (!input) {
        set_result(input.error());
        return;
    }
    input_ = *std::move(input);
    set_result(std::min(input_.size(), into_.size()));
}

void read_operation::copy() noexcept {
    if (!input_) return;
    input_.consume(copy_bytes(into_, input_.view()));
    if (input_) {
        from_.put_back(std::move(input_));
    } else {
        input_.reset();
    }
}

void read_operation::arrived(result<lease> input) noexcept {
    if (deadline_ != never) from_.clear_read_deadline();
    keep(std::move(input));
    complete();
}

void read_operation::throw_error(std::error_code code) const {
    throw error(code, "read from", from_.remote_address().text());
}

write_operation::timer::timer(write_operation& of) noexcept
    : timer_node([](timer_node& node) noexcept {
          auto& self = static_cast<timer&>(node).owner;
          duration const more = self.to_.excuse(true);
          if (more > duration::zero()) {
              core& home = core::of(*self.waiting_chain());
              home.timers().arm(node, later(home.now(), more));
              return;
          }
          self.to_.stop_write(self, errc::timed_out);
      }),
      owner(of) {}

write_operation::write_operation(byte_stream& to, bytes one, time_point deadline) noexcept
    : pending_write(one), to_(to), deadline_(deadline), timer_(*this) {}

write_operation::write_operation(byte_stream& to, std::span<bytes const> pieces,
                                 time_point deadline) noexcept
    : pending_write(pieces), to_(to), deadline_(deadline), timer_(*this) {}

write_operation::write_operation(byte_stream& to, file_piece const& file,
                                 time_point deadline) noexcept
    : pending_write(file), to_(to), deadline_(deadline), timer_(*this) {}

bool write_operation::start() noexcept {
    if (file().descriptor >= 0 && !to_.sends_files()) {
        set_result(errc::unsupported);
        return false;
    }
    if (auto now = to_.begin_write(*this)) {
        set_result(*now);
        return false;
    }
    if (deadline_ != never) arm_deadline();
    return true;
}

void write_operation::arm_deadline() noexcept {
    if (to_.has_deadline(byte_stream::write_deadline)) {
        timers_of(*this).arm(timer_, deadline_);
        return;
    }
    on_stream_timer_ = true;
    to_.timed_writer_ = this;
    to_.set_deadline(byte_stream::write_deadline, timers_of(*this), deadline_);
}

void write_operation::cancel(cancel_reason) noexcept {
    to_.stop_write(*this, errc::cancelled);
}

void write_operation::written(result<void> outcome) noexcept {
    if (on_stream_timer_) {
        to_.clear_deadline(byte_stream::write_deadline);
    } else if (timer_.armed()) {
        timers_of(*this).cancel(timer_);
    }
    set_result(outcome);
    complete();
}

void write_operation::throw_error(std::error_code code) const {
    throw error(code, "write to", to_.remote_address().text());
}

}  // namespace rill
