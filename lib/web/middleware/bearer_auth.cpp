// Tokens. RFC 6750 sections 2.1 and 3.
#include "rill/web/middleware/bearer_auth.hpp"

#include <memory>
#include <utility>

#include "web/middleware/challenge.hpp"

namespace rill::web {

bearer_auth::bearer_auth(std::string_view realm, owner_function owner)
    : challenge_(challenge_of("Bearer", realm)), owner_(std::move(owner)) {}

bearer_auth::bearer_auth(std::string_view realm, secret_list tokens)
    : bearer_auth(realm, [kept = std::make_shared<secret_list>(std::move(tokens))](
                             std::string_view token) { return kept->owner_of(token); }) {}

// Section 3.1: who has sent nothing is not told what was wrong with it.
http::response bearer_auth::refuse(http::status code, std::string_view why) const {
    http::response answer = http::to_response(http::problem(code));
    std::string text = challenge_;
    if (!why.empty()) text.append(", error=\"").append(why).append("\"");
    answer.headers().set("www-authenticate", text);
    return answer;
}

std::optional<http::response> bearer_auth::before(http::request& req) const {
    if (!req.has_header("authorization")) return refuse(http::status::unauthorized, {});
    auto const sent = credentials_of(req);
    if (sent && !sent->is("bearer")) return refuse(http::status::unauthorized, {});
    if (!sent || !codec::is_token68(sent->rest)) {
        return refuse(http::status::bad_request, "invalid_request");
    }
    auto const owner = owner_(sent->rest);
    if (!owner) return refuse(http::status::unauthorized, "invalid_token");
    set_user(req, *owner);
    return std::nullopt;
}

}  // namespace rill::web
