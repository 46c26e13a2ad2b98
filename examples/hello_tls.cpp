// Hello, World over HTTPS, on all cores.
// Run: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30
//          -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem
//      ./hello_tls cert.pem key.pem 127.0.0.1:8443
// then: curl --cacert cert.pem https://localhost:8443/
#include <rill/tls/context.hpp>
#include <rill/web.hpp>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: hello_tls CERTIFICATE KEY [ADDRESS]\n", stderr);
        return 2;
    }
    try {
        auto const own = rill::tls::context::server(
            {.certificate_file = argv[1], .key_file = argv[2], .protocols = "http/1.1"});
        rill::web::router app;
        app.get("/", [] { return "Hello, World!"; });
        rill::web::serve_options options;
        options.http.tls = &own;
        return rill::web::serve(app, argc > 3 ? argv[3] : ":8443", options);
    } catch (std::exception const& failure) {
        std::fprintf(stderr, "hello_tls: %s\n", failure.what());
        return 1;
    }
}
