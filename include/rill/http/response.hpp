// response: what a handler answers, and to_response: how values become one.
// RFC 9110 section 15; RFC 9457 for problems.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"
#include "rill/http/body_stream.hpp"
#include "rill/http/cookie.hpp"
#include "rill/http/headers.hpp"
#include "rill/http/problem.hpp"
#include "rill/http/producer.hpp"
#include "rill/http/status.hpp"

namespace rill::http {

namespace detail {

/// The promise that a pointer is to text that lives as long as the program.
struct program_text {
    char const* text;  ///< Ends in NUL.
};

}  // namespace detail

/// Text that is part of the program: a string literal, below 4 GiB. Never copied, never freed.
class literal {
public:
    constexpr literal() noexcept = default;
    /// Takes string literals and nothing else: the constructor runs while the program is compiled.
    template <std::size_t Size>
    consteval literal(char const (&text)[Size])
        : text_(text), size_(Size - 1), is_line_(is_short_line({text, Size - 1})) {}
    /// Takes the caller's word that the text lives as long as the program.
    constexpr explicit literal(detail::program_text promise) noexcept
        : literal(std::string_view(promise.text)) {}

    /// The text.
    [[nodiscard]] constexpr std::string_view view() const noexcept { return {text_, size_}; }
    /// True for a text that is known to be short and without control characters, since the program
    /// was compiled: one that needs no look before it is sent as a field's value.
    [[nodiscard]] constexpr bool is_line() const noexcept { return is_line_; }

private:
    constexpr explicit literal(std::string_view text) noexcept
        : text_(text.data()), size_(static_cast<std::uint32_t>(text.size())), is_line_(false) {}
    // Long texts are bodies; a compiler has bounds, too.
    static consteval bool is_short_line(std::string_view text) {
        if (text.size() > 256) return false;
        for (char const c : text) {
            if (c < ' ' || c > '~') return false;
        }
        return true;
    }

    char const* text_ = nullptr;
    std::uint32_t size_ = 0;
    bool is_line_ = true;
};

namespace detail {

/// Throws `error` invalid_argument when the text is no value of a field.
RILL_API void check_content_type(std::string_view text);

/// A content type that can be sent: costs nothing for what the program was compiled with.
[[nodiscard]] constexpr literal checked_type(literal type) {
    if (!type.is_line()) check_content_type(type.view());
    return type;
}

}  // namespace detail

/// A part of an open file, which the answer sends and then gives back.
class file_range {
public:
    /// Called once with what the range was made from, when the answer is done with it.
    using release_function = void (*)(void* owner, int descriptor) noexcept;

    /// `size` bytes from `offset` of the open `descriptor`. `release` must not be null.
    file_range(int descriptor, std::uint64_t offset, std::uint64_t size, release_function release,
               void* owner = nullptr) noexcept
        : descriptor_(descriptor), offset_(offset), size_(size), release_(release), owner_(owner) {}
    file_range(file_range&& other) noexcept
        : descriptor_(other.descriptor_),
          offset_(other.offset_),
          size_(other.size_),
          release_(std::exchange(other.release_, nullptr)),
          owner_(other.owner_) {}
    file_range& operator=(file_range&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(offset_, other.offset_);
        std::swap(size_, other.size_);
        std::swap(release_, other.release_);
        std::swap(owner_, other.owner_);
        return *this;
    }
    file_range(file_range const&) = delete;
    file_range& operator=(file_range const&) = delete;
    ~file_range() {
        if (release_ != nullptr) release_(owner_, descriptor_);
    }

    /// The open file.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// Where the part starts, in bytes.
    [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
    /// How many bytes it has.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

private:
    int descriptor_;
    std::uint64_t offset_;
    std::uint64_t size_;
    release_function release_;
    void* owner_;
};

/// Text that several answers share, and that is not copied for any of them.
using shared_text = std::shared_ptr<std::string const>;

class upgraded;

/// What a connection does after an answer of 101: see `upgrade`.
using upgrade_session = producer<upgraded>;

/// An answer: a status, header fields and a body.
///
/// An answer without fields and with a literal for its body allocates nothing. Movable only.
class response {
public:
    /// Nothing, program text, owned or shared text (never null), a part of a file, or made while it
    /// is sent; and for 101 what the connection does next.
    using body_type = std::variant<std::monostate, literal, std::string, file_range, body_stream,
                                   upgrade_session, shared_text>;

    /// 200 without a body.
    response() noexcept = default;
    /// That status without a body.
    explicit response(http::status status) noexcept : status_(status) {}
    /// A body, and the type that Content-Type says unless a field is set.
    /// Errors    `error` invalid_argument when the type holds a control character.
    response(http::status status, body_type body, literal content_type)
        : status_(status),
          content_type_(detail::checked_type(content_type)),
          body_(std::move(body)) {}

    /// How the request ended.
    [[nodiscard]] http::status status() const noexcept { return status_; }
    /// Changes how it ended.
    void set_status(http::status status) noexcept { status_ = status; }

    /// The fields that the handler sets. Those that say where the message ends and what becomes of
    /// the connection (Content-Length, Transfer-Encoding, Connection) are written by the
    /// connection.
    [[nodiscard]] http::headers& headers() noexcept { return headers_; }
    /// The same, to be read.
    [[nodiscard]] http::headers const& headers() const noexcept { return headers_; }

    /// Sets a cookie, in place of one of the same name, path and domain that this answer sets.
    /// Errors    `error` invalid_argument for what a browser would drop, as in `text_of`;
    ///           limit_exceeded as in `headers::add`.
    RILL_API void set_cookie(cookie const& value);
    /// The same with a signature, for `request::cookie(name, keys)`. It takes 44 bytes of the size.
    RILL_API void set_cookie(cookie const& value, cookie_keys const& keys);
    /// Tells the client to forget a cookie: `name`, `path` and `domain` are those that it was set
    /// with. Errors as in `set_cookie`.
    RILL_API void remove_cookie(cookie const& which);

