// Names and passwords. RFC 7617 section 2.
#include "rill/web/middleware/basic_auth.hpp"

#include <memory>
#include <utility>

#include "web/middleware/challenge.hpp"

namespace rill::web {

basic_auth::basic_auth(std::string_view realm, check_function check)
    : challenge_(challenge_of("Basic", realm) + ", charset=\"UTF-8\""), check_(std::move(check)) {}

basic_auth::basic_auth(std::string_view realm, secret_list users)
    : basic_auth(realm, [kept = std::make_shared<secret_list>(std::move(users))](
                            std::string_view user, std::string_view password) {
          return kept->check(user, password);
      }) {}

std::optional<http::response> basic_auth::before(http::request& req) const {
    auto const sent = credentials_of(req);
    if (!sent || !sent->is("basic")) return unauthorized(challenge_);
    auto const who = codec::parse_basic(sent->rest);
    if (!who || !check_(who->user, who->password)) return unauthorized(challenge_);
    set_user(req, who->user);
    return std::nullopt;
}

}  // namespace rill::web
