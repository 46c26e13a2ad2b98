// Redirects, problems and their JSON document.
// RFC 9110 section 10.2.2 (Location), RFC 9457 section 3 (problem details), RFC 8259 section 7.
#include "rill/http/response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>

#include "http/json_text.hpp"
#include "rill/base/assert.hpp"
#include "rill/base/error.hpp"

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

namespace {

void append_text(std::string& to, std::string_view name, std::string_view value) {
    if (value.empty()) return;
    if (to.back() != '{') to += ',';
    to.append("\"").append(name).append("\":");
    append_json_string(to, value);
}

// RFC 9457 section 3.2: names of extensions that any format can carry.
bool is_extension_name(std::string_view name) noexcept {
    constexpr std::string_view digits = "0123456789";
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (std::string_view const taken : {"type", "title", "status", "detail", "instance"}) {
        if (name == taken) return false;
    }
    if (name.size() < 3 || letters.find(name.front()) == letters.npos) return false;
    return std::ranges::all_of(name, [&](char c) {
        return c == '_' || letters.find(c) != letters.npos || digits.find(c) != digits.npos;
    });
}

}  // namespace

std::string problem::json() const {
    std::string text = "{";
    append_text(text, "type", type_);
    append_text(text, "title", title_.empty() ? reason(status_) : std::string_view(title_));
    if (text.back() != '{') text += ',';
    text += fmt::format("\"status\":{}", code_of(status_));
    append_text(text, "detail", detail());
    append_text(text, "instance", instance_);
    text += members_;
    text += "}\n";
    return text;
}

problem& problem::set_member(std::string_view name, std::string_view value) {
    begin_member(name);
    append_json_string(members_, value);
    return *this;
}

problem& problem::set_number(std::string_view name, double value) {
    begin_member(name);
    members_ += std::isfinite(value) ? fmt::format("{}", value) : "null";
    return *this;
}

problem& problem::set_integer(std::string_view name, std::int64_t value) {
    begin_member(name);
    members_ += fmt::format("{}", value);
    return *this;
}

problem& problem::set_unsigned(std::string_view name, std::uint64_t value) {
    begin_member(name);
    members_ += fmt::format("{}", value);
    return *this;
}

problem& problem::set_flag(std::string_view name, bool value) {
    begin_member(name);
    members_ += value ? "true" : "false";
    return *this;
}

void problem::begin_member(std::string_view name) {
    if (!is_extension_name(name)) {
        throw error(std::make_error_code(std::errc::invalid_argument), "add to a problem", {},
                    "a name has three letters, digits or _ at least, and is none of RFC 9457's");
    }
    members_.append(",\"").append(name).append("\":");
}

void detail::check_content_type(std::string_view text) {
    if (http1::is_field_value(text)) return;
    throw error(std::make_error_code(std::errc::invalid_argument), "set content type", {},
                "a value has no control characters");
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
