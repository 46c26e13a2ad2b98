// A connection over a pipe in a simulated world: no port, every wait cancelled once, every delivery
// byte by byte. RFC 9112 sections 2.2, 9.3.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "http/connection.hpp"
#include "http/server_core.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/http/body_stream.hpp"
#include "rill/io/pipe.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/web/router.hpp"
#include "support/sim.hpp"

using namespace rill;

namespace {

int handlers_alive = 0;

struct alive {
    alive() noexcept { ++handlers_alive; }
    alive(alive const&) = delete;
    alive& operator=(alive const&) = delete;
    ~alive() { --handlers_alive; }
};

class routes final : public http::service {
public:
    routes() {
        app_.get("/now", [] { return "now"; });
        app_.get("/later", []() -> task<std::string> {
            alive const counted;
            // lint: allow(banned) the clock is virtual
            co_await sleep(5ms);
            co_return std::string("later");
        });
        app_.post("/echo", [](http::request& req) { return std::string(req.body().text()); });
        app_.get("/stream", [] { return http::stream(write_numbers); });
        app_.post("/gather", gather);
        app_.post("/early", [](http::streaming_request&) -> task<std::string> {
            alive const counted;
            co_return std::string("early");
        });
        app_.post("/copy", [](http::streaming_request& req) -> task<http::response> {
            alive const counted;
            co_return http::stream([&req](http::body_writer& out) { return copy(req, out); });
        });
        app_.freeze();
    }
    http::handler choose(http::request& req) const override { return app_.choose(req); }

private:
    static task<std::string> gather(http::streaming_request& req) {
        alive const counted;
        std::string all;
        while (auto const piece = co_await req.body().read()) {
            all += piece.text();
            // lint: allow(banned) the clock is virtual
            co_await sleep(1ms);
        }
        co_return all + std::string(req.body().trailers().get("t"));
    }
    // Byte by byte, so that the chunks are the same however the content is cut.
    static task<> copy(http::streaming_request& req, http::body_writer& out) {
        alive const counted;
        while (auto const piece = co_await req.body().read()) {
            for (std::size_t i = 0; i < piece.size(); ++i) {
                co_await out.write((*piece).without_first(i).first(1));
            }
        }
    }
    static task<> write_numbers(http::body_writer& out) {
        alive const counted;
        for (char digit : std::string("123")) {
            std::string const line(40, digit);
            co_await out.write(bytes(line));
            // lint: allow(banned) the clock is virtual
            co_await sleep(1ms);
        }
    }

    web::router app_;
};

constexpr std::string_view session =
    "GET /now HTTP/1.1\r\nHost: a\r\n\r\n"
    "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"
    "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
    "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"
    "POST /gather HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\ngathered1"
    "POST /gather HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    "4\r\ngath\r\n4\r\nered\r\n0\r\nt: 2\r\n\r\n"
    "POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 19\r\n\r\nGET / HTTP/1.1\r\n\r\nx"
    "POST /copy HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nxyz"
    "GET /now HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

struct outcome_of_run {
    std::string answers;
    bool cancelled = false;
    int steps = 0;  // of the client, at each of which the server may be cancelled
    http::server_counters counters;
};

/// A client that sends the session in pieces and reads the answers, and at its `last` step cancels
/// the server, wherever that waits.
class client {
public:
    client(byte_stream& peer, outcome_of_run& seen, int last, std::size_t piece) noexcept
        : peer_(peer), seen_(seen), last_(last), piece_(piece) {}

    task<> run(task_group& server) {
        server_ = &server;
        co_await when_any(read_all(), when_all(send_all(), let_time_pass()));
    }

private:
    void step() noexcept {
        if (++seen_.steps == last_) {
            seen_.cancelled = true;
            server_->cancel();
        }
    }
    task<> send_all() {
        for (std::string_view rest = session; !rest.empty();) {
            std::string_view const piece = rest.substr(0, piece_);
            auto const sent = co_await as_result(peer_.write(bytes(piece)));
            if (!sent) co_return;
            rest.remove_prefix(piece.size());
            step();
        }
    }
    task<> read_all() {
        for (;;) {
            auto const piece = co_await as_result(peer_.receive());
            if (!piece || !*piece) co_return;
            seen_.answers += piece->view().text();
            step();
        }
    }
    task<> let_time_pass() {
        for (;;) {
            // lint: allow(banned) the clock is virtual
            co_await sleep(500us);
            step();
        }
    }

