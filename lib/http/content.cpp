// The content of one request.
#include "http/content.hpp"

#include <algorithm>
#include <utility>

#include "http/exchange.hpp"
#include "rill/base/error.hpp"
#include "rill/http/problem.hpp"
#include "rill/rt/sleep.hpp"

namespace rill::http {

namespace {

constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

content_reader::content_reader(exchange& of, http1::request_head const& head, content_bounds bounds)
    : of_(of),
      decoder_(head.framing()),
      bounds_(bounds),
      // RFC 9110 section 10.1.1: who has sent content already waits for nothing.
      continue_due_(head.expect_continue() && of.input_.empty()) {
    if (!head.chunked()) size_ = head.framing().length;
    if (!head.has_content()) last_ = found::end;
}

task<content_reader::found> content_reader::next() {
    while (last_ == found::piece && !take()) {
        bool const came = co_await receive();
        if (!came) break;
    }
    co_return last_;
}

task<body_piece> content_reader::read() {
    found const what = co_await next();
    if (what == found::refused) throw problem(static_cast<int>(status_), reason_);
    if (what == found::lost) throw error(errc::end_of_stream, "read the content of a request");
    co_return body_piece(piece_);
}

// True when there is something to tell: a piece, the end or a refusal.
bool content_reader::take() {
    piece_ = {};
    for (;;) {
        auto const step = decoder_.next(of_.input_.view());
        // The memory stays until more is received.
        of_.input_.consume(step.consumed);
        switch (step.what) {
            case http1::body_event::need_more:
                // A chunk that says that it is too large is not waited for.
                if (decoder_.remaining() <= bounds_.bytes - taken_) return false;
                refuse(413, "the content is larger than allowed");
                return true;
            case http1::body_event::end:
                end();
                return true;
            case http1::body_event::failed:
                refuse(decoder_.chunks().failure_status(), decoder_.chunks().failure_reason());
                return true;
            case http1::body_event::data:
                break;
        }
        if (step.data.empty()) continue;
        if (step.data.size() + decoder_.remaining() > bounds_.bytes - taken_) {
            refuse(413, "the content is larger than allowed");
            return true;
        }
        taken_ += step.data.size();
        piece_ = step.data;
        return true;
    }
}

void content_reader::end() {
    last_ = found::end;
    for (std::size_t i = 0; i < decoder_.chunks().trailer_count(); ++i) {
        field const each = decoder_.chunks().trailer(i);
        trailers_.add(each.name, each.value);
    }
}

void content_reader::refuse(unsigned code, char const* reason) noexcept {
    last_ = found::refused;
    status_ = code;
    reason_ = reason;
}

task<bool> content_reader::receive() {
    // While an answer is sent, its producer alone writes.
    if (!answering_) {
        if (std::exchange(continue_due_, false)) {
            static_cast<void>(of_.output_.append(continue_line));
        }
        bool const sent = co_await of_.flush();
        if (!sent) {
            co_await yield();  // ends here where it was cancelled
            last_ = found::lost;
            co_return false;
        }
    }
    // The client is waited for, not our own rates.
    time_point const began = of_.home_.home().now() - of_.peer_.held_back_reads();
    auto const more = co_await of_.receive(later(of_.home_.home().now(), bounds_.patience));
    bounds_.patience -= of_.home_.home().now() - of_.peer_.held_back_reads() - began;
    if (more == exchange::arrival::came) co_return true;
    if (more == exchange::arrival::timed_out) {
        refuse(408, "the content did not arrive in time");
    } else {
        co_await yield();  // ends here where it was cancelled
        last_ = found::lost;
    }
    co_return false;
}

bool content_reader::answer_begins(bool read_on) {
    answering_ = true;
    if (!read_on) drop_at_hand();
    if (ended()) return true;
    // Who was not told to go on may send the content or not: nobody knows where it would end.
    if (failed() || continue_due_) return false;
    return read_on || little_left();
}

task<bool> content_reader::drop_rest() {
    answering_ = true;
    server_options const& options = of_.home_.options();
    bounds_.patience = options.drain_timeout;
    bounds_.bytes = taken_ + std::min<std::uint64_t>(options.drain_bytes, ~taken_);
    drop_at_hand();
    if (failed() || (size_ && !little_left())) co_return false;
    while (!ended()) {
        found const what = co_await next();
        if (what > found::end) co_return false;
    }
    co_return true;
}

void content_reader::drop_at_hand() {
    while (last_ == found::piece && take() && !piece_.empty()) {
    }
}

bool content_reader::little_left() const noexcept {
    return size_ && *size_ - taken_ <= of_.home_.options().drain_bytes;
}

}  // namespace rill::http
