// JSON answers and bodies, by nlohmann/json (RFC 8259). The one header with a type of a third
// party: a program that includes it needs nlohmann_json 3.11 or later.
#pragma once

// With it, what is wrong in a body is named by its place: it is to be the same in all files of a
// program, so that all mean the same nlohmann::json. Define it as 0 to keep the smaller values.
#ifndef JSON_DIAGNOSTICS
// lint: allow(head) it is the name that nlohmann/json reads
#define JSON_DIAGNOSTICS 1
#endif

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "rill/http/problem.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"

namespace rill {

/// An answer of JSON: of anything that nlohmann/json converts, such as its own values, containers,
/// and types of yours with a `to_json` beside them. Text that is not UTF-8 has its bad bytes
/// replaced.
template <class T>
[[nodiscard]] http::response json(T const& value, http::status code = http::status::ok) {
    constexpr http::literal type("application/json");
    nlohmann::json const document = value;
    using on_error = nlohmann::json::error_handler_t;
    return {code, document.dump(-1, ' ', false, on_error::replace), type};
}

/// How deep arrays and objects of a body may lie in one another, unless a call says else.
inline constexpr std::size_t json_depth = 64;

namespace detail {

// Where a byte of a text is, for people.
struct text_place {
    std::size_t line = 1;
    std::size_t column = 1;
};
inline text_place place_of(std::string_view text, std::size_t byte) noexcept {
    std::string_view const before = text.substr(0, byte);
    auto const lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    std::size_t const line_begin = before.rfind('\n') + 1;  // 0 without a line end
    return {lines + 1, before.size() - line_begin + 1};
}

[[noreturn]] inline void refuse_json(std::string_view text, std::size_t byte,
                                     std::string_view what) {
    auto const [line, column] = place_of(text, byte);
    std::string detail(what);
    detail.append(" at line ").append(std::to_string(line));
    detail.append(", column ").append(std::to_string(column));
    throw http::problem(400, detail)
        .set_member("line", line)
        .set_member("column", column)
        .set_member("byte", byte);
}

// Before anything is built: what is counted here cannot be deeper when it is parsed.
inline void check_depth(std::string_view text, std::size_t most) {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        char const c = text[at];
        if (in_string) {
            if (c == '\\') ++at;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (depth++ == most) refuse_json(text, at, "the JSON is nested too deep");
        } else if ((c == ']' || c == '}') && depth != 0) {
            --depth;
        }
    }
}

// The library's message is "[json.exception.type_error.302] (/a/b) type must be ...": the pointer
// is there with JSON_DIAGNOSTICS, and not for the whole document.
[[noreturn]] inline void refuse_member(nlohmann::json::exception const& why) {
    std::string_view what = why.what();
    what.remove_prefix(std::min(what.size(), what.find("] ") + 2));
    constexpr int missing_key = 403;
    std::string pointer;
    if (what.starts_with("(/")) {
        std::string_view const next = why.id == missing_key ? ") key '" : ") type";
        std::size_t const end = std::min(what.find(next), what.size());
        pointer = what.substr(1, end - 1);
        what.remove_prefix(std::min(what.size(), end + 2));
    }
    if (why.id == missing_key && what.starts_with("key '")) {
        std::string_view const name = what.substr(5, what.rfind('\'') - 5);
        pointer += '/';
        for (char const c : name) {
            if (c == '~') {
                pointer += "~0";
            } else if (c == '/') {
                pointer += "~1";
            } else {
                pointer += c;
            }
        }
        what = "is missing";
    }
    std::string detail = pointer.empty() ? "the JSON document" : "the JSON member " + pointer;
    throw http::problem(400, detail.append(": ").append(what)).set_member("pointer", pointer);
}

inline bool is_json(std::string_view content_type) noexcept {
    std::string_view const type = http1::media_type_of(content_type);
    constexpr std::string_view suffix = "+json";  // RFC 6839 section 3.1
    return http1::equal_ignoring_case(type, "application/json") ||
           (type.size() > suffix.size() &&
            http1::equal_ignoring_case(type.substr(type.size() - suffix.size()), suffix));
}

}  // namespace detail

/// The content of a request as a T: `nlohmann::json`, a container, or a type of yours with a
/// `from_json` beside it.
///
/// Errors    `problem` 415 unless Content-Type is application/json or ends in +json; 400 when the
///           text is malformed or deeper than `depth`, with its line and column; 400 when a member
///           is missing or of another type, with its JSON pointer (RFC 6901).
template <class T = nlohmann::json>
[[nodiscard]] T read_json(http::request const& req, std::size_t depth = json_depth) {
    if (!detail::is_json(req.header("content-type"))) {
        throw http::problem(415, "the content is to be sent as application/json");
    }
    std::string_view const text = req.body().text();
    detail::check_depth(text, depth);
    try {
        auto const document = nlohmann::json::parse(text.begin(), text.end());
        return document.get<T>();
    } catch (nlohmann::json::parse_error const& why) {
        // It counts from 1; at the end of the text from one further.
        std::size_t const byte = std::min(why.byte == 0 ? 0 : why.byte - 1, text.size());
        detail::refuse_json(text, byte, "the JSON is malformed");
    } catch (nlohmann::json::exception const& why) {
        detail::refuse_member(why);
    }
}

}  // namespace rill
