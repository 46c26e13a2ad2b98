// Cookies: one that anybody may change, and one that is signed.
// Run: ./cookies ADDRESS KEY   with a key of 16 bytes or more: openssl rand -hex 32
#include <rill/web.hpp>

#include <string>

using namespace std::chrono_literals;
namespace http = rill::http;

int main(int argc, char** argv) {
    // In earnest the key comes from outside, and is the same on all servers of a site.
    http::cookie_keys const keys(argc > 2 ? argv[2] : "a key for trying this out");
    rill::web::router app;
    app.post("/theme/{name}", [](http::request& req) {
        http::response answer(http::status::no_content);
        answer.set_cookie({.name = "theme", .value = req.path("name"), .max_age = 24h * 365});
        return answer;
    });
    app.post("/enter", [&keys](http::request&) {
        http::response answer(http::status::no_content);
        answer.set_cookie({.name = "__Host-user", .value = "7"}, keys);
        return answer;
    });
    app.post("/leave", [] {
        http::response answer(http::status::no_content);
        answer.remove_cookie({.name = "__Host-user"});
        return answer;
    });
    app.get("/", [&keys](http::request& req) {
        auto const user = req.cookie("__Host-user", keys);  // nothing where it was made up
        if (!user) throw http::problem(403, "enter first");
        return "user " + std::string(*user) + " likes it " +
               std::string(req.cookie("theme").value_or("light")) + "\n";
    });
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
