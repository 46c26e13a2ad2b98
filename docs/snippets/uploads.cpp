// A form with files, as a page sends it: the files go to disk piece by piece, as they arrive.
// Run: ./uploads 127.0.0.1:8080 FOLDER   then open http://127.0.0.1:8080/
#include <rill/http/multipart.hpp>
#include <rill/io/directory.hpp>
#include <rill/web.hpp>

#include <cstdio>
#include <string>

using namespace std::chrono_literals;
namespace file = rill::file;
namespace http = rill::http;

constexpr http::literal page{
    "<!doctype html><title>Upload</title>"
    "<form method=post enctype=multipart/form-data>"
    "<input name=title> <input type=file name=file multiple> <button>Send</button></form>"};

rill::task<std::string> receive(http::streaming_request& req, file::root const& folder) {
    std::string report;
    http::multipart_reader form(req, {.parts = 20, .part_bytes = 4ULL << 30});
    while (auto* part = co_await form.next()) {
        if (!part->filename()) {
            std::string const text = co_await part->text(1000);  // 413 beyond
            report.append(part->name()).append(" is ").append(text) += '\n';
            continue;
        }
        // The client's name for it is text and no path: files get names of our own.
        std::string const name = std::to_string(std::hash<std::string>()(*part->filename()));
        auto const into = co_await file::temporary(folder, ".", 0644);
        std::uint64_t size = 0;
        while (auto const piece = co_await part->read()) {
            co_await file::write_all(into, *piece, size);
            size += piece.size();
        }
        co_await file::publish(into, folder, name);
        report.append(*part->filename()).append(" has ") += std::to_string(size) + " bytes\n";
    }
    co_return report;
}

int main(int argc, char** argv) try {
    file::root const folder(argc > 2 ? argv[2] : ".");
    rill::web::router app;
    app.get("/", [] { return http::content(page, http::content_types::html); });
    app.post(
        "/", [&folder](http::streaming_request& req) { return receive(req, folder); },
        rill::web::route_options{.body_bytes = 8ULL << 30, .body_timeout = 1h});
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
} catch (std::exception const& failure) {
    std::fprintf(stderr, "uploads: %s\n", failure.what());
    return 1;
}
