// Who is the client of a request that came through proxies.
#include <rill/web.hpp>

#include <string>

namespace http = rill::http;

int main(int argc, char** argv) {
    // Whom we believe: our own proxies, and nobody else. It outlives the server.
    rill::network_set const proxies{"127.0.0.1", "::1", "10.0.0.0/8"};
    rill::web::router app;
    app.get("/", [](http::request& req) {
        http::client_info const client = req.client();
        return client.address.host() + " wants " + client.scheme + "://" + client.host + "/\n";
    });
    return rill::web::serve(app, argc > 1 ? argv[1] : ":8080",
                            {.http = {
                                 .trusted_proxies = &proxies,
                                 .forwarded = http::forwarded_fields::x_forwarded,
                             }});
}
