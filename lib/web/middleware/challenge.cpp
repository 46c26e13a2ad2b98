// Challenges and credentials. RFC 9110 sections 11.3, 11.4 and 11.6.
#include "web/middleware/challenge.hpp"

#include <system_error>

#include "rill/base/error.hpp"

namespace rill::web {

std::string challenge_of(std::string_view scheme, std::string_view realm) {
    if (!http1::is_field_value(realm)) {
        throw error(std::make_error_code(std::errc::invalid_argument), "protect a realm", realm,
                    "a realm holds no control character");
    }
    std::string text(scheme);
    text += " realm=\"";
    for (char const c : realm) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text += '"';
}

std::optional<codec::credentials> credentials_of(http::request const& req) noexcept {
    std::optional<std::string_view> only;
    for (http::field const each : req.headers()) {
        if (!http1::equal_ignoring_case(each.name, "authorization")) continue;
        // Of two nobody knows which one somebody in front has looked at.
        if (only) return std::nullopt;
        only = each.value;
    }
    if (!only) return std::nullopt;
    return codec::parse_credentials(*only);
}

http::response unauthorized(std::string_view challenge) {
    http::response answer = http::to_response(http::problem(http::status::unauthorized));
    answer.headers().set("www-authenticate", challenge);
    return answer;
}

}  // namespace rill::web
