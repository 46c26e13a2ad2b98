// A socket of messages over the driver seam.
#include "io/message_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "rt/datagram_layout.hpp"

namespace rill {

namespace {

receive_buffers& buffers_of(core& home, bool large) {
    if (!large) return home.buffers();
    receive_buffers* const found = home.io().large_buffers();
    if (found == nullptr) throw error(errc::unsupported, "open a socket with large datagrams");
    return *found;
}

}  // namespace

// The received datagram.

received_datagram::received_datagram(received_datagram&& other) noexcept
    : buffer_(std::move(other.buffer_)),
      segment_bytes_(other.segment_bytes_),
      descriptor_count_(std::exchange(other.descriptor_count_, std::uint8_t{0})),
      present_(std::exchange(other.present_, false)),
      truncated_(other.truncated_),
      descriptors_lost_(other.descriptors_lost_) {}

received_datagram& received_datagram::operator=(received_datagram&& other) noexcept {
    if (this != &other) {
        reset();
        buffer_ = std::move(other.buffer_);
        segment_bytes_ = other.segment_bytes_;
        descriptor_count_ = std::exchange(other.descriptor_count_, std::uint8_t{0});
        present_ = std::exchange(other.present_, false);
        truncated_ = other.truncated_;
        descriptors_lost_ = other.descriptors_lost_;
    }
    return *this;
}

mutable_bytes received_datagram::whole() const noexcept {
    // The buffer is this object's alone; a lease shows it as const to its readers only.
    auto* const payload = const_cast<std::byte*>(buffer_.view().data());
    return {payload - datagram::payload_begin, buffer_.size() + datagram::payload_begin};
}

address received_datagram::from() const {
    return present_ ? datagram::sender(bytes(whole())).unmapped() : address();
}

address received_datagram::to() const {
    return present_ ? datagram::receiver(bytes(whole())) : address();
}

std::vector<file::handle> received_datagram::take_descriptors() {
    std::vector<file::handle> taken;
    taken.reserve(descriptor_count_);
    auto const count = std::exchange(descriptor_count_, std::uint8_t{0});
    if (count == 0) return taken;
    auto const found = datagram::parse(whole(), whole().size());
    for (std::size_t i = 0; i < count; ++i) taken.emplace_back(found.descriptors[i]);
    return taken;
}

void received_datagram::reset() noexcept {
    if (!present_) return;
    if (std::exchange(descriptor_count_, std::uint8_t{0}) != 0) {
        auto const found = datagram::parse(whole(), whole().size());
        for (std::uint32_t i = 0; i < found.descriptor_count; ++i) {
            file::handle const closed(found.descriptors[i]);
        }
    }
    buffer_.reset();
    present_ = false;
}

// The socket.

message_socket::receive_request::receive_request(message_socket& of, bool large) noexcept
    : request(verb::receive_datagrams), owner(of) {
    set_descriptor(of.descriptor_);
    if (large) set_large_buffers();
}

message_socket::message_socket(core& home, int descriptor, settings const& with)
    : home_(home),
      buffers_(buffers_of(home, with.large_buffers)),
      descriptor_(descriptor),
      with_(with),
      receiving_(*this, with.large_buffers) {
    with_.most_unread = std::max(1U, with_.most_unread);
}

message_socket::~message_socket() {
    RILL_ASSERT(closed_ && first_unread_ == receive_buffers::none,
                "release a socket, not delete it");
}

// Receiving.

void message_socket::arm() noexcept {
    if (end_ || closed_ || receiving_.in_flight()) return;
    home_.io().start(receiving_);
}

std::optional<result<received_datagram>> message_socket::begin_receive(
    datagram_waiter& who, time_point deadline) noexcept {
    RILL_ASSERT(reader_ == nullptr, "one reader of a socket at a time");
    if (closed_) return result<received_datagram>(errc::closed);
    if (first_unread_ != receive_buffers::none) return take_unread();
    if (end_) {
        if (end_ == errc::end_of_stream) return received_datagram();
        return result<received_datagram>(end_);
    }
    reader_ = &who;
    arm();
    if (deadline != never) set_deadline(0, home_.timers(), deadline);
    return std::nullopt;
}

void message_socket::stop_receive(datagram_waiter& who) noexcept {
    if (reader_ == &who) tell_reader(errc::cancelled);
}

void message_socket::tell_reader(result<received_datagram> what) noexcept {
    clear_deadline(0);
    std::exchange(reader_, nullptr)->arrived(std::move(what));
}

void message_socket::enqueue(std::uint32_t buffer, std::uint32_t used) noexcept {
    buffers_.at(buffer) = {.next = receive_buffers::none, .begin = 0, .size = used};
    if (first_unread_ == receive_buffers::none) {
        first_unread_ = buffer;
    } else {
        buffers_.at(last_unread_).next = buffer;
    }
    last_unread_ = buffer;
    ++unread_count_;
}

received_datagram message_socket::describe(std::uint32_t buffer, std::uint32_t used) noexcept {
    auto const told = datagram::parse({buffers_.block(buffer), buffers_.bytes_each()}, used);
    received_datagram made;
    made.buffer_ = lease(buffers_, buffer, told.payload);
    made.segment_bytes_ = told.segment_bytes;
    made.descriptor_count_ = static_cast<std::uint8_t>(told.descriptor_count);
    made.present_ = true;
    made.truncated_ = told.truncated;
    made.descriptors_lost_ = told.descriptors_lost;
    return made;
}

received_datagram message_socket::take_unread() noexcept {
    if (first_unread_ == receive_buffers::none) return {};
    std::uint32_t const buffer = first_unread_;
    auto const slot = buffers_.at(buffer);
    first_unread_ = slot.next;
    --unread_count_;
    if (unread_count_ <= with_.most_unread / 2) arm();
    return describe(buffer, slot.size);
}

void message_socket::put_back(received_datagram input) noexcept {
    if (closed_) return;
    auto const used = static_cast<std::uint32_t>(input.whole().size());
    std::uint32_t const buffer = input.buffer_.index();
    static_cast<void>(input.buffer_.detach());
    input.present_ = false;
    input.descriptor_count_ = 0;
    buffers_.at(buffer) = {.next = first_unread_, .begin = 0, .size = used};
    if (first_unread_ == receive_buffers::none) last_unread_ = buffer;
    first_unread_ = buffer;
    ++unread_count_;
}

void message_socket::received(int value, std::uint32_t buffer, bool more) noexcept {
    if (buffer != request::no_buffer) {
        auto const used = static_cast<std::uint32_t>(std::max(value, 0));
        std::uint32_t const use = buffers_.filled(buffer, used);
        received_datagram came = describe(use, used);
        bool const is_end = with_.stream && came.size() == 0 && came.descriptor_count_ == 0;
        if (is_end || value < 0) {
            if (is_end && !end_) end_ = errc::end_of_stream;
        } else if (!closed_) {
            static_cast<void>(came.buffer_.detach());
            came.present_ = false;
            came.descriptor_count_ = 0;
            enqueue(use, used);
        }
    }
    if (closed_) {
        if (!more) let_go();
        return;
    }
    if (value == -ENOBUFS) {
        // All buffers of the core are out, or were when it tried: it goes on when one comes back.
        if (buffers_.exhausted()) {
            buffers_.wait(*this);
        } else {
            arm();
        }
        return;
    }
    if (value < 0 && value != -ECANCELED) failed(-value);
    if (!more && unread_count_ < with_.most_unread) {
        arm();
    } else if (more && unread_count_ >= with_.most_unread) {
        home_.io().cancel(receiving_);
    }
    if (reader_ == nullptr) return;
    if (first_unread_ != receive_buffers::none) {
        tell_reader(take_unread());
    } else if (end_ == errc::end_of_stream) {
        tell_reader(received_datagram());
    } else if (end_) {
        tell_reader(end_);
    }
}

void message_socket::failed(int code) noexcept {
    // The kernel gives a failure of the network to whoever calls first. It is the business of a
    // send, and never the end of a socket of datagrams.
    if (!with_.stream && may_be_of_another(code)) {
        collect_failures();
        return;
    }
    end_ = system_error(code);
    broken_ = end_;
}

void message_socket::buffer_returned() noexcept {
    arm();
}

// Failures.

bool message_socket::may_be_of_another(int code) noexcept {
    // What icmp(7) and icmpv6 make of their messages (icmp_err_convert of the kernel), and what a
    // local peer that went away makes.
    switch (code) {
        case ECONNREFUSED:
        case ECONNRESET:
        case EHOSTUNREACH:
        case EHOSTDOWN:
        case ENETUNREACH:
        case ENONET:
        case ENOPROTOOPT:
        case EPROTO:
        case EMSGSIZE:
        case EOPNOTSUPP:
        case EACCES:
            return true;
        default:
            return false;
    }
}

std::size_t message_socket::collect_failures() noexcept {
    std::size_t count = 0;
    // One for each datagram that was sent, at most: the kernel's queue has its own bound.
    while (auto told = home_.io().next_failure(descriptor_)) {
        ++count;
        send_failure& place = noted_[failures_++ % most_failures];
        if (place.code == 0) ++untold_;
        place = {.to = told->to.unmapped(), .code = told->code};
    }
    return count;
}

std::optional<std::error_code> message_socket::failure_of(address const* target) noexcept {
    if (untold_ == 0) [[likely]]
        return std::nullopt;
    address const to = (target != nullptr ? *target : peer_).unmapped();
    for (send_failure& each : noted_) {
        if (each.code == 0 || !(each.to == to)) continue;
        --untold_;
        return system_error(std::exchange(each.code, 0));
    }
    return std::nullopt;
}

// Closing.

void message_socket::close() noexcept {
    if (closed_) return;
    closed_ = true;
    if (name_.kind() != address::family::none) home_.io().release_name(name_);
    buffers_.stop_waiting(*this);
    while (first_unread_ != receive_buffers::none) {
        std::uint32_t const buffer = first_unread_;
        first_unread_ = buffers_.at(buffer).next;
        received_datagram const dropped = describe(buffer, buffers_.at(buffer).size);
    }
    unread_count_ = 0;
    if (reader_ != nullptr) tell_reader(errc::closed);
    home_.io().cancel(receiving_);
    for (pending_write* each = sends_.first(); each != nullptr;) {
        auto& one = static_cast<send_datagram_operation&>(*each);
        each = pending_writes::after(one);
        stop_send(one, errc::closed);
    }
    for (send_batch_operation* each = first_batch_; each != nullptr;) {
        send_batch_operation& one = *each;
        each = each->next_batch_;
        one.stop(errc::closed);
    }
    let_go();
}

void message_socket::release() noexcept {
    released_ = true;
    if (closed_) {
        let_go();
    } else {
        close();
    }
}

void message_socket::let_go() noexcept {
    if (receiving_.in_flight() || !sends_.empty() || first_batch_ != nullptr) return;
    if (descriptor_ >= 0) home_.io().close(std::exchange(descriptor_, -1));
    if (released_) delete this;
}

// The handle.

datagram_socket& datagram_socket::operator=(datagram_socket&& other) noexcept {
    if (this != &other) {
        if (state_ != nullptr) state_->release();
        state_ = std::exchange(other.state_, nullptr);
    }
    return *this;
}

datagram_socket::~datagram_socket() {
    if (state_ != nullptr) state_->release();
}

message_socket& datagram_socket::state() const noexcept {
    RILL_ASSERT(state_ != nullptr, "this socket was moved from or never opened");
    return *state_;
}

void datagram_socket::close() noexcept {
    state().close();
}

address datagram_socket::local_address() const {
    return state().home().io().local(state().descriptor()).unmapped();
}

}  // namespace rill
