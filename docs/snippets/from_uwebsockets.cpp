// Habits of a µWebSockets server: an answer that comes later, one in parts, a client that leaves.
// Run: ./snippet_from_uwebsockets 127.0.0.1:8080
#include <rill/rt.hpp>
#include <rill/web.hpp>

#include <string>

using namespace std::chrono_literals;
namespace http = rill::http;

rill::task<std::string> look_up(std::string key) {
    co_await rill::sleep(10ms);  // stands for a database
    co_return "value of " + key;
}

rill::task<> count(http::body_writer& out) {
    for (int i = 0; i < 3; ++i) {
        std::string const line = std::to_string(i) + "\n";
        co_await out.write(line);  // waits until the client takes it
    }
}

int main(int argc, char** argv) {
    rill::web::router app;
    app.get("/now", [] { return "now"; });
    // The request stays valid across the wait, and the task is cancelled when the client leaves.
    app.get("/later/{key}", [](http::request& req) -> rill::task<std::string> {
        co_return co_await look_up(std::string(req.path("key")));
    });
    app.get("/parts", [] { return http::stream(count); });
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
