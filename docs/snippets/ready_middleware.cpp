// Middleware that ships: each is a header of <rill/web/middleware/>.
#include <rill/web.hpp>
#include <rill/web/middleware/access_log.hpp>
#include <rill/web/middleware/basic_auth.hpp>
#include <rill/web/middleware/bearer_auth.hpp>
#include <rill/web/middleware/compression.hpp>
#include <rill/web/middleware/cors.hpp>
#include <rill/web/middleware/etag.hpp>
#include <rill/web/middleware/limits.hpp>
#include <rill/web/middleware/rate_limit.hpp>
#include <rill/web/middleware/request_id.hpp>
#include <rill/web/middleware/security_headers.hpp>
#include <rill/web/middleware/trace_context.hpp>

#include <string>

using namespace std::chrono_literals;
namespace http = rill::http;
namespace web = rill::web;

int main(int argc, char** argv) {
    web::router app;
    app.use(web::access_log(web::log_format::json));
    app.use(web::compression());
    app.use(web::request_id()).use(web::trace_context());
    app.use(web::security_headers({.content_security_policy = "default-src 'self'"}));
    app.get("/", web::with(web::etag(), [] { return "a page"; }));

    auto& api = app.group("/api");
    api.use(web::cors().origin("https://app.example").method("PUT").max_age(10min));
    api.use(web::rate_limit({.requests = 5, .window = 60s}));
    api.use(web::body_limit{64 * 1024}).use(web::deadline{2s});
    api.use(web::bearer_auth("api", web::secret_list().add("ann", "token-of-ann")));
    api.get("/me", [](http::request& req) { return std::string(web::user_of(req)); });

    auto& admin = app.group("/admin");
    admin.use(web::basic_auth("admin", [](std::string_view user, std::string_view password) {
        return user == "root" && password == "secret";  // look at secret_list: this tells its time
    }));
    admin.get("", [] { return "hello"; });
    return web::serve(app, argc > 1 ? argv[1] : ":8080");
}
