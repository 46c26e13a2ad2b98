// The server of cpp-httplib's first page, in rill: text, a path parameter, a form, files, stop.
// Run: ./snippet_from_cpp_httplib 127.0.0.1:8080
#include <rill/web.hpp>
#include <rill/web/files.hpp>

#include <string>

namespace http = rill::http;

int main(int argc, char** argv) {
    rill::web::router app;
    app.get("/hi", [] { return "Hello World!"; });
    app.get("/users/{id}", [](http::request& req) {
        return "user " + std::to_string(req.path<unsigned>("id"));  // not a number: 400
    });
    app.get("/search", [](http::request& req) {
        return "looking for " + std::string(req.query("q"));  // missing: 400
    });
    app.post("/content", [](http::request& req) { return std::string(req.body().text()); });
    app.get("/agent", [](http::request& req) {
        http::response answer = http::text(std::string(req.header("user-agent")));
        answer.headers().set("x-powered-by", "rill");
        return answer;
    });
    app.get("/files/{path...}", rill::web::files("."));
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");  // until SIGINT or SIGTERM
}
