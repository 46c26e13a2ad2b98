// What handlers return and throw.
#include <rill/rt/sleep.hpp>
#include <rill/web.hpp>

#include <string>

using namespace std::chrono_literals;
namespace http = rill::http;

// A type of your own becomes an answer by a function beside it.
struct greeting {
    std::string name;
};
http::response to_response(greeting const& of) {
    return http::html("<p>Hello, " + of.name + "!</p>");
}

int main(int argc, char** argv) {
    rill::web::router app;
    app.get("/plain", [] { return "a literal, never copied"; });
    app.get("/number/{n}", [](http::request& req) {
        return greeting{"number " + std::to_string(req.path<int>("n"))};
    });
    app.get("/later", [](http::request&) -> rill::task<http::response> {
        co_await rill::sleep(10ms);  // other requests go on meanwhile
        http::response answer = http::text("later");
        answer.headers().set("cache-control", "no-store");
        co_return answer;
    });
    app.get("/teapot", []() -> std::string { throw http::problem(418, "no coffee here"); });
    app.del("/old", [] { return http::status::no_content; });
    app.get("/moved", [] { return http::redirect("/plain"); });
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
