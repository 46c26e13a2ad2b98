// The requests of a burst that wait: for their content, or for a handler that is a task.
// RFC 9110 section 10.1.1 (Expect), RFC 9112 sections 6.3 and 9.6.
#include <utility>

#include "http/exchange.hpp"
#include "http/handler_run.hpp"
#include "http/request_access.hpp"
#include "rill/http/problem.hpp"

namespace rill::http {

content_bounds exchange::bounds() const noexcept {
    content_bounds all{home_.options().body_bytes, home_.options().body_timeout};
    if (chosen_.bounds != nullptr) {
        handler_limits const& own = chosen_.bounds->limits;
        if (own.body_bytes != 0) all.bytes = own.body_bytes;
        if (own.body_timeout != duration::zero()) all.patience = own.body_timeout;
    }
    return all;
}

time_point exchange::handler_deadline() const noexcept {
    duration longest = home_.options().handler_timeout;
    if (chosen_.bounds != nullptr && chosen_.bounds->limits.handler_timeout != duration::zero()) {
        longest = chosen_.bounds->limits.handler_timeout;
    }
    return longest == duration::zero() ? never : deadline_in(longest);
}

content_reader& exchange::open_content() {
    if ((traces_ & head_kept) == 0) keep_head(0);
    return slow().content.emplace(*this, parser_.head(), bounds());
}

// The content of a request, as its handler wants it: `answered` when the handler can be called.
task<exchange::progress> exchange::read_content() {
    http1::request_head const& head = parser_.head();
    auto const framing = head.framing();
    // Before the client is told to go on, and before anything of it is read.
    if (framing.kind == http1::body_framing::by::length && framing.length > bounds().bytes) {
        co_return refuse(413, "the content is larger than allowed");
    }
    if (chosen_.content == content_mode::streamed) co_return progress::needs_wait;
    if (framing.kind == http1::body_framing::by::length) {
        std::size_t const whole = head.size() + static_cast<std::size_t>(framing.length);
        if (input_.view().size() >= whole) {
            body_in_place_ = static_cast<std::size_t>(framing.length);
            detail::request_access::set_body(
                request_, input_.view().without_first(head.size()).first(body_in_place_));
            co_return progress::answered;
        }
    }
    content_reader& content = open_content();
    if (chosen_.content == content_mode::unwanted && content.waits_for_continue()) {
        co_return progress::answered;
    }
    progress const step = co_await read_whole();
    co_return step;
}

task<exchange::progress> exchange::read_whole() {
    content_reader& content = *waiting_->content;
    buffer& body = waiting_->body;
    if (body.capacity() == 0) body = home_.take_buffer();
    body.set_maximum(static_cast<std::size_t>(bounds().bytes));
    auto what = content_reader::found::piece;
    while (what == content_reader::found::piece) {
        what = co_await content.next();
        bool const fits = body.append(content.piece());
        RILL_ASSERT(fits, "the reader of content keeps its bound");
    }
    if (what == content_reader::found::lost) co_return progress::lost;
    if (what == content_reader::found::refused) {
        if (content.status() == 408) ++home_.counters().timed_out;
        co_return refuse(content.status(), content.reason());
    }
    waiting_->content.reset();
    detail::request_access::set_body(request_, body.view());
    co_return progress::answered;
}

task<exchange::progress> exchange::wait_for_handler() {
    bool const streams = chosen_.content == content_mode::streamed;
    if (streams) {
        detail::request_access::set_reader(request_, &open_content());
    } else if ((traces_ & head_kept) == 0) {
        // The handler may wait for long: what it sees is copied, so that the kernel's buffer goes
        // back.
        keep_head(std::exchange(body_in_place_, 0));
    }
    input_.settle();
    // Answers that are ready do not wait for it.
    bool const sent = co_await flush();
    if (!sent) co_return progress::lost;
    progress step = progress::answered;
    std::exception_ptr failure;
    try {
        auto const start = [this] { return chosen_.coroutine(chosen_.object, request_); };
        handler_run<response> running(start, peer_, handler_deadline(),
                                      !home_.options().half_close);
        co_await running;
        if (running.stopped() == cancel_reason::client_gone) {
            ++home_.counters().clients_gone;
            step = progress::lost;
        } else if (running.stopped() != cancel_reason::none) {
            ++home_.counters().timed_out;
            response answer(status::service_unavailable);
            step = append(answer);
        } else {
            response answer = running.take();
            step = append(answer);
        }
    } catch (...) {
        failure = std::current_exception();
    }
    if (streams && step != progress::lost && waiting_->content->failed()) {
        note_refused(*waiting_->content);
        if (waiting_->content->lost()) co_return progress::lost;
    }
    if (failure) step = answer_failure(std::move(failure));
    co_return step;
}

void exchange::note_refused(content_reader const& content) noexcept {
    server_counters& seen = home_.counters();
    ++(content.lost() ? seen.clients_gone : seen.refused);
    if (content.status() == 408) ++seen.timed_out;
}

// What the handler left unread is no request.
task<exchange::progress> exchange::drop_content() {
    if (!waiting_->content->ended() && frame_.keep_alive) {
        bool const sent = co_await flush();
        if (!sent) co_return progress::lost;
        bool const dropped = co_await waiting_->content->drop_rest();
        if (!dropped) frame_.keep_alive = false;
    }
    co_return progress::answered;
}

}  // namespace rill::http
