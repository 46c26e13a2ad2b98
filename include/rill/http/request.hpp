// request: what a client asks for, as views of the head that the connection holds.
// RFC 9110 section 6, RFC 9112 section 3 (targets), RFC 3986 section 2.1 (percent-encoding).
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"
#include "rill/base/type_key.hpp"
#include "rill/codec/http1_request.hpp"
#include "rill/coro/chain.hpp"
#include "rill/http/client_info.hpp"
#include "rill/http/field.hpp"
#include "rill/http/from_text.hpp"
#include "rill/http/method.hpp"
#include "rill/http/parameters.hpp"
#include "rill/http/scratch.hpp"

namespace rill::http {

class cookie_keys;
class request;
class response;

/// How the answer to a request ended, for `request::on_finish`.
struct finished {
    unsigned status = 0;           ///< What the client was told; 0 where it was told nothing.
    std::uint64_t body_bytes = 0;  ///< Of the answer's body, handed over to the connection.
    bool whole = false;            ///< False where the answer broke off or the client was gone.
};

namespace detail {

/// A piece of a text, by place, so that the text can move.
struct span_of_text {
    std::uint32_t begin;  ///< Offset of the first character.
    std::uint32_t size;   ///< Count of characters.
    /// The piece of the text that starts at `base`.
    [[nodiscard]] std::string_view in(char const* base) const noexcept {
        return {base + begin, size};
    }
};

/// What a router found in the path. The places are in `request`'s canonical path.
struct path_parameters {
    static constexpr std::size_t max_count = 16;  ///< The most that one pattern may have.

    path_parameters() noexcept {}  // leaves `values` as they are: `count` says which are written

    std::string_view const* names = nullptr;  ///< Owned by the route; as many as `count`.
    std::uint32_t count = 0;                  ///< How many of `values` count.
    span_of_text values[max_count];           ///< Still encoded.
};

struct request_access;

/// A value that something in front of the handler left with the request.
struct attachment {
    attachment* next;             ///< One that was attached before it.
    rill::detail::type_key type;  ///< Of the value.
    void* value;                  ///< In the request's own memory.
};

/// A function that is called once at the end of a request, in memory of the frame pool.
struct finish_hook {
    finish_hook* next;                                                     ///< Called after it.
    void (*call)(finish_hook*, request const&, finished const&) noexcept;  ///< Once at most.
    void (*destroy)(finish_hook*) noexcept;                                ///< Always.
};

/// What a request asks the connection that it came by.
class request_source {
public:
    /// Who has made it.
    [[nodiscard]] virtual client_info client_of(request const& req) const = 0;
    /// The answer to what a handler threw, which is counted and logged as the server does it.
    [[nodiscard]] virtual response answer_to(std::exception_ptr failure) = 0;
    /// Owns `hook` from now on, and calls it at the end of the request.
    virtual void at_finish(finish_hook* hook) noexcept = 0;

protected:
    ~request_source() = default;
};

/// Throws `problem` 400 that names the parameter.
[[noreturn]] RILL_API void refuse_parameter(std::string_view kind, std::string_view name,
                                            std::string_view what);

}  // namespace detail

/// The content of a request that has arrived as a whole.
class request_body {
public:
    request_body() noexcept = default;
    /// A body in memory of somebody else.
    explicit request_body(rill::bytes content) noexcept : content_(content) {}

    /// All bytes; empty when there is no content.
    [[nodiscard]] rill::bytes bytes() const noexcept { return content_; }
    /// The same as text; no check of its encoding.
    [[nodiscard]] std::string_view text() const noexcept { return content_.text(); }

private:
    rill::bytes content_;
};

/// A request, as its handler sees it.
///
/// Owns nothing that the client sent: every view it gives dies when the answer is finished. It
/// cannot be copied or moved; pass it by reference.
class RILL_API request {
public:
    /// An empty request (GET of "/"); a connection fills it.
    request() noexcept {}
    request(request const&) = delete;
    request& operator=(request const&) = delete;

