// security_headers: fields that tell browsers to be careful with a page.
// RFC 6797 (HSTS), WHATWG Fetch section 3.7 (nosniff), WHATWG HTML section 7.1.3 (COOP).
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rill/base/export.hpp"
#include "rill/web/middleware.hpp"

namespace rill::web {

/// What is said; an empty text, or zero, leaves a field out.
struct security_header_options {
    /// X-Frame-Options.
    std::string_view frame_options = "DENY";
    /// Referrer-Policy.
    std::string_view referrer_policy = "strict-origin-when-cross-origin";
    /// Cross-Origin-Opener-Policy.
    std::string_view opener_policy = "same-origin";
    /// Content-Security-Policy. Empty, because only the page knows: try "default-src 'self'".
    std::string_view content_security_policy = {};
    /// Permissions-Policy.
    std::string_view permissions_policy = {};
    /// Strict-Transport-Security; sent only to clients that came by https. Zero, because a browser
    /// does not forget it.
    std::chrono::seconds transport_security = std::chrono::seconds::zero();
    /// And for all names below the host.
    bool include_subdomains = false;
};
static_assert(std::is_trivially_destructible_v<security_header_options>);

/// Adds `X-Content-Type-Options: nosniff` and what the options say to every answer that does not
/// say it itself.
class RILL_API security_headers {
public:
    /// Errors    `error` where a text is no field value.
    explicit security_headers(security_header_options const& options = {});
    /// Adds the fields.
    void after(http::request& req, http::response& answer) const;

private:
    std::vector<std::pair<std::string_view, std::string>> fields_;
    std::string transport_security_;
};

}  // namespace rill::web
