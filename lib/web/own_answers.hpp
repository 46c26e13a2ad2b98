// The answers that a router gives by itself. RFC 9110 sections 9.3.7, 15.5.5, 15.5.6 and 15.6.2.
#pragma once

#include <cstdint>

#include "rill/http/handler.hpp"
#include "rill/http/method.hpp"

namespace rill::web::detail {

constexpr std::uint64_t bit_of(http::method method) noexcept {
    return std::uint64_t{1} << static_cast<unsigned>(method);
}

// They want no content, and allocate nothing but for Allow, which lists the methods that the router
// has noted in the request.
extern http::handler const own_not_found;
extern http::handler const own_bad_path;
extern http::handler const own_wrong_method;
extern http::handler const own_unknown_method;
extern http::handler const own_list_methods;

}  // namespace rill::web::detail
