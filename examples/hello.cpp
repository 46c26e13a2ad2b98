// Hello, World over HTTP, on all cores.
// Run: ./hello 127.0.0.1:8080   then: curl http://127.0.0.1:8080/
#include <rill/web.hpp>

int main(int argc, char** argv) {
    rill::web::router app;
    app.get("/", [] { return "Hello, World!"; });
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080");
}
