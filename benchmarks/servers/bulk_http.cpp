// A server of bodies that no memory holds: it counts what is uploaded and makes what is downloaded.
// Usage: bulk_http ADDRESS
#include <rill/web.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

namespace http = rill::http;

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;

rill::task<std::string> count(http::streaming_request& req) {
    std::uint64_t size = 0;
    std::uint64_t sum = 0;
    while (auto const piece = co_await req.body().read()) {
        size += piece.size();
        rill::bytes const there(*piece);
        for (char const each : there.text()) sum += static_cast<unsigned char>(each);
    }
    co_return std::to_string(size) + " " + std::to_string(sum);
}

http::response make(http::request& req) {
    auto const produce =
        [size = req.query<std::uint64_t>("bytes")](http::body_writer& out) -> rill::task<> {
        std::string piece(64 * 1024, '\0');
        std::iota(piece.begin(), piece.end(), '\0');
        for (std::uint64_t left = size; left != 0;) {
            std::string_view const next(
                piece.data(),
                static_cast<std::size_t>(std::min<std::uint64_t>(left, piece.size())));
            co_await out.write(next);
            left -= next.size();
        }
    };
    return http::stream(produce);
}

}  // namespace

int main(int argc, char** argv) {
    rill::web::router app;
    app.post("/bulk", count, {.body_bytes = most_bytes, .body_timeout = std::chrono::hours(1)});
    app.get("/bulk", make);
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
