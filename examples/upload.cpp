// Uploads of any size into a folder, in the memory of one piece, at the pace of the disk.
// Run: ./upload 127.0.0.1:8080 FOLDER   then: curl -T FILE http://127.0.0.1:8080/files/NAME
#include <rill/io/directory.hpp>
#include <rill/web.hpp>

#include <cstdio>
#include <string>

using namespace std::chrono_literals;
namespace file = rill::file;
namespace http = rill::http;

int main(int argc, char** argv) try {
    file::root const folder(argc > 2 ? argv[2] : ".");
    rill::web::router app;
    // The parameter's type says that the content is read here; an http::request has it whole.
    auto const upload = [&folder](http::streaming_request& req) -> rill::task<std::string> {
        std::string const name(req.path("name"));
        if (name.front() == '.') throw http::problem(403, "no name may begin with a dot");
        // Without a name until it is whole: an upload that breaks off leaves nothing.
        auto const into = co_await file::temporary(folder, ".", 0644);
        std::uint64_t size = 0;
        while (auto const piece = co_await req.body().read()) {
            co_await file::write_all(into, *piece, size);
            size += piece.size();
        }
        co_await file::publish(into, folder, name);
        co_return std::to_string(size) + " bytes\n";
    };
    // Other routes keep the server's limits: 1 MiB in 30 s.
    app.put("/files/{name}", upload,
            rill::web::route_options{.body_bytes = 8ULL << 30, .body_timeout = 1h});
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
} catch (std::exception const& failure) {
    std::fprintf(stderr, "upload: %s\n", failure.what());
    return 1;
}
