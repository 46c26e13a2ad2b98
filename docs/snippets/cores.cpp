// A value for each core, and work beside the cores.
#include <rill/rt.hpp>
#include <rill/web.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

std::uint64_t fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(int argc, char** argv) {
    rill::per_core<std::atomic<std::uint64_t>> counts;
    rill::web::router app;
    // Each core counts on a cache line of its own.
    app.get("/count", [&] { return std::to_string(++counts.local()); });
    // What computes for long, or blocks, belongs on the pool of threads beside the cores.
    app.get("/fibonacci/{n}", [](rill::http::request& req) -> rill::task<std::string> {
        auto const n = req.path<unsigned>("n");
        if (n > 40) throw rill::http::problem(400, "at most 40");
        std::uint64_t const value = co_await rill::blocking(fibonacci, n);
        co_return std::to_string(value);
    });
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