    /// What is to be done.
    [[nodiscard]] http::method method() const noexcept { return method_; }
    /// The method as it was sent, also when it is `method::other`.
    [[nodiscard]] std::string_view method_text() const noexcept {
        return head_ == nullptr ? name_of(method_) : head_->method_text();
    }
    /// The whole target as it was sent: "/a%20b?c=d".
    [[nodiscard]] std::string_view target() const noexcept {
        return head_ == nullptr ? path_ : head_->target();
    }

    /// The path of the target, decoded once: "/a b". A `%2F` becomes a slash like any other; where
    /// that matters, split `encoded_path()` first.
    /// Errors    `problem` 400 when a '%' is not followed by two digits (no router lets it pass).
    [[nodiscard]] std::string_view path() const;
    /// The path of the target as it was sent: "/a%20b".
    [[nodiscard]] std::string_view encoded_path() const noexcept { return path_; }
    /// A parameter of the route's pattern, decoded once and converted: `req.path<int>("id")`.
    ///
    /// Errors    `problem` 400 when the text is not a T. Asking for a name that the pattern does
    /// not
    ///           have is a bug in the program and asserts.
    /// Lifetime  a `std::string_view` dies when the answer is finished.
    template <readable_from_text T = std::string_view>
    [[nodiscard]] T path(std::string_view name) const {
        return convert<T>("path", name, path_parameter(name));
    }
    /// A parameter of the route's pattern, still encoded: what a wildcard's text is split from, so
    /// that a `%2F` stays inside its segment.
    [[nodiscard]] std::string_view encoded_path(std::string_view name) const;

    /// What follows the '?', as it was sent; empty when there is nothing.
    [[nodiscard]] std::string_view query() const noexcept {
        return head_ == nullptr ? std::string_view() : head_->query();
    }
    /// True when the query has that name.
    [[nodiscard]] bool has_query(std::string_view name) const {
        return form_value(query(), name).has_value();
    }
    /// All pairs of the query, decoded: for (auto [name, value] : req.query_parameters()).
    [[nodiscard]] http::parameters query_parameters() const {
        return {query(), std::nullopt, scratch_};
    }
    /// Those of that name, for one that may be repeated: "?tag=a&tag=b". `name` must outlive them.
    [[nodiscard]] http::parameters query_parameters(std::string_view name) const {
        return {query(), name, scratch_};
    }
    /// The first value of that name in the query, decoded and converted.
    /// Errors    `problem` 400 when it is missing or is not a T.
    template <readable_from_text T = std::string_view>
    [[nodiscard]] T query(std::string_view name) const {
        return required<T>("query", name, form_value(query(), name));
    }
    /// The same, with `fallback` for a name that is missing. What is there and wrong is still a
    /// 400.
    template <readable_from_text T>
    [[nodiscard]] T query(std::string_view name, T fallback) const {
        auto const text = form_value(query(), name);
        return text ? convert<T>("query", name, *text) : fallback;
    }

    /// Whom the request is for, `host[:port]`; empty when the client does not say.
    [[nodiscard]] std::string_view host() const noexcept {
        return head_ == nullptr ? std::string_view() : head_->host();
    }
    /// Who has made the request: the peer of the connection or, where that is one of the server's
    /// `trusted_proxies`, the client that they name. Cost: asks the system, and allocates.
    [[nodiscard]] client_info client() const;

    /// The value of the first field of that name; empty when there is none.
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept {
        return headers().find(name);
    }
    /// True when there is a field of that name.
    [[nodiscard]] bool has_header(std::string_view name) const noexcept {
        return headers().find(name).data() != nullptr;
    }
    /// All fields, in the order in which they came: for (field f : req.headers()).
    [[nodiscard]] http1::field_table const& headers() const noexcept {
        return head_ == nullptr ? no_fields() : head_->fields();
    }

