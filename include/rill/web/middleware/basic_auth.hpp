// basic_auth: a name and a password with each request. RFC 7617.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/web/middleware.hpp"
#include "rill/web/middleware/user.hpp"

namespace rill::web {

/// Lets in who sends a name and a password that are right; others get 401 and a challenge. The
/// password stands in the request as good as plain: use it over TLS alone.
class RILL_API basic_auth {
public:
    /// Says whether that is the password of that user. Called on all cores; what has to wait (a
    /// database, a slow hash) is middleware of your own.
    using check_function = std::function<bool(std::string_view user, std::string_view password)>;

    /// `realm` is what browsers show. Errors: `error` where it holds a control character.
    basic_auth(std::string_view realm, check_function check);
    /// With users of that list.
    basic_auth(std::string_view realm, secret_list users);
    /// Lets in, or answers.
    std::optional<http::response> before(http::request& req) const;

private:
    std::string challenge_;
    check_function check_;
};

}  // namespace rill::web
