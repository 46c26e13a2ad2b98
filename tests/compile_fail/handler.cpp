// A handler is called const by every core, and answers with something that outlives it.
#include "rill/web/router.hpp"

struct plain_type {};

void use(rill::web::router& app) {
    app.get("/", [] { return "Hello, World!"; });
    app.get("/text", [](rill::http::request& req) { return std::string(req.path()); });
    app.get("/task",
            []() -> rill::task<rill::http::status> { co_return rill::http::status::accepted; });
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
#if MUST_NOT_COMPILE == 6  // expect: f\(\) or f\(rill::http::request&\)
    app.get("/number", [](int number) { return std::to_string(number); });
#endif
#if MUST_NOT_COMPILE == 7  // expect: return rill::http::status::no_content
    app.get("/task", []() -> rill::task<> { co_return; });
#endif
}
