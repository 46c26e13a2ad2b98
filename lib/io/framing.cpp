// Reading frames: views of a lease where they lie whole in it, gathered where they do not.
#include "rill/io/framing.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "rill/rt/core.hpp"

namespace rill {

namespace {

/// How much is copied at once from a buffer of which nobody knows where the frame in it ends.
constexpr std::size_t gather_step = 256;

}  // namespace

namespace detail {

void frame_parts::set_payload(std::span<bytes const> payload) noexcept {
    RILL_ASSERT(payload.size() <= framing::most_payload_pieces, "a payload has at most 16 pieces");
    for (bytes const piece : payload) {
        pieces_[count_++] = piece;
        payload_bytes_ += piece.size();
    }
}

void frame_parts::close(std::size_t maximum_bytes) noexcept {
    pieces_[0] = head_.view();
    pieces_[count_++] = tail_.view();
    std::size_t const edges = head_.view().size() + tail_.view().size();
    if (!refused_ && payload_bytes_ + edges > maximum_bytes) refused_ = errc::limit_exceeded;
}

}  // namespace detail

bool write_frame_operation::start() noexcept {
    if (refused()) {
        set_result(refused());
        return false;
    }
    return write_operation::start();
}

// The wait for a frame.

bool read_frame_operation::start() noexcept {
    from_.begin();
    if (auto now = look()) {
        set_result(*now);
        return false;
    }
    if (auto later = receive(std::nullopt)) {
        set_result(*later);
        return false;
    }
    if (deadline_ != never) {
        timed_ = true;
        from_.over_.set_read_deadline(*this, core::of(*waiting_chain()).timers(), deadline_);
    }
    return true;
}

std::optional<result<frame>> read_frame_operation::look() noexcept try {
    return from_.next(codec_);
} catch (std::bad_alloc const&) {
    return system_error(ENOMEM);
}

/// Takes input until there is a frame; nothing when it has to wait for more.
std::optional<result<frame>> read_frame_operation::receive(
    std::optional<result<lease>> input) noexcept {
    for (;; input.reset()) {
        if (!input) input = from_.over_.begin_receive(*this);
        if (!input) return std::nullopt;
        if (!*input) return input->error();
        if (!**input) return from_.ended();
        from_.lease_ = *std::move(*input);
        if (auto found = look()) return found;
    }
}

void read_frame_operation::end(result<frame> with) noexcept {
    if (timed_) from_.over_.clear_read_deadline();
    set_result(with);
    complete();
}

void read_frame_operation::arrived(result<lease> input) noexcept {
    if (auto const found = receive(std::move(input))) end(*found);
}

void read_frame_operation::expired() noexcept {
    if (from_.over_.stop_receive(*this)) end(errc::timed_out);
}

void read_frame_operation::cancel(cancel_reason) noexcept {
    if (from_.over_.stop_receive(*this)) end(errc::cancelled);
}

frame read_frame_operation::await_resume() {
    frame const got = value_operation::await_resume();
    from_.take(got);
    return got;
}

result<frame> read_frame_operation::take_result() noexcept {
    result<frame> const got = value_operation::take_result();
    if (got) from_.take(*got);
    return got;
}

void read_frame_operation::throw_error(std::error_code code) const {
    throw error(code, "read a frame from", from_.over_.remote_address().text());
}

// The bytes at hand.

framed_stream::~framed_stream() {
    drop_taken();
    if (lease_) over_.put_back(std::move(lease_));
}

void framed_stream::begin() noexcept {
    drop_taken();
    // The codec may be another one than that of a call which was cancelled inside a frame.
    seen_ = 0;
    wanted_ = 1;
}

void framed_stream::take(frame const& what) noexcept {
    taken_ = what.whole().size();
    if (what && with_.counters != nullptr) ++with_.counters->frames;
}

void framed_stream::drop_taken() noexcept {
    std::size_t const count = std::exchange(taken_, 0);
    if (count == 0) return;
    if (gathered_.empty()) {
        lease_.consume(count);
        if (!lease_) lease_.reset();
    } else {
        gathered_.consume(count);
        gathered_.shrink(with_.keep_bytes);
    }
}

framed_stream::found framed_stream::next(detail::decoder_ref const& codec) {
    if (failed_) return failed_;
    if (gathered_.empty()) {
        if (auto whole = look(codec, lease_.view())) return whole;
        // The beginning of a frame. Nobody knows when the rest comes, so the buffer goes back.
        gathered_.set_maximum(std::max(codec.maximum_bytes, lease_.size()));
        static_cast<void>(gathered_.append(lease_.view()));
        lease_.reset();
        return std::nullopt;
    }
    gathered_.set_maximum(std::max(codec.maximum_bytes, gathered_.size()));
    found at_hand = look(codec, gathered_.view());
    while (!at_hand && lease_) at_hand = gather(codec);
    return at_hand;
}

framed_stream::found framed_stream::gather(detail::decoder_ref const& codec) {
    std::size_t const have = gathered_.size();
    // `look` has refused what wants more than the maximum.
    RILL_ASSERT(wanted_ > have, "a codec that has looked wants more than it has seen");
    std::size_t const missing = wanted_ - have;
    std::size_t const most =
        missing > 1 ? missing : std::min(gather_step, codec.maximum_bytes - have);
    std::size_t const count = std::min(lease_.size(), most);
    static_cast<void>(gathered_.append(lease_.view().first(count)));
    found at_hand = look(codec, gathered_.view());
    std::size_t used = count;
    if (at_hand && at_hand->has_value()) {
        // What follows the frame stays in the lease.
        std::size_t const after = std::min(count, gathered_.size() - (*at_hand)->whole().size());
        gathered_.truncate(gathered_.size() - after);
        used -= after;
    }
    if (lease_) lease_.consume(used);
    if (!lease_) lease_.reset();
    return at_hand;
}

framed_stream::found framed_stream::look(detail::decoder_ref const& codec, bytes window) noexcept {
    if (window.size() < wanted_) return std::nullopt;
    framing::step const at = codec.measure(codec.codec, window, seen_);
    if (at.why() != framing::fault::none) return fail(at.why());
    if (!at.whole()) {
        seen_ = window.size();
        wanted_ = std::max(at.size(), window.size() + 1);
        if (wanted_ > codec.maximum_bytes) return fail(framing::fault::too_long);
        return std::nullopt;
    }
    RILL_ASSERT(at.size() != 0, "a frame has at least one byte");
    RILL_ASSERT(at.size() <= window.size(), "a codec gives frames that lie in its input");
    RILL_ASSERT(at.payload_begin() + at.payload_size() <= at.size(), "a payload lies in its frame");
    RILL_ASSERT(at.prefix_size() <= at.size(), "a prefix lies in its frame");
    if (at.size() > codec.maximum_bytes) return fail(framing::fault::too_long);
    return frame(window.first(at.size()), at);
}

result<frame> framed_stream::ended() noexcept {
    if (failed_) return failed_;
    if (gathered_.empty()) return frame();
    return fail(framing::fault::truncated);
}

std::error_code framed_stream::fail(framing::fault why) noexcept {
    failed_ = framing::to_errc(why);
    lease_.reset();
    gathered_.release();
    if (with_.counters == nullptr) return failed_;
    switch (why) {
        case framing::fault::too_long:
            ++with_.counters->too_long;
            break;
        case framing::fault::bad_length:
            ++with_.counters->bad_length;
            break;
        case framing::fault::bad_check:
            ++with_.counters->bad_check;
            break;
        case framing::fault::truncated:
            ++with_.counters->truncated;
            break;
        case framing::fault::malformed:
        case framing::fault::none:
            ++with_.counters->malformed;
            break;
    }
    return failed_;
}

owned_frame::owned_frame(frame const& of) : frame_(of) {
    static_cast<void>(memory_.append(of.whole()));
}

}  // namespace rill
