// Parameters in the path and in the query, converted to the type that the handler asks for.
// Run: ./path_parameters 127.0.0.1:8080   then: curl "http://127.0.0.1:8080/users/7?greet=Servus"
#include <rill/web.hpp>

#include <string>

namespace http = rill::http;

int main(int argc, char** argv) {
    rill::web::router app;
    // Text goes before {name} and {name} before {name...}; the order of these lines plays no part.
    app.get("/users/me", [] { return "That is you."; });
    app.get("/users/{id}", [](http::request& req) {
        int const id = req.path<int>("id");  // not a number: 400 by itself
        if (id > 1000) throw http::problem(404, "there are 1000 users");
        return std::string(req.query<std::string_view>("greet", "Hello")) + ", user " +
               std::to_string(id) + "!";
    });
    app.get("/echo/{rest...}", [](http::request& req) { return std::string(req.path("rest")); });
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
