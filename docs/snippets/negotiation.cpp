// One address, several forms of its answer: what the client wants most.
#include <rill/web.hpp>

#include <string>

namespace http = rill::http;

http::response weather(http::request& req) {
    // 406, with the list of what there is, where the client takes neither.
    auto const type = req.must_accept({"text/html", "application/json"});
    auto const language = req.accepts_language({"en", "de"}).value_or("en");
    std::string const word = language == "de" ? "Sonne" : "sun";
    http::response answer = type == "text/html"
                                ? http::html("<p>" + word)
                                : http::content("{\"sky\":\"" + word + "\"}\n", "application/json");
    answer.headers().set("Content-Language", language);
    answer.vary("Accept");
    answer.vary("Accept-Language");
    return answer;
}

http::response transfer(http::request& req) {
    int const amount = req.query<int>("amount");
    if (amount > 30) {
        // For people and for programs: application/problem+json.
        throw http::problem(403, "the account holds 30")
            .set_type("/problems/no-credit")
            .set_title("Not enough credit")
            .set_member("balance", 30);
    }
    return http::redirect("/weather", http::status::see_other);
}

int main(int argc, char** argv) {
    rill::web::router app;
    app.get("/weather", weather);
    app.post("/transfer", transfer);
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
