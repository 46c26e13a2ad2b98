// Redirects, problems and their JSON document.
// RFC 9110 section 10.2.2 (Location), RFC 9457 section 3 (problem details), RFC 8259 section 7.
#include "rill/http/response.hpp"

#include <fmt/format.h>

#include "http/json_text.hpp"
#include "rill/base/assert.hpp"

namespace rill::http {

problem::problem(http::status status, std::string_view detail) : status_(status) {
    RILL_ASSERT(code_of(status) >= 100 && code_of(status) <= 999, "a status has three digits");
    text_ = fmt::format("{} {}", code_of(status), reason(status));
    if (!detail.empty()) text_ += ": ";
    detail_at_ = text_.size();
    text_ += detail;
}

problem::problem(int status, std::string_view detail)
    : problem(static_cast<http::status>(status), detail) {}

problem::~problem() = default;

std::string problem::json() const {
    std::string text = "{";
    if (!reason(status_).empty()) {
        text += "\"title\":";
        append_json_string(text, reason(status_));
        text += ',';
    }
    text += fmt::format("\"status\":{}", code_of(status_));
    if (!detail().empty()) {
        text += ",\"detail\":";
        append_json_string(text, detail());
    }
    text += "}\n";
    return text;
}

response redirect(std::string_view location, status code) {
    response answer(code);
    answer.headers().set("Location", location);
    return answer;
}

response to_response(problem const& value) {
    return {value.status(), value.json(), content_types::problem};
}

}  // namespace rill::http