    /// Tells caches that the answer depends on that field of the request: adds it to Vary, once.
    /// Errors as in `headers::set`.
    RILL_API void vary(std::string_view name);

    /// The Content-Type field, or the body's own type; empty when there is neither.
    [[nodiscard]] std::string_view content_type() const noexcept {
        std::string_view const field = headers_.get("content-type");
        return field.empty() ? content_type_.view() : field;
    }
    /// The body's own type, which is sent when no Content-Type field is set.
    [[nodiscard]] literal default_content_type() const noexcept { return content_type_; }

    /// The body.
    [[nodiscard]] body_type const& body() const noexcept { return body_; }
    /// The same, to be changed.
    [[nodiscard]] body_type& body() noexcept { return body_; }
    /// Replaces the body and its type. Errors as in the constructor.
    void set_body(body_type body, literal content_type) {
        content_type_ = detail::checked_type(content_type);
        body_ = std::move(body);
    }
    /// The body's size in bytes; 0 for a stream, whose size nobody knows.
    [[nodiscard]] std::uint64_t body_size() const noexcept {
        if (auto const* file = std::get_if<file_range>(&body_)) return file->size();
        return text().size();
    }
    /// The body when it is in memory; empty for a file.
    [[nodiscard]] std::string_view text() const noexcept {
        if (auto const* fixed = std::get_if<literal>(&body_)) return fixed->view();
        if (auto const* owned = std::get_if<std::string>(&body_)) return *owned;
        if (auto const* shared = std::get_if<shared_text>(&body_)) return **shared;
        return {};
    }

private:
    http::status status_ = http::status::ok;
    http::headers headers_;
    literal content_type_;
    body_type body_;
};

/// Content types that the functions below use.
namespace content_types {
inline constexpr literal text{"text/plain; charset=utf-8"};    ///< For text.
inline constexpr literal html{"text/html; charset=utf-8"};     ///< For pages.
inline constexpr literal binary{"application/octet-stream"};   ///< For bytes.
inline constexpr literal problem{"application/problem+json"};  ///< RFC 9457.
}  // namespace content_types

/// An answer with that body and content type.
[[nodiscard]] inline response content(response::body_type body, literal content_type,
                                      status code = status::ok) {
    return {code, std::move(body), content_type};
}
/// Plain text.
[[nodiscard]] inline response text(std::string body, status code = status::ok) {
    return {code, std::move(body), content_types::text};
}
/// A page of HTML.
[[nodiscard]] inline response html(std::string body, status code = status::ok) {
    return {code, std::move(body), content_types::html};
}
/// A body that is made while it is sent, in chunks, with the client's pace:
/// `http::stream([](http::body_writer& out) -> task<> { co_await out.write("part"); })`.
///
/// `producer` is moved in and lives until its task has ended. What it throws is logged and cuts the
/// connection: an answer that broke off is never ended as if complete. Not called for HEAD.
template <class Producer>
[[nodiscard]] response stream(Producer producer, literal content_type = content_types::binary,
                              status code = status::ok) {
    return {code, body_stream(std::move(producer)), content_type};
}
/// Sends the client elsewhere. `location` is a URI reference ("/x", "https://example.com/").
/// Errors    `error` invalid_argument when it holds a control character.
[[nodiscard]] RILL_API response redirect(std::string_view location, status code = status::found);

namespace detail {

// Views: nothing keeps the memory behind them until the answer has been sent.
template <class T>
struct is_view : std::false_type {};
template <class T, std::size_t Extent>
struct is_view<std::span<T, Extent>> : std::true_type {};
template <>
struct is_view<std::string_view> : std::true_type {};
template <>
struct is_view<rill::bytes> : std::true_type {};
template <>
struct is_view<rill::mutable_bytes> : std::true_type {};
template <>
struct is_view<char*> : std::true_type {};

template <class T>
inline constexpr bool never_true = false;

}  // namespace detail

/// @name to_response
/// How the value that a handler returns becomes an answer. A type of your own joins with a function
/// beside it: `http::response to_response(my_type value)`.
/// @{

/// The answer itself.
[[nodiscard]] inline response to_response(response value) noexcept {
    return value;
}
/// A string literal: 200, text/plain, never copied.
[[nodiscard]] inline response to_response(literal value) noexcept {
    return {status::ok, value, content_types::text};
}
/// The same where a lambda's return type has turned the literal into a pointer, as in
/// `[] { return "Hello"; }`. The text is not copied: it must live as long as the program. Return a
/// `std::string` for any other text.
[[nodiscard]] inline response to_response(char const* value) noexcept {
    return {status::ok, literal(detail::program_text{value}), content_types::text};
}
/// A string: 200, text/plain.
[[nodiscard]] inline response to_response(std::string value) {
    return {status::ok, std::move(value), content_types::text};
}
/// A status without a body.
[[nodiscard]] inline response to_response(status value) noexcept {
    return response(value);
}
/// Does not compile: nothing would keep the text until it has been sent.
template <class View>
    requires(detail::is_view<View>::value)
response to_response(View const&) {
    static_assert(detail::never_true<View>,
                  "rill: an answer that is a view (string_view, span, bytes, char*) would dangle: "
                  "return std::string(view), or a string literal");
    return {};
}
/// A problem: its status and its JSON document.
[[nodiscard]] RILL_API response to_response(problem const& value);
/// @}

}  // namespace rill::http
