// JSON in and out, with types of one's own.
#include <rill/json.hpp>
#include <rill/web.hpp>

#include <string>
#include <vector>

namespace http = rill::http;

struct item {
    std::string name;
    int count = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(item, name, count)

int main(int argc, char** argv) {
    rill::web::router app;
    app.get("/items", [] { return rill::json(std::vector<item>{{"tea", 2}, {"salt", 1}}); });
    // What is wrong in a body is a 400 that says where: [{"name": 5}] names /0/name.
    app.post("/count", [](http::request& req) {
        int sum = 0;
        for (item const& each : rill::read_json<std::vector<item>>(req)) sum += each.count;
        return rill::json(nlohmann::json{{"count", sum}}, http::status::created);
    });
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
