// Rates that are shared, and the stream that keeps to them.
#include "rill/io/throttle.hpp"

#include <algorithm>
#include <utility>

#include "rill/rt/core.hpp"

namespace rill {

namespace {

constexpr std::uint64_t portions_per_second = 64;
constexpr std::int64_t ticks_per_second = duration(std::chrono::seconds(1)).count();

}  // namespace

byte_rate::byte_rate(std::uint64_t bytes_per_second) noexcept
    : rate_(bytes_per_second),
      portion_(static_cast<std::size_t>(std::clamp<std::uint64_t>(
          bytes_per_second / portions_per_second, 1, most_portion_bytes))),
      slack_(rate_ == 0 ? 0 : length_of(portion_)),
      booked_until_(time_point::min().time_since_epoch().count()) {}

std::int64_t byte_rate::length_of(std::size_t count) const noexcept {
    // In two steps: the product of a large count with the ticks of a second would overflow.
    std::uint64_t const seconds = count / rate_;
    std::uint64_t const rest = count % rate_;
    auto const ticks = static_cast<double>(rest) / static_cast<double>(rate_) *
                       static_cast<double>(ticks_per_second);
    return static_cast<std::int64_t>(seconds) * ticks_per_second + static_cast<std::int64_t>(ticks);
}

time_point byte_rate::book(std::size_t count, time_point now) noexcept {
    if (!limited()) return now;
    std::int64_t const length = length_of(count);
    // Who comes a little late has lost nothing; who comes much later finds nothing saved up.
    std::int64_t const earliest = now.time_since_epoch().count() - slack_;
    std::int64_t before = booked_until_.load(std::memory_order_relaxed);
    std::int64_t begin = 0;
    do {
        begin = std::max(before, earliest);
    } while (
        !booked_until_.compare_exchange_weak(before, begin + length, std::memory_order_relaxed));
    return time_point(duration(begin));
}

throttled_stream::way::way(throttled_stream& of,
                           void (throttled_stream::*go_on)() noexcept) noexcept
    : timer_node([](timer_node& node) noexcept {
          auto& self = static_cast<way&>(node);
          (self.stream.*self.then)();
      }),
      stream(of),
      then(go_on) {}

/// True when `count` bytes have to wait: `then` is called, and asks again.
bool throttled_stream::way::waits(std::size_t count) noexcept {
    core& home = core::current();
    time_point const now = home.now();
    if (since != never) held_back += now - std::exchange(since, never);
    while (booked != most_rates) {
        byte_rate* const rate = rates[booked++];
        if (rate == nullptr || !rate->limited()) continue;
        time_point const when = rate->book(count, now);
        if (when <= now) continue;
        since = now;
        home.timers().arm(*this, when);
        return true;
    }
    booked = 0;
    return false;
}

void throttled_stream::way::stop() noexcept {
    if (since == never) return;
    core& home = core::current();
    home.timers().cancel(*this);
    held_back += home.now() - std::exchange(since, never);
    booked = 0;
}

/// The time for which waits were held back since this was asked last, the whole of the present one
/// included.
duration throttled_stream::way::excuse() noexcept {
    duration all = held_back;
    if (since != never) all += when() - since;
    return all - std::exchange(excused, all);
}

throttled_stream::throttled_stream(byte_stream& below) noexcept
    : below_(below),
      in_(*this, &throttled_stream::read_on),
      out_(*this, &throttled_stream::write_on),
      next_(*this) {}

throttled_stream::~throttled_stream() {
    RILL_ASSERT(reader_ == nullptr && writes_.empty(),
                "end the waits on a throttled stream before it ends");
}

// Receiving.

std::optional<result<lease>> throttled_stream::begin_receive(input_waiter& who) noexcept {
    RILL_ASSERT(reader_ == nullptr, "one reader of a stream at a time");
    in_.excused = in_.held_back;  // what earlier waits were held back for
    auto now = below_.begin_receive(*this);
    if (now && (!now->has_value() || !hold(**now))) return now;
    reader_ = &who;
    return std::nullopt;
}

/// Keeps `input` where its time has not come.
bool throttled_stream::hold(lease& input) noexcept {
    if (!input) return false;
    std::size_t const unpaid = input.size() - std::min(input.size(), paid_);
    core& home = core::current();
    if (paid_ != 0 && paid_at_ > home.now()) {
        // It was held back before, by somebody who did not wait for it to the end.
        in_.since = home.now();
        home.timers().arm(in_, paid_at_);
    } else if (unpaid == 0 || !in_.waits(unpaid)) {
        paid_ -= std::min(input.size(), paid_);
        return false;
    }
    held_ = std::move(input);
    return true;
}

void throttled_stream::read_on() noexcept {
    std::size_t const unpaid = held_.size() - std::min(held_.size(), paid_);
    if (unpaid == 0) {
        in_.held_back += core::current().now() - std::exchange(in_.since, never);
    } else if (in_.waits(unpaid)) {
        return;
    }
    paid_ -= std::min(held_.size(), paid_);
    std::exchange(reader_, nullptr)->arrived(std::exchange(held_, lease()));
}

void throttled_stream::arrived(result<lease> input) noexcept {
    if (input && hold(*input)) return;
    std::exchange(reader_, nullptr)->arrived(std::move(input));
}

bool throttled_stream::stop_receive(input_waiter& who) noexcept {
    if (reader_ != &who) return false;
    if (held_) {
        // Its time is booked with some of the rates: it is not asked for again.
        if (in_.since != never) paid_at_ = in_.when();
        in_.stop();
        paid_ = std::max(paid_, held_.size());
        below_.put_back(std::move(held_));
    } else if (!below_.stop_receive(*this)) {
        return false;
    }
    reader_ = nullptr;
    return true;
}

void throttled_stream::put_back(lease input) noexcept {
    if (closed_) return;
    paid_ += input.size();
    below_.put_back(std::move(input));
}

// Writing.

std::optional<result<void>> throttled_stream::begin_write(pending_write& what) noexcept {
    if (closed_ || finishing_) return result<void>(errc::closed);
    if (broken_) return result<void>(broken_);
    if (what.all_written()) return result<void>();
    if (!writes_.push(what)) return std::nullopt;
    out_.excused = out_.held_back;
    auto outcome = write_portions();
    if (outcome) {
        note_broken(what, *outcome);
        writes_.remove(what);
    }
    return outcome;
}

/// How many bytes of the first write go next.
std::size_t throttled_stream::next_size() const noexcept {
    std::size_t most = byte_rate::most_portion_bytes;
    bool limited = false;
    for (byte_rate* const rate : out_.rates) {
        if (rate == nullptr || !rate->limited()) continue;
        limited = true;
        most = std::min(most, rate->portion_bytes());
    }
    if (!limited) most = static_cast<std::size_t>(-1);
    if (writes_.first()->file().descriptor >= 0) {
        return static_cast<std::size_t>(
            std::min<std::uint64_t>(most, writes_.first()->file().size));
    }
    bytes rest;
    auto const pieces = writes_.first()->remaining(rest);
    if (pieces.front().size() >= most) return most;
    // Whole pieces, as many as fit.
    std::size_t size = 0;
    for (bytes const& each : pieces) {
        if (each.size() > most - size) break;
        size += each.size();
    }
    return size;
}

/// Sends portions of the first write for as long as nothing has to wait. The outcome, once there is
/// one.
std::optional<result<void>> throttled_stream::write_portions() noexcept {
    for (;;) {
        if (writes_.first()->stopped_by) return result<void>(writes_.first()->stopped_by);
        if (size_ == 0) size_ = next_size();
        if (out_.waits(size_)) return std::nullopt;
        auto const now = start_portion();
        if (!now) return std::nullopt;
        portion_.reset();
        std::size_t const sent = std::exchange(size_, 0);
        if (!*now) return now;
        writes_.first()->advance(sent);
        if (writes_.first()->all_written()) return result<void>();
    }
}

std::optional<result<void>> throttled_stream::start_portion() noexcept {
    file_piece part = writes_.first()->file();
    if (part.descriptor >= 0) {
        part.size = size_;
        portion_.emplace(*this, part);
        return below_.begin_write(*portion_);
    }
    // `cut_` and the pieces of the first write stay where they are until the portion is written.
    auto const pieces = writes_.first()->remaining(cut_);
    if (pieces.front().size() >= size_) {
        portion_.emplace(*this, pieces.front().first(size_));
    } else {
        std::size_t count = 0;
        for (std::size_t size = 0; size != size_; ++count) size += pieces[count].size();
        portion_.emplace(*this, pieces.first(count));
    }
    return below_.begin_write(*portion_);
}

void throttled_stream::portion_written(result<void> outcome) noexcept {
    pending_write& first = *writes_.first();
    std::size_t const sent = std::exchange(size_, 0);
    if (outcome) {
        first.advance(sent);
        if (!first.all_written() && !closed_) {
            // The stream below is in the middle of its own work: the next portion comes after it.
            next_.posted = true;
            core::current().post(next_);
            return;
        }
        if (!first.all_written()) outcome = errc::closed;
    }
    end_first(outcome);
}

void throttled_stream::write_on() noexcept {
    auto const outcome = write_portions();
    if (outcome) end_first(*outcome);
}

/// A write of which a part has gone and the rest will not.
void throttled_stream::note_broken(pending_write const& what, result<void> outcome) noexcept {
    if (outcome || !what.begun() || broken_) return;
    broken_ = what.stopped_by ? make_error_code(errc::write_broken) : outcome.error();
}

/// Ends the first write, and lets the next one go on.
void throttled_stream::end_first(result<void> outcome) noexcept {
    pending_write& first = *writes_.first();
    note_broken(first, outcome);
    writes_.remove(first);
    out_.excused = out_.held_back;
    if (closed_) {
        fail_waiting(errc::closed);
    } else if (broken_) {
        fail_waiting(broken_);
    } else if (!writes_.empty()) {
        next_.posted = true;
        core::current().post(next_);
    }
    finish_if_done();
    first.written(outcome);
}

void throttled_stream::fail_waiting(std::error_code why) noexcept {
    while (!writes_.empty()) {
        pending_write& each = *writes_.first();
        writes_.remove(each);
        each.written(why);
    }
}

void throttled_stream::stop_write(pending_write& what, std::error_code why) noexcept {
    if (&what != writes_.first()) {
        writes_.remove(what);
        what.written(why);
        return;
    }
    if (!what.stopped_by) what.stopped_by = why;
    if (next_.posted) return;
    if (out_.since != never) {
        out_.stop();
        size_ = 0;
        end_first(what.stopped_by);
    } else {
        below_.stop_write(*portion_, why);
    }
}

duration throttled_stream::excuse(bool writing) noexcept {
    return (writing ? out_ : in_).excuse();
}

// Ending.

void throttled_stream::finish() noexcept {
    if (closed_ || finishing_) return;
    finishing_ = true;
    finish_if_done();
}

void throttled_stream::finish_if_done() noexcept {
    if (finishing_ && !closed_ && writes_.empty()) below_.finish();
}

void throttled_stream::close() noexcept {
    if (closed_) return;
    closed_ = true;
    if (held_) {
        in_.stop();
        held_.reset();
        std::exchange(reader_, nullptr)->arrived(errc::closed);
    }
    // A portion in the stream below is ended by that; until then its write waits.
    if (!writes_.empty() && out_.since != never) {
        out_.stop();
        size_ = 0;
        end_first(errc::closed);
    } else if (!writes_.empty()) {
        writes_.first()->stopped_by = errc::closed;
        while (writes_.last() != writes_.first()) {
            pending_write& last = *writes_.last();
            writes_.remove(last);
            last.written(errc::closed);
        }
    }
    below_.close();
}

}  // namespace rill
