// The waits of sockets of datagrams: where a deadline, a cancellation and the socket's answer meet.
#include "rill/io/datagram.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <type_traits>

#include "io/message_socket.hpp"

namespace rill {

namespace {

// What the kernel takes in one message that is cut into segments: udp(7), UDP_SEGMENT.
constexpr std::size_t most_segments = 64;
constexpr std::size_t most_segmented_bytes = 65'000;

}  // namespace

address const* detail::reachable(address const* target, address::family from,
                                 address& mapped) noexcept {
    if (target == nullptr || from != address::family::ipv6 ||
        target->kind() != address::family::ipv4) {
        return target;
    }
    std::array<std::uint8_t, 16> ip{};
    ip[10] = ip[11] = 0xff;
    std::copy_n(target->ip().begin(), 4, ip.begin() + 12);
    mapped = address::v6(ip, target->port());
    return &mapped;
}

// Receiving.

receive_datagram_operation::~receive_datagram_operation() {
    // What nobody took (a losing branch, a cancelled line) is the next receiver's.
    auto& unread = stored();
    if (unread && unread->has_value() && **unread) from_.put_back(*std::move(*unread));
}

bool receive_datagram_operation::start() noexcept {
    auto now = from_.begin_receive(*this, deadline_);
    if (!now) return true;
    set_result(*std::move(now));
    return false;
}

void receive_datagram_operation::cancel(cancel_reason) noexcept {
    from_.stop_receive(*this);
}

void receive_datagram_operation::arrived(result<received_datagram> input) noexcept {
    set_result(std::move(input));
    complete();
}

receive_batch_operation::receive_batch_operation(message_socket& from,
                                                 std::span<received_datagram> into,
                                                 time_point deadline) noexcept
    : from_(from), into_(into), deadline_(deadline) {
    RILL_ASSERT(!into.empty(), "receive into at least one place");
}

receive_batch_operation::~receive_batch_operation() {
    if (first_) from_.put_back(std::move(first_));
}

bool receive_batch_operation::start() noexcept {
    auto now = from_.begin_receive(*this, deadline_);
    if (!now) return true;
    keep(*std::move(now));
    return false;
}

void receive_batch_operation::cancel(cancel_reason) noexcept {
    from_.stop_receive(*this);
}

void receive_batch_operation::arrived(result<received_datagram> input) noexcept {
    keep(std::move(input));
    complete();
}

void receive_batch_operation::keep(result<received_datagram> input) noexcept {
    if (!input) {
        set_result(input.error());
        return;
    }
    first_ = *std::move(input);
    set_result(first_ ? std::size_t{1} : std::size_t{0});
}

void receive_batch_operation::take() noexcept {
    if (!first_) return;
    into_[0] = std::move(first_);
    std::size_t count = 1;
    while (count < into_.size()) {
        received_datagram next = from_.take_unread();
        if (!next) break;
        into_[count++] = std::move(next);
    }
    set_result(count);
}

// Sending one.

send_datagram_operation::timer::timer(send_datagram_operation& of) noexcept
    : timer_node([](timer_node& node) noexcept {
          auto& self = static_cast<timer&>(node).owner;
          self.from_.stop_send(self, errc::timed_out);
      }),
      owner(of) {}

send_datagram_operation::send_datagram_operation(message_socket& from, bytes what,
                                                 address const* target,
                                                 time_point deadline) noexcept
    : pending_write(what),
      request(verb::send_message),
      from_(from),
      deadline_(deadline),
      extras_{.target = target},
      timer_(*this) {}

send_datagram_operation::send_datagram_operation(message_socket& from,
                                                 std::span<bytes const> pieces,
                                                 address const* target,
                                                 time_point deadline) noexcept
    : pending_write(pieces),
      request(verb::send_message),
      from_(from),
      deadline_(deadline),
      extras_{.target = target},
      timer_(*this) {}

send_datagram_operation::send_datagram_operation(message_socket& from, bytes what,
                                                 std::uint16_t segment_bytes, address const* target,
                                                 time_point deadline) noexcept
    : send_datagram_operation(from, what, target, deadline) {
    extras_.segment_bytes = segment_bytes;
}

send_datagram_operation::send_datagram_operation(message_socket& from, bytes what,
                                                 std::span<file::handle const> descriptors,
                                                 time_point deadline) noexcept
    : send_datagram_operation(from, what, nullptr, deadline) {
    static_assert(sizeof(file::handle) == sizeof(int) && std::is_standard_layout_v<file::handle>,
                  "a handle is its descriptor, so that a span of them is one of descriptors");
    extras_.descriptors = {reinterpret_cast<int const*>(descriptors.data()), descriptors.size()};
}

bool send_datagram_operation::start() noexcept {
    extras_.target = detail::reachable(extras_.target, from_.kind(), mapped_);
    if (auto now = from_.begin_send(*this)) {
        set_result(*now);
        return false;
    }
    if (deadline_ != never) from_.home().timers().arm(timer_, deadline_);
    return true;
}

void send_datagram_operation::cancel(cancel_reason) noexcept {
    from_.stop_send(*this, errc::cancelled);
}

void send_datagram_operation::written(result<void> outcome) noexcept {
    if (timer_.armed()) from_.home().timers().cancel(timer_);
    set_result(outcome);
    complete();
}

void send_datagram_operation::submit(int descriptor) noexcept {
    auto pieces = remaining(cut_);
    if (std::size_t const segment = extras_.segment_bytes; segment != 0 && !pieces.empty()) {
        std::size_t const fitting = most_segmented_bytes / segment;
        cut_ = pieces[0].first(segment * std::clamp<std::size_t>(fitting, 1, most_segments));
        pieces = {&cut_, 1};
    }
    set_descriptor(descriptor);
    set_pieces(pieces.data(), pieces.size());
    set_extras(&extras_);
    from_.home().io().start(*this);
}

void send_datagram_operation::completed(int value, std::uint32_t, bool) noexcept {
    from_.sent(*this, value);
}

void send_datagram_operation::throw_error(std::error_code code) const {
    throw error(code, "send to", extras_.target != nullptr ? extras_.target->text() : "the peer");
}

std::optional<result<void>> message_socket::begin_send(send_datagram_operation& what) noexcept {
    if (closed_) return result<void>(errc::closed);
    if (broken_) return result<void>(broken_);
    if (with_.stream && what.all_written()) return result<void>();
    if (auto const why = failure_of(what.extras_.target)) return result<void>(*why);
    bool const is_first = sends_.push(what);
    if (!in_line() || is_first) what.submit(descriptor_);
    return std::nullopt;
}

void message_socket::stop_send(send_datagram_operation& what, std::error_code why) noexcept {
    if (!what.request::in_flight()) {
        finish_send(what, why);
        return;
    }
    if (!what.stopped_by) what.stopped_by = why;
    home_.io().cancel(what);
}

void message_socket::sent(send_datagram_operation& what, int value) noexcept {
    bool const in_parts = with_.stream || what.extras_.segment_bytes != 0;
    if (value >= 0) {
        what.extras_.descriptors = {};
        if (in_parts) what.advance(static_cast<std::size_t>(value));
        if (!in_parts || what.all_written()) return finish_send(what, {});
    }
    if (what.stopped_by || closed_) {
        if (with_.stream && what.begun() && !broken_) broken_ = errc::write_broken;
        return finish_send(what, what.stopped_by ? what.stopped_by : errc::closed);
    }
    if (value < 0 && value != -ECANCELED) {
        result<void> outcome(system_error(-value));
        if (with_.stream) {
            broken_ = outcome.error();
            return finish_send(what, outcome);
        }
        bool const was_told = collect_failures() != 0 || may_be_of_another(-value);
        auto const own = failure_of(what.extras_.target);
        if (own || !was_told || what.tried_again_) {
            return finish_send(what, own ? result<void>(*own) : outcome);
        }
        what.tried_again_ = true;
    }
    what.submit(descriptor_);
}

void message_socket::finish_send(send_datagram_operation& what, result<void> outcome) noexcept {
    bool const was_first = sends_.first() == &what;
    sends_.remove(what);
    what.written(outcome);
    if (closed_) {
        let_go();
        return;
    }
    if (!in_line() || !was_first) return;
    while (broken_ && !sends_.empty()) {
        pending_write& next = *sends_.first();
        sends_.remove(next);
        next.written(broken_);
    }
    if (!sends_.empty()) {
        static_cast<send_datagram_operation&>(*sends_.first()).submit(descriptor_);
    }
}

}  // namespace rill
