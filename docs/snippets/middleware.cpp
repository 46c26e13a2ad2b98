// Middleware, groups of routes, hosts and pages for errors.
#include <rill/web.hpp>

#include <atomic>
#include <cstdio>
#include <optional>
#include <string>

namespace http = rill::http;
namespace web = rill::web;

struct user {
    std::string_view name;
};

// Lets in who names himself, and tells what comes after.
std::optional<http::response> signed_in(http::request& req) {
    if (!req.has_header("x-user")) return http::response(http::status::unauthorized);
    req.attach(user{req.keep(req.header("x-user"))});
    return std::nullopt;
}

int main(int argc, char** argv) {
    web::router app;
    app.state<std::atomic<int>>(0);
    app.use([](http::request& req, web::next next) -> rill::task<http::response> {
        ++web::state<std::atomic<int>>(req);
        auto answer = co_await next(req);  // never throws: a problem is an answer here
        answer.headers().set("x-served-by", "rill");
        co_return answer;
    });
    app.error_page(404, [](http::request& req) {
        return http::html("<p>There is no " + std::string(req.encoded_path()) + " here.</p>");
    });

    auto& api = app.group("/api");
    api.use(signed_in);
    api.get("/me", [](http::request& req) { return std::string(req.attached<user>()->name); });
    api.get("/count",
            [](http::request& req) { return std::to_string(web::state<std::atomic<int>>(req)); });
    app.get("/private", web::with(signed_in, [] { return "only for some"; }));
    app.host("*.example.org").get("/", [] { return "another site"; });

    for (auto const& each : app.routes()) {
        std::string const method(each.method ? http::name_of(*each.method) : "*");
        std::printf("%s %s%s\n", method.c_str(), each.host.c_str(), each.pattern.c_str());
    }
    std::fflush(stdout);
    return web::serve(app, argc > 1 ? argv[1] : ":8080");
}
