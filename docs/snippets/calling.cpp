// Handlers tested without a port.
#include <rill/rt.hpp>
#include <rill/web.hpp>

#include <cstdio>
#include <string>

namespace http = rill::http;
using rill::web::call_request;

rill::task<std::string> count_words(http::streaming_request& req) {
    std::size_t words = 0;
    bool inside = false;
    while (auto const piece = co_await req.body().read()) {
        for (char const c : piece.text()) {
            if (c != ' ' && !inside) ++words;
            inside = c != ' ';
        }
    }
    co_return std::to_string(words);
}

rill::task<int> test_words() {
    rill::web::router app;
    app.post("/words", count_words);
    // In pieces of one byte: words that are cut count once.
    auto const answer = co_await app.call(
        call_request(http::method::post, "/words").body("one two  three").pieces(1));
    auto const missing = co_await app.call(call_request(http::method::get, "/nothing"));
    std::printf("%s %u\n", std::string(answer.text()).c_str(), http::code_of(missing.status()));
    co_return answer.text() == "3" && missing.status() == http::status::not_found ? 0 : 1;
}

int main() {
    return rill::run(test_words());
}