    /// The value of the cookie of that name, whose letters' case matters, without quotes around it;
    /// nothing when the client sends none. Of several the first counts: browsers send the one with
    /// the longest path first. It is what a client says: sign what must not be made up.
    /// `codec::cookie_reader` walks over all.
    [[nodiscard]] std::optional<std::string_view> cookie(std::string_view name) const;
    /// The value of a cookie that was set with `keys`; nothing when it is missing, was changed, was
    /// signed for another name, or by a key that is not among them.
    [[nodiscard]] std::optional<std::string_view> cookie(std::string_view name,
                                                         cookie_keys const& keys) const;

    /// The one of `types` ("text/html") that Accept wants most, of equals the first; nothing where
    /// the client takes none of them. An answer that depends on it says so:
    /// `answer.vary("Accept")`.
    [[nodiscard]] std::optional<std::string_view> accepts(
        std::initializer_list<std::string_view> types) const;
    /// The same, for an answer that is given in no other type.
    /// Errors    `problem` 406 that names the types, where the client takes none of them.
    [[nodiscard]] std::string_view must_accept(std::initializer_list<std::string_view> types) const;
    /// The one of `tags` ("de", "pt-BR") that Accept-Language wants most, as `accepts`. Where it is
    /// nothing, mostly the page's own language is better than none.
    [[nodiscard]] std::optional<std::string_view> accepts_language(
        std::initializer_list<std::string_view> tags) const;

    /// True when the client offers to change to `protocol` ("websocket"): Upgrade lists it and
    /// Connection lists `upgrade`. Never for HTTP/1.0. Spec: RFC 9110 section 7.8.
    [[nodiscard]] bool upgrades_to(std::string_view protocol) const noexcept {
        return head_ != nullptr && head_->upgrades_to(protocol);
    }

    /// The content.
    [[nodiscard]] request_body body() const noexcept { return body_; }
    /// The first value of that name in a body of application/x-www-form-urlencoded, which is what
    /// browsers send for a form without files.
    /// Errors    `problem` 400 when it is missing or is not a T; 415 when Content-Type names
    /// another
    ///           type. Plain text, and content without a type, are taken for the form that they
    ///           spell.
    template <readable_from_text T = std::string_view>
    [[nodiscard]] T form(std::string_view name) const {
        return required<T>("form", name, form_value(form_text(), name));
    }
    /// The same, with `fallback` for a name that is missing. What is there and wrong is still a
    /// 400.
    template <readable_from_text T>
    [[nodiscard]] T form(std::string_view name, T fallback) const {
        auto const text = form_value(form_text(), name);
        return text ? convert<T>("form", name, *text) : fallback;
    }
    /// True when the form has that name. Errors: `problem` 415 as in `form`.
    [[nodiscard]] bool has_form(std::string_view name) const {
        return form_value(form_text(), name).has_value();
    }
    /// All pairs of the form, decoded. Errors: `problem` 415 as in `form`.
    [[nodiscard]] http::parameters form_parameters() const {
        return {form_text(), std::nullopt, scratch_};
    }
    /// Those of that name, which must outlive them. Errors: `problem` 415 as in `form`.
    [[nodiscard]] http::parameters form_parameters(std::string_view name) const {
        return {form_text(), name, scratch_};
    }

    /// A copy of `text` that lives until the answer is finished. Views of the head do not always:
    /// it moves when an answer is made while it is sent.
    [[nodiscard]] std::string_view keep(std::string_view text) const;

