// Serves a folder, with pages that list its folders. `./dev serve` runs this.
// Run: ./file_server 127.0.0.1:8080 .   then look at http://127.0.0.1:8080/
#include <rill/web.hpp>
#include <rill/web/files.hpp>

#include <cstdio>

int main(int argc, char** argv) try {
    rill::web::router app;
    app.get("/{path...}", rill::web::files(argc > 2 ? argv[2] : "."));
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
} catch (rill::error const& failure) {  // no such folder
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
