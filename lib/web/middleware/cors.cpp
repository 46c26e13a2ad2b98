// Fields for pages of other origins. WHATWG Fetch, sections 3.2.2 to 3.2.5.
#include "rill/web/middleware/cors.hpp"

#include <algorithm>
#include <system_error>

#include "rill/base/error.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::web {

namespace {

[[noreturn]] void refuse(std::string_view what, std::string_view advice) {
    throw error(std::make_error_code(std::errc::invalid_argument), "set up CORS", what, advice);
}

void add_token(std::string& list, std::string_view name) {
    if (!http1::is_token(name)) refuse(name, "names of methods and fields are tokens");
    if (!list.empty()) list += ", ";
    list += name;
}

// "scheme://host[:port]", without a path. Browsers write it in lower case, and send "null" where a
// page has no origin: nobody is meant by that.
bool is_origin(std::string_view text) noexcept {
    std::size_t const behind = text.find("://");
    if (behind == std::string_view::npos || behind == 0) return false;
    std::string_view const host = text.substr(behind + 3);
    return http1::is_host(host) && !host.empty() &&
           std::none_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_preflight(http::request const& req) noexcept {
    return req.method() == http::method::options && req.has_header("origin") &&
           req.has_header("access-control-request-method");
}

}  // namespace

cors& cors::origin(std::string_view text) {
    if (!is_origin(text)) refuse(text, "an origin is scheme://host[:port] in lower case");
    origins_.emplace_back(text);
    return *this;
}
cors& cors::any_origin() {
    if (credentials_) refuse("*", "name the origins that may send credentials");
    any_origin_ = true;
    return *this;
}
cors& cors::credentials() {
    if (any_origin_) refuse("*", "name the origins that may send credentials");
    credentials_ = true;
    return *this;
}
cors& cors::method(std::string_view name) {
    add_token(methods_, name);
    return *this;
}
cors& cors::header(std::string_view name) {
    add_token(headers_, name);
    return *this;
}
cors& cors::expose(std::string_view name) {
    add_token(exposed_, name);
    return *this;
}
cors& cors::max_age(std::chrono::seconds length) {
    max_age_ = std::to_string(length.count());
    return *this;
}

void cors::say_who(http::request const& req, http::response& answer) const {
    http::headers& fields = answer.headers();
    if (any_origin_) {
        fields.set("access-control-allow-origin", "*");
        return;
    }
    // Said to everybody: a cache must not give the answer for one origin to another.
    answer.vary("Origin");
    std::string_view const from = req.header("origin");
    if (std::find(origins_.begin(), origins_.end(), from) == origins_.end()) {
        fields.erase("access-control-allow-origin");
        return;
    }
    fields.set("access-control-allow-origin", from);
    if (credentials_) fields.set("access-control-allow-credentials", "true");
}

std::optional<http::response> cors::before(http::request& req) const {
    if (!is_preflight(req)) return std::nullopt;
    http::response answer(http::status::no_content);
    say_who(req, answer);
    answer.vary("Access-Control-Request-Method");
    answer.vary("Access-Control-Request-Headers");
    http::headers& fields = answer.headers();
    if (!fields.contains("access-control-allow-origin")) return answer;
    if (!methods_.empty()) fields.set("access-control-allow-methods", methods_);
    if (!headers_.empty()) fields.set("access-control-allow-headers", headers_);
    if (!max_age_.empty()) fields.set("access-control-max-age", max_age_);
    return answer;
}

void cors::after(http::request& req, http::response& answer) const {
    say_who(req, answer);
    if (!exposed_.empty() && answer.headers().contains("access-control-allow-origin")) {
        answer.headers().set("access-control-expose-headers", exposed_);
    }
}

}  // namespace rill::web
