// The program that each consumer builds: a server that answers "Hello, World!" on its address.
#include "other_library.hpp"

#include <rill/web.hpp>

int main(int argument_count, char** arguments) {
    rill::web::router app;
    app.get("/", [] { return "Hello, World!"; });
    return rill::web::serve(app, argument_count > 1 ? arguments[1] : ":8080");
}
