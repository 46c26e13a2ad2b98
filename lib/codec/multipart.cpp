// Takes multipart/form-data apart.
// RFC 2046 section 5.1.1 (boundaries), RFC 7578 section 4 (heads of parts).
#include "rill/codec/multipart.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rill/codec/http_fields.hpp"

namespace rill::codec {

namespace {

constexpr std::size_t longest_boundary = 70;

bool is_boundary_char(char c) noexcept {
    constexpr std::string_view marks = "'()+_,-./:=? ";
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           marks.find(c) != marks.npos;
}

// The text of a parameter of Content-Disposition. Browsers escape quotes as %22 and send
// backslashes as they are; a backslash counts only where it escapes a quote or another one.
std::string parameter_text(std::string_view value) {
    if (!value.starts_with('"')) return std::string(value);
    value = value.substr(1, value.size() - 2);
    std::string text;
    text.reserve(value.size());
    for (std::size_t at = 0; at < value.size(); ++at) {
        if (value[at] == '\\' && at + 1 < value.size() &&
            (value[at + 1] == '"' || value[at + 1] == '\\')) {
            ++at;
        }
        text += value[at];
    }
    return text;
}

bool is_plain_encoding(std::string_view encoding) noexcept {
    return http1::equal_ignoring_case(encoding, "binary") ||
           http1::equal_ignoring_case(encoding, "8bit") ||
           http1::equal_ignoring_case(encoding, "7bit");
}

}  // namespace

std::optional<std::string> multipart_boundary(std::string_view content_type) {
    if (!http1::equal_ignoring_case(http1::media_type_of(content_type), "multipart/form-data")) {
        return std::nullopt;
    }
    std::optional<std::string> boundary;
    http1::parameter_reader parameters(
        content_type.substr(std::min(content_type.find(';'), content_type.size())));
    while (auto const one = parameters.next()) {
        if (!http1::equal_ignoring_case(one->name, "boundary")) continue;
        if (boundary) return std::nullopt;
        boundary =
            one->value.starts_with('"') ? http1::unquote(one->value) : std::string(one->value);
        if (!boundary) return std::nullopt;
    }
    if (parameters.failed() || !boundary || boundary->empty() ||
        boundary->size() > longest_boundary || boundary->back() == ' ' ||
        !std::ranges::all_of(*boundary, is_boundary_char)) {
        return std::nullopt;
    }
    return boundary;
}

multipart_parser::multipart_parser(std::string_view boundary, limits const& bounds)
    : limits_(bounds) {
    delimiter_.append("\r\n--").append(boundary);
}

multipart_step multipart_parser::next(bytes input) {
    std::size_t consumed = 0;
    for (;;) {
        multipart_step step = go_on(input.without_first(consumed));
        consumed += step.consumed;
        step.consumed = consumed;
        if (step.what != multipart_event::need_more || consumed == input.size()) return step;
    }
}

multipart_step multipart_parser::go_on(bytes input) {
    switch (state_) {
        case state::preamble:
        case state::content:
            return scan(input);
        case state::boundary_end:
            return after_boundary(input);
        case state::head_lines:
            return read_head(input);
        case state::ended:
            return {multipart_event::end, input.size(), {}};
        case state::failed:
            break;
    }
    return {multipart_event::failed, 0, {}};
}

bool multipart_parser::finish() noexcept {
    if (state_ == state::ended) return true;
    if (state_ != state::failed) {
        static_cast<void>(fail(400, "the form ends before its last boundary"));
    }
    return false;
}

// Looks for the delimiter. It holds CR in its first place only, so what has begun like it and is
// not it can begin anew with a CR alone, and no byte is looked at again.
multipart_step multipart_parser::scan(bytes input) {
    std::string_view const text = input.text();
    std::size_t at = 0;
    while (matched_ != 0 && matched_ != delimiter_.size() && at != text.size()) {
        if (text[at] == delimiter_[matched_]) {
            ++at;
            ++matched_;
        } else {
            owed_ = std::exchange(matched_, 0);
        }
    }
    if (matched_ == delimiter_.size()) return at_boundary(at);
    if (owed_ != 0) {
        // Of a line before the body, which is not there, nothing is content.
        return content(at, bytes(delimiter_).first(std::exchange(owed_, 0)));
    }
    if (at == text.size()) return {multipart_event::need_more, at, {}};
    // Here nothing is matched, and `at` is 0.
    std::size_t found = 0;
    while ((found = text.find('\r', found)) != text.npos) {
        std::size_t const size = std::min(delimiter_.size(), text.size() - found);
        if (std::memcmp(text.data() + found, delimiter_.data(), size) == 0) break;
        ++found;
    }
    if (found != 0) return content(std::min(found, text.size()), input.first(found));
    matched_ = std::min(delimiter_.size(), text.size());
    if (matched_ == delimiter_.size()) return at_boundary(matched_);
    return {multipart_event::need_more, text.size(), {}};
}

multipart_step multipart_parser::content(std::size_t consumed, bytes data) {
    if (state_ == state::preamble) return {multipart_event::need_more, consumed, {}};
    if (data.size() > limits_.part_bytes - part_bytes_) {
        return fail(413, "a part of the form is larger than allowed");
    }
    if (data.size() > limits_.content_bytes - content_bytes_) {
        return fail(413, "the form is larger than allowed");
    }
    part_bytes_ += data.size();
    content_bytes_ += data.size();
    return {multipart_event::data, consumed, data};
}

multipart_step multipart_parser::at_boundary(std::size_t consumed) {
    bool const ends_part = state_ == state::content;
    matched_ = 0;
    lines_.clear();
    state_ = state::boundary_end;
    return {ends_part ? multipart_event::part_end : multipart_event::need_more, consumed, {}};
}

// Behind a boundary comes "--", or white space and the end of the line.
multipart_step multipart_parser::after_boundary(bytes input) {
    std::string_view const text = input.text();
    for (std::size_t at = 0; at != text.size(); ++at) {
        char const c = text[at];
        char const before = lines_.empty() ? '\0' : lines_.back();
        if (c == '-' && lines_ == "-") {
            state_ = state::ended;
            return {multipart_event::end, at + 1, {}};
        }
        if (c == '\n' && before == '\r') {
            lines_.clear();
            if (++parts_ > limits_.parts) return fail(413, "the form has more parts than allowed");
            state_ = state::head_lines;
            return {multipart_event::need_more, at + 1, {}};
        }
        bool const is_space = c == ' ' || c == '\t';
        bool const fits = lines_.empty()
                              ? is_space || c == '-' || c == '\r'
                              : (before == ' ' || before == '\t') && (is_space || c == '\r');
        if (!fits) return fail(400, "a boundary of the form is not alone on its line");
        if (lines_.size() == limits_.header_bytes)
            return fail(413, "the head of a part is larger than allowed");
        lines_ += c;
    }
    return {multipart_event::need_more, text.size(), {}};
}

multipart_step multipart_parser::read_head(bytes input) {
    std::string_view const text = input.text();
    std::size_t at = 0;
    while (at != text.size()) {
        // Line by line, so that the end is looked for in new bytes only.
        std::size_t const line_end = text.find('\n', at);
        std::size_t const size = (line_end == text.npos ? text.size() : line_end + 1) - at;
        if (size > limits_.header_bytes - lines_.size()) {
            return fail(413, "the head of a part is larger than allowed");
        }
        lines_ += text.substr(at, size);
        at += size;
        if (lines_ != "\r\n" && !lines_.ends_with("\r\n\r\n")) continue;
        if (!parse_head()) return fail(400, reason_);
        state_ = state::content;
        part_bytes_ = 0;
        return {multipart_event::part, at, {}};
    }
    return {multipart_event::need_more, at, {}};
}

bool multipart_parser::parse_head() {
    head_ = {.name = {}, .filename = {}, .content_type = "text/plain"};
    bool has_name = false;
    bool has_type = false;
    std::string_view rest = lines_;
    while (rest != "\r\n") {
        std::string_view const line = rest.substr(0, rest.find("\r\n"));
        rest.remove_prefix(line.size() + 2);
        std::size_t const colon = line.find(':');
        std::string_view const value =
            http1::trim_space(line.substr(std::min(line.size(), colon + 1)));
        std::string_view const name = line.substr(0, colon);
        reason_ = "a line in the head of a part is malformed";
        if (colon == line.npos || !http1::is_token(name) || !http1::is_field_value(value)) {
            return false;
        }
        if (http1::equal_ignoring_case(name, "content-disposition")) {
            reason_ = "a part has more than one Content-Disposition";
            if (has_name) return false;
            reason_ = "the Content-Disposition of a part is malformed";
            if (!parse_disposition(value)) return false;
            has_name = true;
        } else if (http1::equal_ignoring_case(name, "content-type")) {
            reason_ = "the Content-Type of a part is malformed";
            if (std::exchange(has_type, true) || http1::media_type_of(value).empty()) return false;
            head_.content_type = value;
        } else if (http1::equal_ignoring_case(name, "content-transfer-encoding")) {
            // RFC 7578 section 4.7: deprecated, and nothing that browsers send.
            reason_ = "a part has a Content-Transfer-Encoding";
            if (!is_plain_encoding(value)) return false;
        }
    }
    reason_ = "a part of the form has no name";
    return has_name;
}

bool multipart_parser::parse_disposition(std::string_view value) {
    std::size_t const type_end = std::min(value.find(';'), value.size());
    if (!http1::equal_ignoring_case(http1::trim_space(value.substr(0, type_end)), "form-data")) {
        return false;
    }
    bool has_name = false;
    http1::parameter_reader parameters(value.substr(type_end));
    while (auto const one = parameters.next()) {
        // RFC 7578 section 4.2: `filename*` is not to be used; it is not looked at.
        if (http1::equal_ignoring_case(one->name, "name")) {
            if (std::exchange(has_name, true)) return false;
            head_.name = parameter_text(one->value);
        } else if (http1::equal_ignoring_case(one->name, "filename")) {
            if (head_.filename) return false;
            head_.filename = parameter_text(one->value);
        }
    }
    return has_name && !parameters.failed();
}

multipart_step multipart_parser::fail(unsigned status, char const* reason) noexcept {
    state_ = state::failed;
    status_ = status;
    reason_ = reason;
    return {multipart_event::failed, 0, {}};
}

}  // namespace rill::codec
