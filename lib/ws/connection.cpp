// The coroutines of a WebSocket connection. RFC 6455 sections 5.5, 6 and 7.
#include "ws/connection.hpp"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "rill/coro/as_result.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/sleep.hpp"
#include "rt/driver.hpp"

namespace rill::ws::detail {

using codec::ws_opcode;

namespace {

// True while the coroutine is in its scope; a cancelled one leaves it, too.
class scoped_flag {
public:
    explicit scoped_flag(bool& flag) noexcept : flag_(flag) { flag_ = true; }
    scoped_flag(scoped_flag const&) = delete;
    scoped_flag& operator=(scoped_flag const&) = delete;
    ~scoped_flag() { flag_ = false; }

private:
    bool& flag_;
};

time_point after(time_point since, duration length) noexcept {
    return length > duration::zero() ? later(since, length) : never;
}

}  // namespace

// A client's frame has a key that nobody foresees, each a new one. RFC 6455 sections 5.3 and 10.3.
codec::ws_head connection::head_of(ws_opcode opcode, std::size_t size, bool last) const {
    codec::ws_head head{.opcode = opcode, .last = last, .masked = masks_, .payload_bytes = size};
    if (masks_) core::current().io().random(head.mask);
    return head;
}

/// A frame as it is written: its head, and the payload, in a copy where that is masked.
class connection::outgoing {
public:
    outgoing(codec::ws_head const& head, bytes payload)
        : head_(head), pieces_{head_.view(), payload} {
        if (!head.masked) return;
        bool const kept = masked_.append(payload);
        RILL_ASSERT(kept, "a queue without a bound takes all");
        codec::apply_mask(masked_.mutable_view(), head.mask);
        pieces_[1] = masked_.view();
    }
    outgoing(outgoing const&) = delete;
    outgoing& operator=(outgoing const&) = delete;
    [[nodiscard]] std::span<bytes const> pieces() const noexcept { return pieces_; }

private:
    codec::ws_head_text head_;
    buffer masked_;
    std::array<bytes, 2> pieces_;
};

connection::connection(byte_stream& peer, role side, socket_options const& options)
    : peer_(peer),
      options_(options),
      order_(side == role::server ? codec::ws_sender::client : codec::ws_sender::server),
      pulse_({.ping_after = options.ping_after, .give_up_after = options.give_up_after}),
      last_message_(core::current().now()),
      gathered_(options.message_bytes),
      masks_(side == role::client) {}

// ---------------------------------------------------------------- the end

void connection::end(unsigned code, std::string_view reason) {
    if (ended()) return;
    fragmented_.unlock();  // who waits for its turn learns that there is none
    close_code_ = static_cast<std::uint16_t>(code);
    close_reason_ = reason;
    ended_.set();
}

void connection::cut() {
    end(1006);
    peer_.close();
}

void connection::require_open(char const* operation) const {
    if (ended() || close_sent_) throw error(errc::closed, operation, "a WebSocket");
}

// ---------------------------------------------------------------- receiving

task<message> connection::receive() {
    return read_until(never);
}

task<message> connection::read_until(time_point limit) {
    RILL_ASSERT(!receiving_, "one coroutine receives from a WebSocket at a time");
    scoped_flag const reading(receiving_);
    if (given_) forget_message();
    // What lay in the kernel while nobody received is no silence.
    if (core::current().now() >= pulse_.give_up_at()) pulse_.received();
    while (!ended()) {
        if (pong_owed_ && !close_sent_) {
            bytes const payload(control_.data(), control_size_);
            co_await write_control(ws_opcode::pong, payload);
            continue;
        }
        progress const found = advance();
        if (found == progress::message) {
            given_ = true;
            last_message_ = core::current().now();
            co_return message(opcode_ == ws_opcode::text ? kind::text : kind::binary, whole_);
        }
        if (found == progress::ping) {
            pong_owed_ = true;
        } else if (found == progress::hungry) {
            co_await fill(limit);
        } else {
            co_await answer_end(found);
        }
    }
    co_return message();
}

time_point connection::next_deadline(time_point limit) const noexcept {
    return std::min({limit, pulse_.ping_at(), pulse_.give_up_at(),
                     after(last_message_, options_.idle_timeout)});
}

task<> connection::fill(time_point limit) {
    input_.reset();
    auto got = co_await as_result(peer_.receive(next_deadline(limit)));
    if (got) {
        input_ = std::move(*got);
        if (!input_) end(1006);
        pulse_.received();
        pulse_.sent();
    } else if (got.error() == errc::timed_out) {
        co_await act_on_time(limit);
    } else if (got.error() == errc::cancelled) {
        co_await yield();  // a cancelled line ends at an await whose result nobody takes
    } else {
        end(1006);
    }
}

task<> connection::act_on_time(time_point limit) {
    time_point const now = core::current().clock();
    if (now >= limit || now >= pulse_.give_up_at()) {
        cut();
    } else if (now >= after(last_message_, options_.idle_timeout)) {
        co_await answer_end(fail(1001, "idle"));
    } else if (now >= pulse_.ping_at() && !close_sent_) {
        co_await write_control(ws_opcode::ping, {});
        pulse_.sent();
    } else {
        pulse_.sent();  // nothing is said behind a close
    }
}

// Answers the peer's close, or says why the connection fails; then it has ended.
task<> connection::answer_end(progress why) {
    std::uint16_t const code = code_;
    co_await say_close(code, why == progress::failed ? reason_ : std::string_view());
    end(code, reason_);
}

// ---------------------------------------------------------------- sending

time_point connection::write_deadline() const noexcept {
    return after(core::current().clock(),
                 close_sent_ ? options_.close_timeout : options_.write_timeout);
}

task<> connection::write_frame(ws_opcode opcode, bytes payload, bool last) {
    outgoing const frame(head_of(opcode, payload.size(), last), payload);
    std::exception_ptr failure;
    try {
        co_await peer_.write(frame.pieces(), write_deadline());
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        cut();
        std::rethrow_exception(failure);
    }
}

// For what this side says by itself: a peer that is gone ends the connection and throws nothing.
task<> connection::write_control(ws_opcode opcode, bytes payload) {
    outgoing const frame(head_of(opcode, payload.size(), true), payload);
    auto const sent = co_await as_result(peer_.write(frame.pieces(), write_deadline()));
    if (!sent && sent.error() == errc::cancelled) co_await yield();  // as in `fill`
    pong_owed_ = false;
    if (!sent) cut();
}

task<> connection::send(ws_opcode opcode, bytes content) {
    if (opcode == ws_opcode::text) {
        codec::utf8_check check;
        if (!check.add(content) || !check.whole()) {
            throw error(std::make_error_code(std::errc::invalid_argument), "send", "a text message",
                        "text is UTF-8: send other bytes with send_binary");
        }
    }
    auto const turn = co_await sending_.lock();
    require_open("send");
    co_await write_frame(opcode, content, true);
}

task<> connection::send_fragment(ws_opcode opcode, bytes content, bool last) {
    bool const first = !fragmented_;
    if (first) {
        auto turn = co_await sending_.lock();
        require_open("send");
        fragmented_ = std::move(turn);
    }
    require_open("send");
    co_await write_frame(first ? opcode : ws_opcode::continuation, content, last);
    if (last) fragmented_.unlock();
}

task<> connection::ping(bytes payload) {
    if (payload.size() > 125) {
        throw error(std::make_error_code(std::errc::invalid_argument), "ping", {},
                    "a ping has 125 bytes at most");
    }
    require_open("ping");
    co_await write_frame(ws_opcode::ping, payload, true);
}

// ---------------------------------------------------------------- closing

task<> connection::close(unsigned code, std::string_view reason) {
    if (!codec::is_close_code(code)) {
        throw error(std::make_error_code(std::errc::invalid_argument), "close", {},
                    "send 1000, 1001, 1008, 1011 or a code from 3000 to 4999");
    }
    co_await say_close(code, reason);
    time_point const limit = deadline_in(options_.close_timeout);
    // Whoever receives sees the peer's close; where nobody does, this is who receives.
    if (receiving_) {
        co_await await_end(limit);
        co_return;
    }
    for (bool more = !ended(); more;) {
        auto const dropped = co_await read_until(limit);
        more = static_cast<bool>(dropped);
    }
}

task<> connection::leave(unsigned code) {
    co_await say_close(code, {});
    co_await await_end(deadline_in(options_.close_timeout));
}

task<> connection::say_close(unsigned code, std::string_view reason) {
    if (ended() || close_sent_) co_return;
    close_sent_ = true;
    codec::ws_close_text const text(static_cast<std::uint16_t>(code), reason);
    co_await write_control(ws_opcode::close, text.view());
}

task<> connection::await_end(time_point limit) {
    auto const done = co_await as_result(timeout_at(limit, ended_.wait()));
    if (!done && done.error() == errc::timed_out) cut();
}

}  // namespace rill::ws::detail
