// sse: server-sent events, which a page takes with EventSource.
// WHATWG HTML section 9.2.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rill/base/export.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/event.hpp"
#include "rill/coro/mutex.hpp"
#include "rill/coro/task.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/http/body_stream.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"

namespace rill::web {

/// One event: `co_await out.send({.data = "21.5", .event = "temperature", .id = "7"})`. Text is
/// UTF-8.
struct sse_event {
    /// What the page gets, with as many lines as it has; CR LF, CR and LF each end one. Without
    /// data, not even empty data, the page sees no event, and only `id` and `retry` count.
    std::optional<std::string_view> data = {};
    /// The event's type, for which the page has listeners; empty is "message".
    std::string_view event = {};
    /// What the client says in Last-Event-ID when it comes back; empty takes back what was said.
    std::optional<std::string_view> id = {};
    /// How long the client waits before it comes back, in whole milliseconds; 0 says nothing.
    duration retry = 0s;
};
static_assert(std::is_trivially_destructible_v<sse_event>);

/// How a stream of events is kept.
struct sse_options {
    /// A comment is sent when nothing else was for that long, so that proxies keep the connection
    /// and a client whose cable was cut is noticed by `write_timeout`. 0 sends none.
    duration heartbeat = 15s;
    /// Told to the client at the start, as `sse_event::retry`. 0 says nothing.
    duration retry = 0s;
};
static_assert(std::is_trivially_destructible_v<sse_options>);

/// Where the events of one client go.
///
/// Core: owner core only. Several coroutines may send; each waits for its turn.
class RILL_API event_sink {
public:
    /// For the library: of one stream.
    event_sink(http::body_writer& to, http::request const& req, sse_options const& options) noexcept
        : to_(to), request_(req), options_(options) {}
    event_sink(event_sink const&) = delete;
    event_sink& operator=(event_sink const&) = delete;

    /// Sends an event and waits for the client to take it.
    ///
    /// Errors    `error` invalid_argument, with nothing sent, where `event` or `id` holds CR, LF or
    ///           NUL, or `retry` is negative; else as in `http::body_writer::write`.
    /// Cancel    ends the stream.
    /// Cost      copies the text once.
    [[nodiscard]] task<> send(sse_event const& what);
    /// The same for an event that is data alone.
    [[nodiscard]] task<> send(std::string_view data);
    /// Sends a comment of one line or several, which the page does not see. Errors as in `send`.
    [[nodiscard]] task<> comment(std::string_view text);

    /// The id of the last event that the client has seen, where it comes back; else empty.
    [[nodiscard]] std::string_view last_event_id() const noexcept {
        return request_.header("last-event-id");
    }

    /// For the library: opens the stream and keeps it alive, until the server stops.
    [[nodiscard]] task<> attend();

private:
    task<> write(std::string text);

    http::body_writer& to_;
    http::request const& request_;
    sse_options options_;
    mutex turn_;
    time_point last_write_ = never;
};

namespace detail {

[[nodiscard]] RILL_API http::response sse_response(http::body_stream body);

template <class Producer>
class sse_body {
public:
    sse_body(http::request const& req, Producer producer, sse_options const& options)
        : request_(&req), producer_(std::move(producer)), options_(options) {}

    task<> operator()(http::body_writer& to) {
        event_sink out(to, *request_, options_);
        co_await when_any(out.attend(), producer_(out));
    }

private:
    http::request const* request_;
    Producer producer_;
    sse_options options_;
};

}  // namespace detail

/// The answer to a page's EventSource: `producer(event_sink&)` is a coroutine that sends events for
/// as long as it likes.
///
/// `app.get("/events", [](http::request& req) { return web::sse(req, events); })`
///
/// The head is sent at once. The producer is cancelled when the client leaves, also while it only
/// waits, and when a graceful shutdown of the server begins; the client then comes back by itself.
/// So it does where the producer ends: a client that is to stay away is answered with 204.
///
/// Lifetime  `producer` is moved in and lives until its task has ended, and so does `req`.
/// Cost      an idle stream holds no buffer of the kernel.
template <class Producer>
[[nodiscard]] http::response sse(http::request const& req, Producer producer,
                                 sse_options const& options = {}) {
    static_assert(std::is_invocable_r_v<task<>, Producer&, event_sink&>,
                  "rill: the producer of events is a coroutine: task<> f(web::event_sink& out)");
    return detail::sse_response(
        http::body_stream(detail::sse_body<Producer>(req, std::move(producer), options)));
}

}  // namespace rill::web
