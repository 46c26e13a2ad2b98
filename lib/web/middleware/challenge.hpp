// What the schemes of authentication have in common. RFC 9110 section 11.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rill/codec/authorization.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"

namespace rill::web {

// `Basic realm="..."`. Throws `error` where the realm cannot be sent.
std::string challenge_of(std::string_view scheme, std::string_view realm);

// The credentials of a request; nothing where there are none, several, or they are malformed.
std::optional<codec::credentials> credentials_of(http::request const& req) noexcept;

// 401 with that challenge.
http::response unauthorized(std::string_view challenge);

}  // namespace rill::web
