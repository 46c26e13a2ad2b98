// A batch of datagrams to send: several requests in one turn, and so in one entry to the kernel.
#include <array>
#include <cerrno>

#include "io/message_socket.hpp"
#include "rill/io/datagram.hpp"

namespace rill {

/// One datagram of a batch on its way.
class send_batch_operation::slot final : public request {
public:
    slot() noexcept : request(verb::send_message) {}

    send_batch_operation* owner = nullptr;
    message_extras extras;
    address mapped;
    bytes piece;
    bool tried_again = false;

    void send(message_socket& from) noexcept {
        set_descriptor(from.descriptor());
        set_pieces(&piece, 1);
        set_extras(&extras);
        from.home().io().start(*this);
    }

private:
    void completed(int value, std::uint32_t, bool) noexcept override { owner->sent(*this, value); }
};

/// Those that are on their way at once; the pool of frames keeps their memory.
class send_batch_operation::slots {
public:
    static constexpr std::size_t count = 32;
    static void* operator new(std::size_t size) { return detail::allocate_frame(size); }
    static void operator delete(void* memory, std::size_t size) noexcept {
        detail::free_frame(memory, size);
    }
    std::array<slot, count> all;
};

send_batch_operation::send_batch_operation(message_socket& from,
                                           std::span<outgoing_datagram const> batch) noexcept
    : from_(from), batch_(batch) {}

send_batch_operation::~send_batch_operation() = default;

bool send_batch_operation::start() noexcept {
    if (from_.closed_) {
        set_result(errc::closed);
        return false;
    }
    slots_ = std::make_unique<slots>();
    next_batch_ = from_.first_batch_;
    if (next_batch_ != nullptr) next_batch_->previous_batch_ = this;
    from_.first_batch_ = this;
    // Datagrams of local sockets keep their order: one is on its way at a time.
    std::size_t const at_once = from_.in_line() ? 1 : slots::count;
    for (std::size_t i = 0; i < at_once && next_ < batch_.size(); ++i) submit(slots_->all[i]);
    if (in_flight_ != 0) return true;
    finish();
    return false;
}

void send_batch_operation::submit(slot& by) noexcept {
    while (next_ < batch_.size()) {
        outgoing_datagram const& what = batch_[next_++];
        by.owner = this;
        by.piece = what.what;
        by.tried_again = false;
        by.extras.target = detail::reachable(what.to, from_.kind(), by.mapped);
        if (auto const why = from_.failure_of(by.extras.target)) {
            if (!first_failure_) first_failure_ = *why;
            continue;
        }
        ++in_flight_;
        by.send(from_);
        return;
    }
}

void send_batch_operation::sent(slot& by, int value) noexcept {
    --in_flight_;
    if (value >= 0) {
        ++accepted_;
    } else if (value != -ECANCELED) {
        bool const may_be_another = message_socket::may_be_of_another(-value);
        if (may_be_another) from_.collect_failures();
        auto const own = from_.failure_of(by.extras.target);
        if (!own && may_be_another && !by.tried_again && !stopped_by_) {
            by.tried_again = true;
            ++in_flight_;
            by.send(from_);
            return;
        }
        if (!first_failure_) first_failure_ = own ? *own : system_error(-value);
    }
    if (!stopped_by_) submit(by);
    if (in_flight_ != 0) return;
    finish();
    complete();
}

void send_batch_operation::finish() noexcept {
    (previous_batch_ != nullptr ? previous_batch_->next_batch_ : from_.first_batch_) = next_batch_;
    if (next_batch_ != nullptr) next_batch_->previous_batch_ = previous_batch_;
    if (stopped_by_) {
        set_result(stopped_by_);
    } else if (accepted_ == 0 && first_failure_) {
        set_result(first_failure_);
    } else {
        set_result(accepted_);
    }
    if (from_.closed_) from_.let_go();
}

void send_batch_operation::stop(std::error_code why) noexcept {
    if (stopped_by_) return;
    stopped_by_ = why;
    for (slot& each : slots_->all) from_.home().io().cancel(each);
}

void send_batch_operation::cancel(cancel_reason) noexcept {
    stop(errc::cancelled);
}

}  // namespace rill
