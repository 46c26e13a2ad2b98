// A shared cache in front of handlers. RFC 9111.
#include "rill/web/middleware/response_cache.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/web/router.hpp"
#include "support/sim.hpp"

using namespace rill;
using http::method;
using web::call_request;

namespace {

// A router whose one route counts its calls and answers with the fields of `says`.
struct counted {
    explicit counted(web::response_cache_options const& options = {}) {
        app.use(web::response_cache(options));
        app.any("/{path...}", [this](http::request&) {
            ++calls;
            http::response answer(status, std::string(size, 'x'), http::content_types::text);
            answer.headers().add(says);
            return answer;
        });
    }
    // How often the handler is called for two of these in a row.
    task<int> calls_of_two(call_request const& of) {
        int const before = calls;
        static_cast<void>(co_await app.call(of));
        static_cast<void>(co_await app.call(of));
        co_return calls - before;
    }
    void set(std::string_view name, std::string_view value) {
        says.clear();
        says.add("cache-control", "max-age=60");
        says.set(name, value);
    }
    web::router app;
    http::headers says;
    http::status status = http::status::ok;
    std::size_t size = 1;
    int calls = 0;
};

task<> check_calls(counted& of, call_request const& request, int wanted) {
    int const calls = co_await of.calls_of_two(request);
    CHECK(calls == wanted);
}

}  // namespace

// RFC 9111 sections 4.2 and 5.1
TEST_CASE("an answer is given again with its age until it is stale") {
    test::simulate([]() -> task<> {
        counted of;
        of.says.add("cache-control", "max-age=60");
        call_request const get(method::get, "/a?b");
        static_cast<void>(co_await of.app.call(get));
        // lint: allow(banned) the clock is virtual
        co_await sleep(59s);
        auto const again = co_await of.app.call(get);
        CHECK(of.calls == 1);
        CHECK(again.text() == "x");
        CHECK(again.headers().get("age") == "59");
        CHECK(again.headers().get("date") == "Sat, 01 Jan 2000 12:00:00 GMT");
        CHECK(again.content_type() == "text/plain; charset=utf-8");
        auto const head = co_await of.app.call(call_request(method::head, "/a?b"));
        CHECK(of.calls == 1);
        CHECK(head.text().empty());
        // lint: allow(banned) the clock is virtual
        co_await sleep(1s);
        auto const fresh = co_await of.app.call(get);
        CHECK(of.calls == 2);
        CHECK_FALSE(fresh.headers().contains("age"));
        static_cast<void>(co_await of.app.call(call_request(method::get, "/a?c")));
        call_request elsewhere(method::get, "/a?b");
        elsewhere.field("host", "other");
        static_cast<void>(co_await of.app.call(elsewhere));
        CHECK(of.calls == 4);
    });
}

// RFC 9111 sections 3, 3.5, 4.2.1, 5.2.2 and 7.3
TEST_CASE("what may not be kept is not, and a shared age goes before another") {
    test::simulate([]() -> task<> {
        counted of;
        call_request const get(method::get, "/");
        for (auto const* value :
             {"max-age=60, no-store", "max-age=60, no-cache", "private, max-age=60", "max-age=0",
              "public", "max-age=60, s-maxage=0"}) {
            CAPTURE(value);
            of.set("cache-control", value);
            co_await check_calls(of, get, 2);
        }
        of.set("set-cookie", "a=b");
        co_await check_calls(of, get, 2);
        of.set("vary", "*");
        co_await check_calls(of, get, 2);
        of.set("age", "60");
        co_await check_calls(of, get, 2);
        of.set("x", "y");
        of.status = http::status::internal_server_error;
        co_await check_calls(of, get, 2);
        of.status = http::status::ok;
        of.size = 1024 * 1024 + 1;
        co_await check_calls(of, get, 2);
        of.size = 1;
        call_request with_name(method::get, "/named");
        with_name.field("authorization", "Bearer x");
        co_await check_calls(of, with_name, 2);
        of.set("cache-control", "max-age=0, s-maxage=60");
        co_await check_calls(of, get, 1);
        of.says.clear();
        of.says.add("expires", "Sat, 01 Jan 2000 12:01:00 GMT");
        co_await check_calls(of, call_request(method::get, "/expires"), 1);
    });
}

