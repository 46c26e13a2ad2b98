// A server that another thread stops.
#include <rill/web.hpp>

#include <cstdio>
#include <thread>

using namespace std::chrono_literals;

int main() {
    rill::web::router app;
    app.get("/", [] { return "Hello, World!"; });
    rill::web::server server(app, "127.0.0.1:0");

    std::jthread operator_thread([&] {
        std::printf("serving on %s\n", server.local_address().text().c_str());
        server.shutdown(2s);  // from any thread, also from a handler
    });
    rill::web::serve_report const report = server.run();  // until the shutdown is done
    for (auto const& each : report.alive) std::printf("cut after 2 s: %s\n", each.c_str());
    return report.cut == 0 ? 0 : 1;
}
