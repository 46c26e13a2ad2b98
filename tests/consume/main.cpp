// The program that each consumer builds: a server that answers "Hello, World!" on its address.
#include "other_library.hpp"

#if __has_include("rill/web.hpp")

#include <rill/web.hpp>

int main(int argument_count, char** arguments) {
    rill::web::router app;
    app.get("/", [] { return "Hello, World!"; });
    return rill::web::serve(app, argument_count > 1 ? arguments[1] : ":8080");
}

#else  // TODO(web): this branch goes when include/rill/web.hpp is there; ask.py then asks the
       // server.

#include <rill/base/result.hpp>

#include <cstdio>
#include <string>

rill::result<std::string> greeting(bool refused) {
    if (refused) return rill::errc::closed;
    return std::string("Hello, World!");
}

int main() {
    try {
        greeting(true).value();
    } catch (rill::error const& failure) {
        if (failure.code() != rill::errc::closed) return 1;
    }
    auto const text = greeting(false);
    if (!text) return 1;
    std::puts(text->c_str());
    return 0;
}

#endif