    byte_stream& peer_;
    outcome_of_run& seen_;
    task_group* server_ = nullptr;
    int last_;
    std::size_t piece_;
};

/// Serves one session; the server is cancelled at the client's step `last`.
outcome_of_run serve_session(int last, pipe_options const& pipe) {
    outcome_of_run seen;
    routes const answers;
    auto body = [&]() -> task<> {
        byte_pipe both(pipe);
        http::server_core home(core::current(), answers, {});
        client asks(both.first(), seen, last, pipe.piece_bytes != 0 ? pipe.piece_bytes : 4096);
        auto serve_it = [](http::server_core& at, byte_pipe& on) -> task<> {
            co_await http::serve_connection(at, on.second());
        };
        auto whole = [&](task_group& outer) -> task<> {
            auto server = [&](task_group& inner) -> task<> {
                outer.spawn([](client& self, task_group& of) -> task<> { co_await self.run(of); },
                            std::ref(asks), std::ref(inner));
                inner.spawn(serve_it, std::ref(home), std::ref(both));
                co_return;
            };
            co_await with_task_group(server);
            // What a cancelled server leaves behind is closed by its owner, as a socket would be.
            both.second().close();
        };
        co_await with_task_group(whole);
        seen.counters = home.counters();
    };
    test::simulate(body);
    return seen;
}

/// A client that sends `between`, byte by byte, after its first request, and after 20 s its second.
http::server_counters serve_with_between(std::string_view between) {
    http::server_counters seen;
    routes const answers;
    auto body = [&]() -> task<> {
        byte_pipe both;
        http::server_core home(core::current(), answers, {});
        auto const serve = [&]() -> task<> {
            co_await http::serve_connection(home, both.second());
        };
        auto const ask = [&]() -> task<> {
            byte_stream& peer = both.first();
            co_await peer.write(
                bytes("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"));
            for (std::size_t i = 0; i < between.size(); ++i) {
                // lint: allow(banned) the clock is virtual
                co_await sleep(1ms);
                co_await peer.write(bytes(between.substr(i, 1)));
            }
            // lint: allow(banned) the clock is virtual
            co_await sleep(20s);
            auto const sent = co_await as_result(
                peer.write(bytes("GET /now HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")));
            while (sent) {
                auto const piece = co_await as_result(peer.receive());
                if (!piece || !*piece) break;
            }
            peer.close();
        };
        co_await when_all(serve(), ask());
        seen = home.counters();
    };
    test::simulate(body);
    return seen;
}

constexpr int to_the_end = 1'000'000;

/// Without the dates, which depend on the virtual time.
std::string without_dates(std::string text) {
    for (std::size_t at = 0; (at = text.find("date: ", at)) != std::string::npos;) {
        text.erase(at, text.find("\r\n", at) + 2 - at);
    }
    return text;
}

/// Up to the end of the last whole line.
std::string whole_lines(std::string const& text) {
    std::size_t const end = text.rfind("\r\n");
    return end == std::string::npos ? std::string() : text.substr(0, end + 2);
}

}  // namespace

TEST_CASE("a session over a pipe is answered in order and ends with the connection") {
    auto const whole = serve_session(to_the_end, {});
    CHECK(!whole.cancelled);
    CHECK(whole.counters.requests == 10);
    CHECK(whole.counters.failed == 0);
    std::size_t last = 0;
    for (auto const* each :
         {"\r\n\r\nnow", "\r\n\r\nlater", "\r\n\r\nhello", "\r\n\r\nabc", "111\r\n", "333\r\n",
          "0\r\n\r\n", "\r\n\r\ngathered1", "\r\n\r\ngathered2", "\r\n\r\nearly",
          "1\r\nz\r\n0\r\n\r\n", "\r\n\r\nnow"}) {
        CAPTURE(each);
        std::size_t const at = whole.answers.find(each, last);
        REQUIRE(at != std::string::npos);
        last = at;
    }
}

TEST_CASE("a session is answered alike in pieces of every size") {
    auto const whole = without_dates(serve_session(to_the_end, {}).answers);
    for (std::size_t piece : {1U, 2U, 3U, 7U, 64U}) {
        CAPTURE(piece);
        auto const pieces = serve_session(to_the_end, {.piece_bytes = piece});
        CHECK(without_dates(pieces.answers) == whole);
    }
    // Writers that wait for each byte, too.
    auto const narrow = serve_session(to_the_end, {.capacity_bytes = 1, .piece_bytes = 1});
    CHECK(without_dates(narrow.answers) == whole);
}

TEST_CASE("a connection cancelled at any of its waits leaves nothing behind") {
    for (pipe_options const& pipe : {pipe_options{.capacity_bytes = 64 * 1024, .piece_bytes = 1},
                                     pipe_options{.capacity_bytes = 16, .piece_bytes = 11},
                                     pipe_options{.capacity_bytes = 1, .piece_bytes = 1}}) {
        CAPTURE(pipe.capacity_bytes);
        auto const whole = serve_session(to_the_end, pipe);
        std::string const answers = without_dates(whole.answers);
        REQUIRE(whole.steps > 20);
        // A run of single bytes waits at each of them in the same two places.
        int const stride = pipe.piece_bytes == 1 ? 13 : 1;
        for (int last = 1; last <= whole.steps; last += stride) {
            CAPTURE(last);
            auto const cut = serve_session(last, pipe);
            CHECK(cut.cancelled);
            CHECK(handlers_alive == 0);
            CHECK(cut.counters.failed == 0);
            // What the client got is a beginning of what it would have got: nothing is made up.
            CHECK(answers.starts_with(without_dates(whole_lines(cut.answers))));
        }
    }
}

TEST_CASE("an empty line behind a request is no request that never comes") {
    // Case of clients that end content with one CRLF too many: the connection stays idle, beyond
    // head_timeout, and is served on; a second empty line is refused.
    auto const once = serve_with_between("\r\n");
    CHECK(once.timed_out == 0);
    CHECK(once.refused == 0);
    CHECK(once.requests == 2);
    auto const twice = serve_with_between("\r\n\r\n");
    CHECK(twice.refused == 1);
    CHECK(twice.requests == 1);
}
