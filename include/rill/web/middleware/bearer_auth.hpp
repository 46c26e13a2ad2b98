// bearer_auth: a token with each request. RFC 6750.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/web/middleware.hpp"
#include "rill/web/middleware/user.hpp"

namespace rill::web {

/// Lets in who sends a token that is known in Authorization; others get 401 and a challenge.
/// Tokens in a form or in the query are not looked at: they end up in logs.
class RILL_API bearer_auth {
public:
    /// The user whose token that is, or nothing. Called on all cores.
    using owner_function = std::function<std::optional<std::string>(std::string_view token)>;

    /// `realm` names what is protected. Errors: `error` where it holds a control character.
    bearer_auth(std::string_view realm, owner_function owner);
    /// With tokens of that list.
    bearer_auth(std::string_view realm, secret_list tokens);
    /// Lets in, or answers.
    std::optional<http::response> before(http::request& req) const;

private:
    [[nodiscard]] http::response refuse(http::status code, std::string_view why) const;

    std::string challenge_;
    owner_function owner_;
};

}  // namespace rill::web
