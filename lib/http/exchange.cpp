// The requests that one burst of input brings.
#include "http/exchange.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "http/client_info.hpp"
#include "http/handler_run.hpp"
#include "http/request_access.hpp"
#include "rill/base/log.hpp"
#include "rill/codec/http1_writer.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/io/file.hpp"

namespace rill::http {

namespace {

http1::request_limits limits_of(server_options const& options) noexcept {
    return {.target_bytes = options.target_bytes,
            .head_bytes = options.head_bytes,
            .field_count = options.field_count};
}

// RFC 9110 section 10.1.4.
bool takes_trailers(request const& req) noexcept {
    for (field const each : req.headers()) {
        if (http1::equal_ignoring_case(each.name, "te") &&
            http1::list_contains(each.value, "trailers")) {
            return true;
        }
    }
    return false;
}

// Files up to this many bytes are read into the output and go out with their head in one send.
constexpr std::uint64_t read_file_bytes = 64 * 1024;
// Larger bodies are sent in parts of this many bytes, each under the deadline of a write.
constexpr std::size_t sent_part_bytes = 4 * 1024 * 1024;

}  // namespace

exchange::exchange(server_core& home, byte_stream& peer, lease first, connection_state& state,
                   counted_address* from)
    : home_(home),
      peer_(peer),
      state_(state),
      from_(from),
      input_(home, std::move(first)),
      output_(home.take_buffer()),
      parser_(limits_of(home.options())) {
    detail::request_access::set_source(request_, *this);
}

/// What waits for long between two writes keeps no storage meanwhile.
void exchange::release_output() noexcept {
    output_.clear();
    home_.keep_buffer(std::move(output_));
}
void exchange::take_output() noexcept {
    if (output_.capacity() == 0) output_ = home_.take_buffer();
}

exchange::~exchange() {
    if (traces_ != 0) [[unlikely]]
        call_hooks(false);
    home_.keep_buffer(std::move(output_));
    if (waiting_) [[unlikely]] {
        home_.keep_buffer(std::move(waiting_->head));
        home_.keep_buffer(std::move(waiting_->body));
    }
}

client_info exchange::client_of(request const& req) const {
    auto const& proxied = home_.proxied();
    auto const found = proxied.find(&peer_);
    bool const is_known = found != proxied.end();
    return client_behind(req, is_known ? found->second : peer_.remote_address(), home_.options());
}

exchange::progress exchange::advance() {
    while (!over_) {
        if (state_.after_empty_line && input_.view().text().starts_with('\r')) [[unlikely]] {
            return refuse(400, "more than one empty line before the request line");
        }
        auto const parsed = parser_.parse(input_.view());
        if (parsed.state == http1::head_state::need_more) {
            if (input_.empty()) return progress::used_up;
            if (input_.view().text() != "\r\n") return progress::needs_head;
            drop_empty_line();
            return progress::used_up;
        }
        if (parsed.state == http1::head_state::failed) {
            return refuse(parsed.status, parsed.reason);
        }
        progress const step = begin_request(parser_.head());
        if (step != progress::answered) return step;
        finish_request(parsed.size);
        if (output_.size() >= home_.options().output_bytes) return progress::output_due;
    }
    return progress::ended;
}

/// One empty line behind a request is no beginning of the next one: some clients send it behind
/// content, and the connection is then as idle as before it (RFC 9112 section 2.2).
void exchange::drop_empty_line() {
    input_.consume(input_.view().size());
    parser_.reset();
    head_deadline_ = never;
    state_.after_empty_line = true;
}

task<exchange::progress> exchange::resolve(progress from) {
    progress step = from;
    if (step == progress::needs_head) {
        step = co_await read_more_head();
        co_return step;
    }
    if (step == progress::refused ||
        ((step == progress::needs_body || step == progress::needs_wait) && !admit())) {
        step = turn_away();
    }
    if (step == progress::needs_body) {
        step = co_await read_content();
        if (step == progress::answered) step = call_handler();
    }
    if (step == progress::needs_wait) step = co_await wait_for_handler();
    if (step == progress::needs_send) step = co_await send_body();
    if (step == progress::answered && waiting_ && waiting_->content) {
        step = co_await drop_content();
    }
    if (step == progress::answered && waiting_ && waiting_->rates.are_set()) {
        step = co_await end_throttled();
    }
    if (step == progress::answered) {
        if (waiting_) waiting_->places.give();
        finish_request(parser_.head().size());
        // The output's bound holds for pipelined requests of this kind, too.
        if (output_.size() >= home_.options().output_bytes) step = progress::output_due;
    }
    co_return step;
}

exchange::progress exchange::begin_request(http1::request_head const& head) {
    ++home_.counters().requests;
    state_.after_empty_line = false;
    detail::request_access::begin(request_, head);
    head_deadline_ = never;
    frame_.head_only = head.method() == http1::method::head;
    frame_.http_1_0 = head.minor_version() == 0;
    frame_.keep_alive = head.keep_alive();
    if (--state_.requests_left == 0) [[unlikely]]
        frame_.keep_alive = false;
    if (home_.watchful()) [[unlikely]] {
        if (home_.draining()) frame_.keep_alive = false;
        if (state_.late) {
            ++home_.counters().requests_shed;
            return head.has_content() ? progress::refused : turn_away();
        }
    }
    chosen_ = home_.answers().choose(request_);
    return head.has_content() ? progress::needs_body : call_handler();
}

exchange::progress exchange::call_handler() {
    if (chosen_.plain == nullptr && chosen_.ready == nullptr) return progress::needs_wait;
    std::exception_ptr failure;
    try {
        if (chosen_.plain == nullptr) {
            response answer;
            bool const ready = chosen_.ready(chosen_.object, request_, answer);
            return ready ? append(answer) : progress::needs_wait;
        }
        response answer = chosen_.plain(chosen_.object, request_);
        return append(answer);
    } catch (...) {
        failure = std::current_exception();
    }
    return answer_failure(std::move(failure));
}

exchange::progress exchange::append(response& answer) {
    // A shutdown may have begun while the content came or the handler waited.
    if (home_.draining()) frame_.keep_alive = false;
    bool const streams = std::holds_alternative<body_stream>(answer.body());
    if (frame_.http_1_0 && streams) frame_.keep_alive = false;
    if (waiting_) [[unlikely]] {
        if (waiting_->content) {
            refuse_early_upgrade(answer);
            bool const keep = waiting_->content->answer_begins(streams && !frame_.head_only);
            if (!keep) frame_.keep_alive = false;
        }
    }
    bool const complete = write_answer(home_, output_, answer, frame_);
    if (waiting_) [[unlikely]] {
        bool const has_body = complete && !frame_.head_only;
        waiting_->end = {code_of(answer.status()), has_body ? answer.body_size() : 0};
    }
    if (complete) [[likely]]
        return progress::answered;
    slow().answer = std::move(answer);
    waiting_->end.status = code_of(waiting_->answer.status());
    return progress::needs_send;
}

/// What is left of the content would be taken for bytes of the other protocol.
void exchange::refuse_early_upgrade(response& answer) {
    if (!std::holds_alternative<upgrade_session>(answer.body())) return;
    if (waiting_->content->ended()) return;
    log::error("a handler upgrades a connection before it has read the content of its request");
    ++home_.counters().failed;
    answer = response(status::internal_server_error);
}

void exchange::finish_request(std::size_t head_size) {
    if (traces_ != 0) [[unlikely]] {
        call_hooks(true);
        if ((traces_ & head_kept) != 0) {
            waiting_->head.clear();
            waiting_->body.clear();
            waiting_->content.reset();
            head_size = 0;
        }
        traces_ = 0;
    }
    input_.consume(head_size + std::exchange(body_in_place_, 0));
    parser_.reset();
    if (!frame_.keep_alive) over_ = true;
    frame_ = {};
}

task<exchange::progress> exchange::send_body() {
    if (std::holds_alternative<file_range>(waiting_->answer.body())) {
        progress const step = co_await send_file();
        waiting_->answer = response();
        co_return step;
    }
    if (std::holds_alternative<body_stream>(waiting_->answer.body())) {
        progress const step = co_await send_stream();
        waiting_->answer = response();
        co_return step;
    }
    if (std::holds_alternative<upgrade_session>(waiting_->answer.body())) co_return hand_over();
    input_.settle();
    // The deadline is for a client that takes nothing, so a large body goes out part by part.
    std::string_view left = waiting_->answer.text();
    bool sent = true;
    while (sent && !left.empty()) {
        std::string_view const part = left.substr(0, sent_part_bytes);
        left.remove_prefix(part.size());
        bytes const pieces[] = {output_.view(), part};
        auto const done = co_await as_result(peer_.write(
            std::span<bytes const>(pieces), deadline_in(home_.options().write_timeout)));
        output_.clear();
        sent = note(done);
        if (sent) waiting_->end.body_bytes += part.size();
    }
    waiting_->answer = response();
    co_return sent ? progress::answered : progress::lost;
}

/// Sends what a producer writes, as chunks, or as it is to a client of HTTP/1.0.
class exchange::chunk_writer final : public body_writer {
public:
    explicit chunk_writer(exchange& of) noexcept : of_(of) {}
    [[nodiscard]] bool broken() const noexcept { return broken_; }

