// Names of requests.
#include "rill/web/middleware/request_id.hpp"

#include <algorithm>
#include <system_error>

#include "rill/base/error.hpp"
#include "rill/codec/http_fields.hpp"
#include "web/random_hex.hpp"

namespace rill::web {

namespace {

struct named_request {
    std::string_view name;
};

bool is_name(std::string_view text) noexcept {
    return !text.empty() && text.size() <= request_id::max_size &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '-' || c == '_' || c == '.';
           });
}

}  // namespace

request_id::request_id(request_id_options const& options)
    : field_(options.field), from_client_(options.from_client) {
    if (http1::is_token(field_)) return;
    throw error(std::make_error_code(std::errc::invalid_argument), "name requests", field_,
                "the field's name is a token");
}

std::optional<http::response> request_id::before(http::request& req) const {
    std::string_view const sent = from_client_ ? req.header(field_) : std::string_view();
    if (is_name(sent)) {
        req.attach(named_request{req.keep(sent)});
    } else {
        auto const made = random_hex<16>();
        req.attach(named_request{req.keep({made.data(), made.size()})});
    }
    return std::nullopt;
}

void request_id::after(http::request& req, http::response& answer) const {
    answer.headers().set(field_, request_id_of(req));
}

std::string_view request_id_of(http::request const& req) noexcept {
    auto const* const found = req.attached<named_request>();
    return found == nullptr ? std::string_view() : found->name;
}

}  // namespace rill::web
