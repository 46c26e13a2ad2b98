// A handler is called const by every core, and answers with something that outlives it.
#include "rill/web/router.hpp"

struct plain_type {};

void use(rill::web::router& app) {
    app.get("/", [] { return "Hello, World!"; });
    app.get("/text", [](rill::http::request& req) { return std::string(req.path()); });
    app.get("/task",
            []() -> rill::task<rill::http::status> { co_return rill::http::status::accepted; });
    app.put("/stream", [](rill::http::streaming_request& req) -> rill::task<std::string> {
        auto const piece = co_await req.body().read();
        co_return std::string(piece.text());
    });
#if MUST_NOT_COMPILE == 1  // expect: drop .mutable.
    app.get("/count", [count = 0]() mutable { return std::to_string(++count); });
#endif
#if MUST_NOT_COMPILE == 2  // expect: would dangle: return std::string\(view\)
    app.get("/view", [](rill::http::request& req) { return req.path(); });
#endif
#if MUST_NOT_COMPILE == 3  // expect: would dangle: return std::string\(view\)
    app.get("/task", []() -> rill::task<std::string_view> { co_return "view"; });
#endif
#if MUST_NOT_COMPILE == 4  // expect: return rill::http::status::no_content
    app.get("/nothing", [] {});
#endif
#if MUST_NOT_COMPILE == 5  // expect: no to_response for what the handler returns
    app.get("/type", [] { return plain_type(); });
#endif
#if MUST_NOT_COMPILE == 6  // expect: f\(\), f\(rill::http::request&\)
    app.get("/number", [](int number) { return std::to_string(number); });
#endif
#if MUST_NOT_COMPILE == 8  // expect: let it return a rill::task
    app.post("/now", [](rill::http::streaming_request& req) { return std::string(req.path()); });
#endif
#if MUST_NOT_COMPILE == 9  // expect: use of deleted function|deleted
    app.post("/form", [](rill::http::streaming_request& req) -> rill::task<std::string> {
        co_return std::string(req.form("name"));
    });
#endif
#if MUST_NOT_COMPILE == 7  // expect: return rill::http::status::no_content
    app.get("/task", []() -> rill::task<> { co_return; });
#endif
}