// RFC 9111 section 4.1
TEST_CASE("what differs by a field of the request is kept for each value of it") {
    test::simulate([]() -> task<> {
        counted of;
        of.set("vary", "Accept-Language, X");
        call_request german(method::get, "/");
        german.field("accept-language", "de");
        call_request english(method::get, "/");
        english.field("accept-language", "en");
        co_await check_calls(of, german, 1);
        co_await check_calls(of, english, 1);
        co_await check_calls(of, german, 0);
        co_await check_calls(of, call_request(method::get, "/"), 1);
    });
}

// RFC 9111 section 5.2.1 and 4.4
TEST_CASE("a client may want it newer, and a change drops what is kept") {
    test::simulate([]() -> task<> {
        counted of;
        of.set("etag", "\"v1\"");
        call_request const get(method::get, "/");
        co_await check_calls(of, get, 1);
        for (auto const* value : {"no-cache", "max-age=0", "no-store", "min-fresh=61"}) {
            CAPTURE(value);
            call_request newer(method::get, "/");
            newer.field("cache-control", value);
            co_await check_calls(of, newer, 2);
        }
        co_await check_calls(of, get, 0);
        call_request const conditional = [] {
            call_request made(method::get, "/");
            made.field("if-none-match", "\"v1\"");
            return made;
        }();
        auto const same = co_await of.app.call(conditional);
        CHECK(same.status() == http::status::not_modified);
        CHECK(same.headers().get("etag") == "\"v1\"");
        call_request only(method::get, "/unknown");
        only.field("cache-control", "only-if-cached");
        auto const none = co_await of.app.call(only);
        CHECK(http::code_of(none.status()) == 504);
        call_request head(method::head, "/unknown");
        head.field("cache-control", "only-if-cached");
        auto const no_head = co_await of.app.call(head);
        CHECK(http::code_of(no_head.status()) == 504);
        static_cast<void>(co_await of.app.call(call_request(method::post, "/")));
        co_await check_calls(of, get, 1);
    });
}

TEST_CASE("the cache keeps its bound, and the oldest go first") {
    test::simulate([]() -> task<> {
        counted of({.bytes = 30'000, .entry_bytes = 10'000});
        of.set("x", "y");
        of.size = 9'000;
        for (auto const* path : {"/a", "/b", "/c", "/d"}) {
            co_await check_calls(of, call_request(method::get, path), 1);
        }
        co_await check_calls(of, call_request(method::get, "/c"), 0);
        co_await check_calls(of, call_request(method::get, "/a"), 1);
    });
}

TEST_CASE("a thousand misses at once on two cores call the handler once") {
    std::atomic<int> calls = 0;
    std::atomic<int> answered = 0;
    web::router app;
    app.use(web::response_cache());
    app.get("/", [&]() -> task<http::response> {
        ++calls;
        // lint: allow(banned) the others come meanwhile, and after it they find what is kept
        co_await sleep(50ms);
        http::response answer = http::text("once");
        answer.headers().set("cache-control", "max-age=60");
        co_return answer;
    });
    app.freeze();
    auto const ask = [&]() -> task<> {
        call_request const get(method::get, "/");
        auto const answer = co_await app.call(get);
        if (answer.text() == "once") ++answered;
    };
    auto const many = [&]() -> task<> {
        auto const all = [&](task_group& group) -> task<> {
            for (int i = 0; i < 500; ++i) group.spawn(ask);
            co_return;
        };
        co_await with_task_group(all);
    };
    run_per_core(many, {.cores = 2});
    CHECK(calls == 1);
    CHECK(answered == 1000);
}

TEST_CASE("where the one that asks is cancelled another asks, and nobody waits for ever") {
    test::simulate([]() -> task<> {
        int calls = 0;
        web::router app;
        app.use(web::response_cache());
        app.get("/", [&]() -> task<http::response> {
            ++calls;
            // lint: allow(banned) the clock is virtual
            co_await sleep(1s);
            http::response answer = http::text("x");
            answer.headers().set("cache-control", "max-age=60");
            co_return answer;
        });
        int answered = 0;
        auto const ask = [&](duration patience) -> task<> {
            call_request const get(method::get, "/");
            auto const answer = co_await as_result(timeout(patience, app.call(get)));
            if (answer) ++answered;
        };
        auto const all = [&](task_group& group) -> task<> {
            group.spawn(ask, 500ms);
            for (int i = 0; i < 5; ++i) group.spawn(ask, 10s);
            co_return;
        };
        co_await with_task_group(all);
        CHECK(calls == 2);
        CHECK(answered == 5);
    });
}
