// An answer that is made while it is sent, at the pace of its client.
// Run: ./streamed_answer 127.0.0.1:8080   then: curl -N "http://127.0.0.1:8080/count?to=5"
#include <rill/rt/sleep.hpp>
#include <rill/web.hpp>

#include <string>

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    rill::web::router app;
    app.get("/count", [](rill::http::request& req) {
        int const last = req.query<int>("to", 10);
        auto produce = [last](rill::http::body_writer& out) -> rill::task<> {
            for (int i = 1; i <= last; ++i) {
                std::string const line = std::to_string(i) + "\n";
                co_await out.write(line);
                if (i < last) co_await rill::sleep(100ms);
            }
        };
        return rill::http::stream(produce, rill::http::content_types::text);
    });
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
