// The text of server-sent events, and their heartbeat. WHATWG HTML section 9.2.
#include "rill/web/sse.hpp"

#include <chrono>
#include <system_error>

#include "rill/base/error.hpp"
#include "rill/rt/sleep.hpp"

namespace rill::web {

namespace {

constexpr std::string_view heartbeat_text = ":\n\n";

void check_line(std::string_view name, std::string_view value) {
    if (value.find_first_of(std::string_view("\r\n\0", 3)) == value.npos) return;
    throw error(std::make_error_code(std::errc::invalid_argument), "send an event with its", name,
                "it is one line without NUL; encode it or leave it out");
}

void append_line(std::string& text, std::string_view name, std::string_view value) {
    // The space is no part of the value, and keeps one that the value begins with.
    text.append(name).append(": ").append(value).append("\n");
}

// One line for each line of the value: section 9.2.5 ends them by CR LF, CR or LF.
void append_lines(std::string& text, std::string_view name, std::string_view value) {
    for (;;) {
        std::size_t const end = value.find_first_of("\r\n");
        append_line(text, name, value.substr(0, end));
        if (end == value.npos) return;
        value.remove_prefix(end + (value.substr(end).starts_with("\r\n") ? 2 : 1));
    }
}

void append_retry(std::string& text, duration retry) {
    if (retry < duration::zero()) {
        throw error(std::make_error_code(std::errc::invalid_argument),
                    "send a time to come back after", {}, "it is not below zero");
    }
    auto const whole = std::chrono::floor<std::chrono::milliseconds>(retry).count();
    if (retry != duration::zero()) append_line(text, "retry", std::to_string(whole));
}

std::string text_of(sse_event const& what) {
    check_line("event", what.event);
    std::string text;
    text.reserve(what.data.value_or("").size() + what.event.size() + what.id.value_or("").size() +
                 32);
    append_retry(text, what.retry);
    if (what.id) {
        check_line("id", *what.id);
        append_line(text, "id", *what.id);
    }
    if (what.data) {
        if (!what.event.empty()) append_line(text, "event", what.event);
        append_lines(text, "data", *what.data);
    }
    if (!text.empty()) text += '\n';
    return text;
}

}  // namespace

task<> event_sink::write(std::string text) {
    auto const turn = co_await turn_.lock();
    co_await to_.write(text);
    last_write_ = core::current().now();
}

task<> event_sink::send(sse_event const& what) {
    return write(text_of(what));
}

task<> event_sink::send(std::string_view data) {
    return write(text_of({.data = data}));
}

task<> event_sink::comment(std::string_view text) {
    std::string lines;
    append_lines(lines, "", text);
    lines += '\n';
    return write(std::move(lines));
}

task<> event_sink::attend() {
    std::string first;
    append_retry(first, options_.retry);
    if (first.empty()) first = ":\n";
    first += '\n';
    co_await write(std::move(first));
    event& stopping = to_.stopping();
    bool const beats = options_.heartbeat > duration::zero();
    while (!stopping.is_set()) {
        time_point const due = beats ? later(last_write_, options_.heartbeat) : never;
        auto const what = co_await when_any(stopping.wait(), sleep_until(due));
        if (what.index == 0) break;
        // Who is sending at the moment keeps the stream alive.
        if (auto const turn = turn_.try_lock()) {
            if (core::current().now() < later(last_write_, options_.heartbeat)) continue;
            co_await to_.write(heartbeat_text);
        }
        last_write_ = core::current().now();
    }
    // An event that is on its way is whole before the stream ends.
    auto const turn = co_await turn_.lock();
}

http::response detail::sse_response(http::body_stream body) {
    constexpr http::literal type{"text/event-stream"};
    http::response answer(http::status::ok, std::move(body), type);
    // An event is for now; and nginx as a proxy gathers an answer unless it is told not to.
    answer.headers().add("cache-control", "no-store");
    answer.headers().add("x-accel-buffering", "no");
    return answer;
}

}  // namespace rill::web