    task<> write(bytes piece) override {
        if (broken_) throw error(errc::write_broken, "write the body");
        if (piece.empty()) co_return;
        of_.take_output();
        bool const chunked = !of_.frame_.http_1_0;
        if (chunked) {
            mutable_bytes const room = of_.output_.prepare(http1::chunk_head_bound);
            of_.output_.commit(http1::write_chunk_head(room, piece.size()));
        }
        bytes const pieces[] = {of_.output_.view(), piece,
                                chunked ? bytes(http1::chunk_tail) : bytes()};
        broken_ = true;  // until it is known to be sent, also where this frame is destroyed
        auto const sent = co_await as_result(
            of_.peer_.write(std::span<bytes const>(pieces), of_.write_deadline()));
        of_.release_output();
        if (!of_.note(sent)) throw error(sent.error(), "write the body");
        broken_ = false;
        of_.waiting_->end.body_bytes += piece.size();
    }
    void trailer(std::string_view name, std::string_view value) override {
        if (http1::is_forbidden_trailer(name)) {
            throw error(std::make_error_code(std::errc::invalid_argument), "add trailer field",
                        name, "set it in the head of the answer");
        }
        trailers_.add(name, value);
    }
    event& stopping() noexcept override { return of_.home_.stopping(); }
    /// Appends what ends the body.
    void end() {
        of_.take_output();
        buffer& output = of_.output_;
        if (of_.frame_.http_1_0) return;
        if (trailers_.empty() || !takes_trailers(of_.request_)) {
            static_cast<void>(output.append(http1::last_chunk));
            return;
        }
        bool const fits = output.append(http1::last_chunk_before_trailers) &&
                          output.append(trailers_.wire()) && output.append("\r\n");
        RILL_ASSERT(fits, "a list of fields is smaller than the output's bound");
    }

private:
    exchange& of_;
    headers trailers_;
    bool broken_ = false;
};

task<exchange::progress> exchange::send_stream() {
    if ((traces_ & head_kept) == 0) keep_head(std::exchange(body_in_place_, 0));
    input_.settle();
    if (waiting_->content && !waiting_->content->ended()) {
        // The producer may read on, and its client may wait for the head before it sends more.
        bool const sent = co_await flush();
        if (!sent) co_return progress::lost;
    }
    chunk_writer out(*this);
    bool whole = false;
    try {
        auto& body = std::get<body_stream>(waiting_->answer.body());
        auto const start = [&] { return body.run(out); };
        handler_run<void> running(start, peer_, never, !home_.options().half_close);
        co_await running;
        if (running.stopped() == cancel_reason::client_gone) ++home_.counters().clients_gone;
        if (running.stopped() == cancel_reason::none) {
            running.take();
            whole = !out.broken();
        }
    } catch (std::exception const& why) {
        bool const bad_content = waiting_->content && waiting_->content->failed();
        if (bad_content) note_refused(*waiting_->content);
        if (out.broken() || bad_content) {
            log::debug("body broke off", {{"why", why.what()}});
        } else {
            ++home_.counters().failed;
            log::error("producer of a body threw", {{"what", why.what()}});
        }
    }
    // The head has promised a whole body: what broke off is cut, never ended as if complete.
    if (!whole) co_return progress::lost;
    out.end();
    co_return progress::answered;
}

exchange::progress exchange::hand_over() {
    auto& session = std::get<upgrade_session>(waiting_->answer.body());
    state_.next = std::make_unique<handover>(std::move(session));
    waiting_->answer = response();
    finish_request(parser_.head().size());
    state_.next->rest = input_.take_rest();
    return progress::upgraded;
}

task<exchange::progress> exchange::send_file() {
    auto const& range = std::get<file_range>(waiting_->answer.body());
    if (range.size() <= read_file_bytes || !peer_.sends_files()) {
        progress const step = co_await copy_file(range);
        co_return step;
    }
    bool const sent = co_await flush();
    if (!sent) co_return progress::lost;
    file_piece part{.descriptor = range.descriptor(), .offset = range.offset(), .size = 0};
    for (std::uint64_t left = range.size(); left != 0; left -= part.size) {
        part.offset += part.size;
        part.size = std::min<std::uint64_t>(left, sent_part_bytes);
        auto const done =
            co_await as_result(peer_.write(part, deadline_in(home_.options().write_timeout)));
        // The head has promised more: the connection is cut, never ended as if complete.
        if (!note(done)) co_return progress::lost;
        waiting_->end.body_bytes += part.size;
    }
    co_return progress::answered;
}

task<exchange::progress> exchange::copy_file(file_range const& range) {
    std::uint64_t at = range.offset();
    std::uint64_t left = range.size();
    while (left != 0) {
        std::size_t const count = static_cast<std::size_t>(std::min(left, read_file_bytes));
        mutable_bytes const room = output_.prepare(count).first(count);
        auto const got = co_await as_result(file::read(range.descriptor(), room, at));
        if (!got || *got == 0) co_return progress::lost;
        output_.commit(*got);
        waiting_->end.body_bytes += *got;
        at += *got;
        left -= *got;
        if (left == 0) break;
        bool const sent = co_await flush();
        if (!sent) co_return progress::lost;
    }
    co_return progress::answered;
}

task<exchange::progress> exchange::read_more_head() {
    // Answers that are ready do not wait for the rest of the next request.
    bool const sent = co_await flush();
    if (!sent) co_return progress::lost;
    if (head_deadline_ == never) head_deadline_ = deadline_in(home_.options().head_timeout);
    duration const held_back = peer_.held_back_reads();
    arrival const more = co_await receive(head_deadline_);
    head_deadline_ = later(head_deadline_, peer_.held_back_reads() - held_back);
    if (more == arrival::ended) co_return progress::lost;
    if (more == arrival::timed_out) {
        ++home_.counters().timed_out;
        co_return refuse(408, "the request did not arrive in time");
    }
    co_return progress::answered;
}

task<exchange::arrival> exchange::receive(time_point deadline) {
    // A client that sends its request in drops keeps none of the core's buffers meanwhile.
    input_.settle();
    auto more = co_await as_result(peer_.receive(deadline));
    if (!more) {
        co_return more.error() == errc::timed_out ? arrival::timed_out : arrival::ended;
    }
    if (!*more) co_return arrival::ended;
    // The window holds at most a head, or what one receive brings: far below its bound.
    bool const added = input_.add(*std::move(more));
    co_return added ? arrival::came : arrival::ended;
}

task<bool> exchange::flush() {
    if (output_.empty()) co_return true;
    // The client may take its time: the kernel's buffer goes back first.
    input_.settle();
    auto const sent =
        co_await as_result(peer_.write(output_.view(), deadline_in(home_.options().write_timeout)));
    output_.clear();
    co_return note(sent);
}

bool exchange::note(result<void> const& sent) noexcept {
    if (sent.error() == errc::timed_out) ++home_.counters().timed_out;
    return sent.has_value();
}

void exchange::keep_head(std::size_t with_body) {
    std::size_t const head_size = parser_.head().size();
    bytes const kept = input_.view().first(head_size + with_body);
    buffer& copy = slow().head;
    if (copy.capacity() == 0) copy = home_.take_buffer();
    bool const fits = copy.append(kept);
    RILL_ASSERT(fits, "a head and a body in one piece fit the buffer that they came in");
    input_.consume(kept.size());
    traces_ |= head_kept;
    parser_.head().rebase(copy.view().data());
    detail::request_access::assign(request_, parser_.head());
    if (with_body != 0) {
        detail::request_access::set_body(request_, copy.view().without_first(head_size));
    }
}

exchange::progress exchange::refuse(unsigned code, std::string_view reason) {
    ++home_.counters().refused;
    frame_.keep_alive = false;
    response answer = to_response(problem(static_cast<int>(code), reason));
    static_cast<void>(write_answer(home_, output_, answer, frame_));
    return progress::ended;
}

time_point exchange::deadline_in(duration length) const noexcept {
    return later(home_.home().now(), length);
}

}  // namespace rill::http
