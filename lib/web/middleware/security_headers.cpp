// Fields for careful browsers, put together once.
#include "rill/web/middleware/security_headers.hpp"

#include <system_error>

#include "rill/base/error.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::web {

security_headers::security_headers(security_header_options const& options) {
    auto const add = [this](std::string_view name, std::string_view value) {
        if (value.empty()) return;
        if (!http1::is_field_value(value)) {
            throw error(std::make_error_code(std::errc::invalid_argument), "set a field", name);
        }
        fields_.emplace_back(name, value);
    };
    add("x-content-type-options", "nosniff");
    add("x-frame-options", options.frame_options);
    add("referrer-policy", options.referrer_policy);
    add("cross-origin-opener-policy", options.opener_policy);
    add("content-security-policy", options.content_security_policy);
    add("permissions-policy", options.permissions_policy);
    if (options.transport_security > options.transport_security.zero()) {
        transport_security_ = "max-age=" + std::to_string(options.transport_security.count());
        if (options.include_subdomains) transport_security_ += "; includeSubDomains";
    }
}

void security_headers::after(http::request& req, http::response& answer) const {
    http::headers& fields = answer.headers();
    for (auto const& [name, value] : fields_) {
        if (!fields.contains(name)) fields.add(name, value);
    }
    // RFC 6797 section 7.2: never over a transport that is not secure.
    if (transport_security_.empty() || fields.contains("strict-transport-security")) return;
    if (req.client().scheme == "https") {
        fields.add("strict-transport-security", transport_security_);
    }
}

}  // namespace rill::web
