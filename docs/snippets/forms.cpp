// What a query and a form say: values of any type, names that are repeated, all pairs.
#include <rill/web.hpp>

#include <string>

namespace http = rill::http;

// ?q=text&page=2: what is missing or no number is a 400 that names it.
std::string search(http::request& req) {
    return std::string(req.query("q")) + ", page " + std::to_string(req.query("page", 1)) + "\n";
}

// ?tag=a&tag=b
std::string tags(http::request& req) {
    std::string all;
    for (auto const& tag : req.query_parameters("tag")) all.append(tag.value) += '\n';
    return all;
}

// A form of a page, as application/x-www-form-urlencoded.
std::string subscribe(http::request& req) {
    if (!req.has_form("agreed")) throw http::problem(422, "please agree first");
    std::string all;
    for (auto const& [name, value] : req.form_parameters()) {
        all.append(name).append(" is ").append(value) += '\n';
    }
    return all;
}

int main(int argc, char** argv) {
    rill::web::router app;
    app.get("/search", search);
    app.get("/tags", tags);
    app.post("/subscribe", subscribe);
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
