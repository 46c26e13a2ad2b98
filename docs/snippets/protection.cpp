// A server that keeps its promises to those whom it lets in.
#include <rill/rt.hpp>
#include <rill/web.hpp>

#include <string>

using namespace std::chrono_literals;

rill::task<std::string> make_report() {
    co_await rill::sleep(500ms);
    co_return std::string("a report");
}

int main(int argc, char** argv) {
    rill::web::router app;
    app.get("/", [] { return "a page"; });
    // Two at once, whoever asks for them: the next client gets 503.
    app.get("/report", make_report, rill::web::route_options{.most_requests = 2});
    // All downloads together leave most of the line to the rest.
    app.get(
        "/download", [] { return std::string(100'000, 'x'); },
        rill::web::route_options{.write_rate = 5'000'000});

    rill::web::serve_options options;
    options.http.most_connections = 20'000;
    options.http.most_connections_per_address = 100;  // an IPv6 network is one address
    options.http.most_requests = 1'000;               // that wait, of the whole server
    options.http.most_requests_per_address = 20;
    options.http.shed_delay = 5ms;         // of who waits for longer while all do
    options.http.write_rate = 50'000'000;  // bytes per second, over all cores
    options.http.connection_read_rate = 1'000'000;
    options.http.retry_after = 5s;  // what comes with each 503
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080", options);
}