    /// Leaves a value of that type with the request, for what comes after: middleware tells
    /// handlers who the user is. It hides one of the same type that was attached before.
    ///
    /// Returns   the value in its place.
    /// Lifetime  until the answer is finished. No destructor is called, so there may be none.
    template <class T>
    T& attach(T value) {
        static_assert(std::is_trivially_destructible_v<T>,
                      "rill: what is attached to a request is dropped without a destructor: attach "
                      "a pointer to it, or views of texts that request::keep has copied");
        static_assert(alignof(T) <= alignof(std::max_align_t));
        return *::new (attach_memory(sizeof(T), rill::detail::type_key_of<T>)) T(std::move(value));
    }
    /// The value of that type that was attached last; null where there is none.
    template <class T>
    [[nodiscard]] T* attached() noexcept {
        return static_cast<T*>(find_attachment(rill::detail::type_key_of<T>));
    }
    /// The same, to be read.
    template <class T>
    [[nodiscard]] T const* attached() const noexcept {
        return static_cast<T const*>(find_attachment(rill::detail::type_key_of<T>));
    }

    /// Calls `function(request const&, finished const&)` once when the answer is complete: a small
    /// one when it stands in the connection's output, one that is sent in parts when its last part
    /// was taken. Or when it broke off. It must not throw. The last one that was added is called
    /// first. A request that was made by hand, without `app.call`, calls nothing.
    ///
    /// Cost      a block of the frame pool.
    template <class Function>
    void on_finish(Function function) {
        static_assert(std::is_nothrow_invocable_v<Function&, request const&, finished const&>,
                      "rill: what runs at the end of a request is "
                      "f(http::request const&, http::finished const&) noexcept");
        struct owned final : detail::finish_hook {
            explicit owned(Function&& from) : function(std::move(from)) {
                call = [](finish_hook* self, request const& req, finished const& how) noexcept {
                    static_cast<owned*>(self)->function(req, how);
                };
                destroy = [](finish_hook* self) noexcept {
                    static_cast<owned*>(self)->~owned();
                    rill::detail::free_frame(self, sizeof(owned));
                };
            }
            Function function;
        };
        static_assert(std::is_nothrow_move_constructible_v<Function>);
        add_hook(::new (rill::detail::allocate_frame(sizeof(owned))) owned(std::move(function)));
    }

private:
    friend struct detail::request_access;

    [[nodiscard]] void* attach_memory(std::size_t size, rill::detail::type_key type);
    [[nodiscard]] void* find_attachment(rill::detail::type_key type) const noexcept;
    void add_hook(detail::finish_hook* hook);
    [[nodiscard]] std::optional<std::string_view> form_value(std::string_view pairs,
                                                             std::string_view name) const;
    [[nodiscard]] std::string_view path_parameter(std::string_view name) const;
    [[nodiscard]] std::string_view form_text() const;

    template <class T>
    static T convert(std::string_view kind, std::string_view name, std::string_view text) {
        std::optional<T> value = from_text(text, std::type_identity<T>{});
        if (!value) detail::refuse_parameter(kind, name, "has a wrong form or range");
        return *std::move(value);
    }
    template <class T>
    static T required(std::string_view kind, std::string_view name,
                      std::optional<std::string_view> text) {
        if (!text) detail::refuse_parameter(kind, name, "is missing");
        return convert<T>(kind, name, *text);
    }

    [[nodiscard]] static http1::field_table const& no_fields() noexcept;

    // Invariant: path_ is the path of *head_, or "/" when there is none. The places in parameters_
    // are in the canonical path, which is the path itself unless that holds a '%', and then a copy
    // in scratch_.
    http1::request_head const* head_ = nullptr;
    detail::request_source* source_ = nullptr;  // null for one that was made by hand
    std::string_view path_ = "/";
    http::method method_ = http::method::get;
    bool path_has_percent_ = false;
    std::uint64_t allowed_methods_ = 0;  // what a router answers 405 and OPTIONS with
    request_body body_;
    detail::attachment* attachments_ = nullptr;   // in scratch_, the last one first
    char const* canonical_path_ = nullptr;        // only with path_has_percent_, from a router
    mutable char const* decoded_path_ = nullptr;  // null until asked for
    mutable std::uint32_t decoded_path_size_ = 0;
    detail::path_parameters parameters_;
    mutable detail::scratch scratch_;
};

}  // namespace rill::http
