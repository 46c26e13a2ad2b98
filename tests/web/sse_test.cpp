// The text of server-sent events, read back by the rules of a page. WHATWG HTML section 9.2.6.
#include "rill/web/sse.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/rt/run.hpp"
#include "rill/web/router.hpp"

using namespace rill;
using web::call_request;
using web::event_sink;
using web::sse_event;

namespace {

/// An event as a page sees it.
struct seen {
    std::string type, data, id;
    friend bool operator==(seen const&, seen const&) = default;
};

/// A page's side of a stream, by the steps of section 9.2.6.
class page {
public:
    std::vector<seen> events;
    std::string id;
    std::optional<std::string> retry;

    explicit page(std::string text) {
        while (!text.empty()) {
            std::size_t const end = text.find_first_of("\r\n");
            REQUIRE_MESSAGE(end != text.npos, "a line has an end");
            read_line(text.substr(0, end));
            bool const two = text.compare(end, 2, "\r\n") == 0;
            text.erase(0, end + (two ? 2 : 1));
        }
        CHECK_MESSAGE(data_.empty(), "an event has an end");
    }

private:
    void read_line(std::string const& line) {
        if (line.empty()) return dispatch();
        if (line[0] == ':') return;
        std::size_t const colon = std::min(line.find(':'), line.size());
        std::string const name = line.substr(0, colon);
        std::string value = line.substr(std::min(colon + 1, line.size()));
        if (value.starts_with(' ')) value.erase(0, 1);
        if (name == "event") type_ = value;
        if (name == "data") data_ += value + "\n";
        if (name == "id" && value.find('\0') == value.npos) id = value;
        if (name == "retry" && value.find_first_not_of("0123456789") == value.npos) retry = value;
    }
    void dispatch() {
        if (!data_.empty()) {
            data_.pop_back();
            events.push_back({type_.empty() ? "message" : type_, data_, id});
        }
        data_.clear();
        type_.clear();
    }

    std::string data_, type_;
};

/// What a client gets of a stream that ends.
template <class Producer>
std::string text_of(Producer producer, web::sse_options options = {},
                    std::string_view last_id = {}) {
    web::router app;
    app.get("/events",
            [&](http::request& req) { return web::sse(req, std::ref(producer), options); });
    std::string text;
    auto ask = [&]() -> task<> {
        call_request request(http::method::get, "/events");
        if (!last_id.empty()) request.field("Last-Event-ID", last_id);
        http::response const answer = co_await app.call(request);
        CHECK(answer.status() == http::status::ok);
        CHECK(answer.content_type() == "text/event-stream");
        CHECK(answer.headers().get("cache-control") == "no-store");
        CHECK(answer.headers().get("x-accel-buffering") == "no");
        text = answer.text();
    };
    run(ask());
    return text;
}

std::string text_of(std::vector<sse_event> const& events) {
    auto send_all = [&events](event_sink& out) -> task<> {
        for (sse_event const& each : events) co_await out.send(each);
    };
    return text_of(send_all);
}

}  // namespace

TEST_CASE("an event is written line by line") {
    CHECK(text_of({{.data = "a"}}) == ":\n\ndata: a\n\n");
    CHECK(text_of({{.data = "a", .event = "tick", .id = "7", .retry = 1500ms}}) ==
          ":\n\nretry: 1500\nid: 7\nevent: tick\ndata: a\n\n");
    CHECK(text_of({{.data = "a\nb"}}) == ":\n\ndata: a\ndata: b\n\n");
}

TEST_CASE("a page gets the data that was sent, its line ends as LF") {
    struct {
        std::string_view sent, got;
    } const cases[] = {
        {"", ""},
        {" ", " "},
        {"  two spaces", "  two spaces"},
        {"a\nb", "a\nb"},
        {"a\r\nb", "a\nb"},
        {"a\rb", "a\nb"},
        {"\n", "\n"},
        {"\r\n\r\n", "\n\n"},
        {"a\n\rb", "a\n\nb"},
        {"end\n", "end\n"},
        {"data: x\n\nid: 9\n", "data: x\n\nid: 9\n"},
        {":comment", ":comment"},
        {"\xe4\xb8\xad", "\xe4\xb8\xad"},
    };
    for (auto const& one : cases) {
        CAPTURE(one.sent);
        page const got(text_of({{.data = one.sent, .event = "e", .id = "1"}}));
        CHECK(got.events == std::vector{seen{"e", std::string(one.got), "1"}});
    }
}

TEST_CASE("ids and the time to come back count without an event") {
    page const got(text_of({{.id = "5"}, {.retry = 3s}, {.data = "x"}, {.id = ""}, {.data = "y"}}));
    CHECK(got.events == std::vector{seen{"message", "x", "5"}, seen{"message", "y", ""}});
    CHECK(got.retry == "3000");
    CHECK(text_of(std::vector<sse_event>{{}}) == ":\n\n");
}

TEST_CASE("a line break or NUL in an event's type or id sends nothing") {
    using namespace std::literals;
    for (std::string_view const bad : {"a\nb"sv, "a\rdata: x"sv, "\n\n"sv, "a\0"sv}) {
        CAPTURE(bad);
        auto try_both = [bad](event_sink& out) -> task<> {
            CHECK_THROWS_AS(static_cast<void>(out.send({.data = "x", .event = bad})), error);
            CHECK_THROWS_AS(static_cast<void>(out.send({.data = "x", .id = bad})), error);
            CHECK_THROWS_AS(static_cast<void>(out.send({.data = "x", .retry = -1s})), error);
            co_return;
        };
        CHECK(text_of(try_both) == ":\n\n");
    }
}

TEST_CASE("comments, the time to come back at the start, and the last id of a client") {
    auto tell = [](event_sink& out) -> task<> {
        co_await out.comment("one\ntwo");
        co_await out.send(out.last_event_id());
    };
    std::string const text = text_of(tell, {.retry = 2s}, "41");
    CHECK(text == "retry: 2000\n\n: one\n: two\n\ndata: 41\n\n");
    CHECK(page(text).events == std::vector{seen{"message", "41", ""}});
}

TEST_CASE("several coroutines send whole events to one client") {
    auto produce = [](event_sink& out) -> task<> {
        auto const ten = [](event_sink& to, std::string_view what) -> task<> {
            for (int i = 0; i < 10; ++i) co_await to.send({.data = what, .event = what});
        };
        co_await when_all(ten(out, "a"), ten(out, "b"));
    };
    page const got(text_of(produce));
    CHECK(got.events.size() == 20);
    CHECK(std::ranges::count(got.events, seen{"a", "a", ""}) == 10);
}
