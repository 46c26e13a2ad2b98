// A server with limits of its own.
#include <rill/web.hpp>

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    rill::web::router app;
    app.post("/echo", [](rill::http::request& req) { return std::string(req.body().text()); });

    rill::web::serve_options options;
    options.http.body_bytes = 64 * 1024;  // more is answered with 413
    options.http.handler_timeout = 5s;    // a handler that is a task is then cancelled: 503
    options.run.cores = 2;                // 0, the default: all that the process may use
    options.grace = 3s;                   // of a graceful shutdown
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080", options);
}
