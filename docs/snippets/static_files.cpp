// A program for browsers: its pages, files that never change under their names, and downloads.
// Run: ./snippet_static_files 127.0.0.1:8080 site
#include <rill/web.hpp>
#include <rill/web/files.hpp>

#include <cstdio>
#include <string>

int main(int argc, char** argv) try {
    std::string const root = argc > 2 ? argv[2] : ".";
    rill::web::router app;
    // Their names hold a hash of what they hold, so nobody asks for them twice. `app.4f1c.js` is
    // answered with `app.4f1c.js.br` beside it where the client takes that.
    app.get(
        "/assets/{path...}",
        rill::web::files(root + "/assets", {.listing = false,
                                            .cache_control = "public, max-age=31536000, immutable",
                                            .precompressed = true}));
    // A page that lists them, or JSON for `Accept: application/json`; a download that broke off
    // goes on where it stood.
    app.get("/downloads/{path...}", rill::web::files(root + "/downloads"));
    // All other paths belong to the program in the browser; its page is checked for news each time.
    app.get("/{path...}",
            rill::web::files(
                root, {.listing = false, .cache_control = "no-cache", .fallback = "index.html"}));
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
} catch (rill::error const& failure) {  // no such folder
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
