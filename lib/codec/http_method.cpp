// Names of methods, and the status registry as precomputed HTTP/1.1 status lines.
#include "rill/codec/http_method.hpp"

#include <array>

#include "codec/status_lines.hpp"

namespace rill::http1 {

namespace {

// In the order of the enumerators.
constexpr std::array method_names{
    std::string_view("GET"),         std::string_view("HEAD"),   std::string_view("POST"),
    std::string_view("PUT"),         std::string_view("DELETE"), std::string_view("CONNECT"),
    std::string_view("OPTIONS"),     std::string_view("TRACE"),  std::string_view("PATCH"),
    std::string_view("QUERY"),       std::string_view("COPY"),   std::string_view("LOCK"),
    std::string_view("MKCOL"),       std::string_view("MOVE"),   std::string_view("PROPFIND"),
    std::string_view("PROPPATCH"),   std::string_view("UNLOCK"), std::string_view("SEARCH"),
    std::string_view("ACL"),         std::string_view("BIND"),   std::string_view("REBIND"),
    std::string_view("UNBIND"),      std::string_view("REPORT"), std::string_view("MKACTIVITY"),
    std::string_view("CHECKOUT"),    std::string_view("MERGE"),  std::string_view("MKCALENDAR"),
    std::string_view("LINK"),        std::string_view("UNLINK"), std::string_view("PURGE"),
    std::string_view("M-SEARCH"),    std::string_view("NOTIFY"), std::string_view("SUBSCRIBE"),
    std::string_view("UNSUBSCRIBE"),
};
static_assert(method_names.size() == static_cast<std::size_t>(method::other));
static_assert(method_names.size() < 64, "a set of methods is one 64-bit word");

/// In the order of their codes. Spec: RFC 9110 section 15 and the IANA registry.
constexpr std::array<std::string_view, 62> lines = {
    "HTTP/1.1 100 Continue\r\n",
    "HTTP/1.1 101 Switching Protocols\r\n",
    "HTTP/1.1 102 Processing\r\n",
    "HTTP/1.1 103 Early Hints\r\n",
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 201 Created\r\n",
    "HTTP/1.1 202 Accepted\r\n",
    "HTTP/1.1 203 Non-Authoritative Information\r\n",
    "HTTP/1.1 204 No Content\r\n",
    "HTTP/1.1 205 Reset Content\r\n",
    "HTTP/1.1 206 Partial Content\r\n",
    "HTTP/1.1 207 Multi-Status\r\n",
    "HTTP/1.1 208 Already Reported\r\n",
    "HTTP/1.1 226 IM Used\r\n",
    "HTTP/1.1 300 Multiple Choices\r\n",
    "HTTP/1.1 301 Moved Permanently\r\n",
    "HTTP/1.1 302 Found\r\n",
    "HTTP/1.1 303 See Other\r\n",
    "HTTP/1.1 304 Not Modified\r\n",
    "HTTP/1.1 305 Use Proxy\r\n",
    "HTTP/1.1 307 Temporary Redirect\r\n",
    "HTTP/1.1 308 Permanent Redirect\r\n",
    "HTTP/1.1 400 Bad Request\r\n",
    "HTTP/1.1 401 Unauthorized\r\n",
    "HTTP/1.1 402 Payment Required\r\n",
    "HTTP/1.1 403 Forbidden\r\n",
    "HTTP/1.1 404 Not Found\r\n",
    "HTTP/1.1 405 Method Not Allowed\r\n",
    "HTTP/1.1 406 Not Acceptable\r\n",
    "HTTP/1.1 407 Proxy Authentication Required\r\n",
    "HTTP/1.1 408 Request Timeout\r\n",
    "HTTP/1.1 409 Conflict\r\n",
    "HTTP/1.1 410 Gone\r\n",
    "HTTP/1.1 411 Length Required\r\n",
    "HTTP/1.1 412 Precondition Failed\r\n",
    "HTTP/1.1 413 Content Too Large\r\n",
    "HTTP/1.1 414 URI Too Long\r\n",
    "HTTP/1.1 415 Unsupported Media Type\r\n",
    "HTTP/1.1 416 Range Not Satisfiable\r\n",
    "HTTP/1.1 417 Expectation Failed\r\n",
    "HTTP/1.1 421 Misdirected Request\r\n",
    "HTTP/1.1 422 Unprocessable Content\r\n",
    "HTTP/1.1 423 Locked\r\n",
    "HTTP/1.1 424 Failed Dependency\r\n",
    "HTTP/1.1 425 Too Early\r\n",
    "HTTP/1.1 426 Upgrade Required\r\n",
    "HTTP/1.1 428 Precondition Required\r\n",
    "HTTP/1.1 429 Too Many Requests\r\n",
    "HTTP/1.1 431 Request Header Fields Too Large\r\n",
    "HTTP/1.1 451 Unavailable For Legal Reasons\r\n",
    "HTTP/1.1 500 Internal Server Error\r\n",
    "HTTP/1.1 501 Not Implemented\r\n",
    "HTTP/1.1 502 Bad Gateway\r\n",
    "HTTP/1.1 503 Service Unavailable\r\n",
    "HTTP/1.1 504 Gateway Timeout\r\n",
    "HTTP/1.1 505 HTTP Version Not Supported\r\n",
    "HTTP/1.1 506 Variant Also Negotiates\r\n",
    "HTTP/1.1 507 Insufficient Storage\r\n",
    "HTTP/1.1 508 Loop Detected\r\n",
    "HTTP/1.1 510 Not Extended\r\n",
    "HTTP/1.1 511 Network Authentication Required\r\n",
    "",  // what every code without a line of its own points at
};

constexpr std::size_t code_at = 9;   // "HTTP/1.1 "
constexpr std::size_t text_at = 13;  // "HTTP/1.1 200 "

consteval std::array<std::uint8_t, 500> make_line_index() {
    std::array<std::uint8_t, 500> index{};
    index.fill(lines.size() - 1);
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        std::string_view const digits = lines[i].substr(code_at, 3);
        auto const digit = [&](std::size_t at) { return static_cast<unsigned>(digits[at] - '0'); };
        index[digit(0) * 100 + digit(1) * 10 + digit(2) - 100] = static_cast<std::uint8_t>(i);
    }
    return index;
}

constexpr std::array<std::uint8_t, 500> line_index = make_line_index();

}  // namespace

method find_method(std::string_view text) noexcept {
    for (std::size_t i = 0; i < method_names.size(); ++i) {
        if (method_names[i] == text) return static_cast<method>(i);
    }
    return method::other;
}

std::string_view name_of(method which) noexcept {
    auto const index = static_cast<std::size_t>(which);
    return index < method_names.size() ? method_names[index] : std::string_view{};
}

namespace detail {

std::string_view status_line(unsigned code) noexcept {
    return code >= 100 && code < 600 ? lines[line_index[code - 100]] : std::string_view{};
}

}  // namespace detail

std::string_view status_text(unsigned code) noexcept {
    std::string_view line = detail::status_line(code);
    if (line.empty()) return line;
    line.remove_suffix(2);
    return line.substr(text_at);
}

}  // namespace rill::http1
